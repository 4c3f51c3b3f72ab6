// Each change that a life cycle's table allows does happen: in random stories, in those of faults,
// or in one that is told here because it is rare. One that never does is wrong in the table.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "conf/policies.h"
#include "jobqueue/model/life_cycles.h"
#include "lab/faults/fault_fuzz.h"
#include "lab/stories/fuzz.h"
#include "support/fifo_harness.h"

namespace weir::test {
namespace {

std::set<std::array<const char*, 3>> changes;  // cycle, from, to; one name may stand in two places

void note(const char* cycle, const char* from, const char* to) {
  changes.insert({cycle, from, to});
}

std::string told(const char* cycle, const char* from, const char* to) {
  return std::string(cycle) + ": " + from + " -> " + to;
}

class LifeCycleRows : public testing::Test {
 protected:
  LifeCycleRows() {
    changes.clear();
    life::observer = note;
  }
  ~LifeCycleRows() override { life::observer = nullptr; }

};

// Its place is lost to a more urgent one.
void a_task_fails_while_its_job_waits() {
  FifoHarness h;
  h.add_queue(queue("default"));
  h.settings().queues.front().max_running_jobs = 1;
  h.settings().queues.front().priorities = true;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({.max_attempts = 1});
  h.heartbeat("tt1");
  h.submit({.priority = Priority::kVeryHigh});
  h.fail("J1/m0");
  h.heartbeat("tt1");
}

void ended_jobs_leave_the_list() {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 3, .reduce_slots = 0});
  for (int i = 0; i < 3; ++i) h.submit({.max_attempts = 1});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.fail("J2/m0");
  h.step(KillJob{{.user = "user"}, JobId(3)});
  h.settle("tt1");
  h.advance(h.settings().finished_jobs_kept_ms);
  EXPECT_TRUE(h.state().jobs().empty());
}

void an_attempt_fails_while_it_asks_to_commit() {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 1, .reduce_slots = 0});
  h.submit({});
  h.heartbeat("tt1");
  h.finish("J1/m0");
  h.heartbeat("tt1");
  h.tracker("tt1").held.begin()->second.state = ReportedState::kFailed;
  h.heartbeat("tt1");
}

void jobs_without_tasks_end() {
  FifoHarness h;
  h.submit({.maps = 0});
  h.submit({.maps = 0});
  h.add_tracker("tt1");
  h.heartbeat("tt1");
  h.tracker("tt1").duties = {{.job = JobId(1)}, {.job = JobId(2), .ok = false}};
  h.heartbeat("tt1");
}

void a_job_is_killed_while_nobody_completes_it() {
  FifoHarness h;
  h.submit({.maps = 0});
  h.step(KillJob{{.user = "user"}, JobId(1)});
}

// After its tracker was thought lost; its next report says that it was granted its slots before.
void a_reduce_computes_that_was_taken_to_copy() {
  FifoHarness h;
  h.add_tracker("tt1", {.map_slots = 0, .reduce_slots = 1});
  h.submit({.maps = 0, .reduces = 1});
  h.heartbeat("tt1");
  h.heartbeat("tt1");
  h.step(LoseTracker{"tt1"});
  h.connect("tt1");
  AttemptReport& reduce = h.tracker("tt1").held.begin()->second;
  reduce.compute_granted = false;
  h.heartbeat("tt1");
  reduce.phase = TaskPhase::kReduce;
  h.heartbeat("tt1");
}

void a_restart_finds_a_held_job_a_failed_one_and_an_old_fault() {
  FifoHarness h;
  h.settings().tracker_faults.at_most = 2;
  auto spec = std::make_shared<JobSpec>();
  spec->hold = true;
  spec->queue = "default";
  spec->splits.resize(1);
  JobSnapshot held{.job = JobId(1), .spec = spec, .queue = "default", .state = JobState::kWaiting};
  JobSnapshot failed{.job = JobId(2), .spec = spec, .queue = "default", .state = JobState::kFailed};
  h.start({.epoch = 2,
           .next_job = 3,
           .tracker_faults = {{.name = "tt1", .incarnation = 1, .at = h.now - 1}},
           .jobs = {held, failed}});
}

void forgotten_trackers_come_back() {
  FifoHarness h;
  h.settings().administrators = {"root"};
  for (const char* name : {"tt1", "tt2"}) {
    h.add_tracker(name);
    h.step(LoseTracker{name});
  }
  h.step(ForgetTrackers{{"root", {}}, {"tt1", "tt2"}});
  h.step(OrderTrackers{{"root", {}}, {"tt2"}, TrackerOrder::kDrain});
  h.add_tracker("tt1");
  h.add_tracker("tt2");
}

TEST_F(LifeCycleRows, AllHappen) {
  FuzzOptions rules;
  rules.seeds = 300;
  rules.check = check::CheckMode::kOff;
  EXPECT_FALSE(run_fuzz(rules, policy_factory(), [](std::uint64_t) {})->failed_seed);
  faults::FaultFuzzOptions faults;
  faults.seeds = 60;
  EXPECT_FALSE(run_fault_fuzz(faults, policy_factory(), [](std::uint64_t) {}).failed_seed);
  a_task_fails_while_its_job_waits();
  ended_jobs_leave_the_list();
  an_attempt_fails_while_it_asks_to_commit();
  jobs_without_tasks_end();
  a_job_is_killed_while_nobody_completes_it();
  a_reduce_computes_that_was_taken_to_copy();
  a_restart_finds_a_held_job_a_failed_one_and_an_old_fault();
  forgotten_trackers_come_back();
  std::set<std::string> happened;
  for (const auto& [cycle, from, to] : changes) happened.insert(told(cycle, from, to));
  for (const life::Drawn& cycle : life::all()) {
    for (const life::Edge& edge : cycle.edges) {
      const std::string change = told(cycle.name, edge.from, edge.to);
      EXPECT_TRUE(happened.contains(change)) << change << " never does";
    }
  }
}

}  // namespace
}  // namespace weir::test
