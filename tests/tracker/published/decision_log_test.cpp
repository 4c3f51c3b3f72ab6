// What was decided, read while it goes on.
#include "tracker/published/decision_log.h"

#include <gtest/gtest.h>
#include <time.h>

#include <thread>

#include "fifo/container_fifo.h"
#include "support/fifo_harness.h"

namespace weir::test {
namespace {

struct DecisionHarness : FifoHarness {
  WallClock wall;
  DecisionLog log{1};
  std::size_t told = 0;
  // What has happened in the harness since the last time.
  void tell() {
    engine();
    for (; told < FifoHarness::log.size(); ++told) log.on(FifoHarness::log[told], engine());
  }
  std::vector<std::string> events(const DecisionFilter& filter = {}) {
    tell();
    std::vector<std::string> out;
    const auto page = log.read(filter, wall);
    if (!page) ADD_FAILURE() << page.error().message;
    for (const DecisionView& decision : page->decisions) out.push_back(decision.event);
    return out;
  }
  DecisionView newest(const std::string& kind) {
    tell();
    DecisionFilter filter;
    filter.kinds = {kind};
    const auto page = log.read(filter, wall);
    if (!page || page->decisions.empty()) {
      ADD_FAILURE() << "no " << kind;
      return {};
    }
    return page->decisions.front();
  }
};

using Strings = std::vector<std::string>;

TEST(DecisionLog, ATaskOfAnApplicationIsNamedAsItsGroupIs) {
  Harness h{[](std::string_view, const ClusterState& state, PolicyMemory&) {
              return std::unique_ptr<Policy>(std::make_unique<ContainerFifo>(state));
            },
            "fifo"};
  h.settings().resources.mode = ResourceSettings::Mode::kContainers;
  RegisterTracker registration;
  registration.name = registration.host = "tt1";
  registration.incarnation = h.tracker("tt1").incarnation = 7;
  registration.total = Resources{{0, 0, 8192, 8}};
  h.step(registration);
  auto spec = std::make_shared<JobSpec>();
  spec->user = "ann";
  spec->queue = "default";
  spec->task_groups.resize(2);
  spec->task_groups[0].name = "ps";
  spec->task_groups[1].name = "worker";
  spec->task_groups[1].count = 2;
  h.step(SubmitJob{{"ann", {}}, spec});
  h.heartbeat("tt1");
  DecisionLog log(1);
  for (const Event& event : h.log) log.on(event, h.engine());
  std::vector<std::string> tasks;
  const auto page = log.read({.kinds = {"launch"}}, WallClock());
  for (const DecisionView& launch : page->decisions) {
    tasks.push_back(*launch.task);
    EXPECT_EQ(launch.resource_class, "container");
  }
  EXPECT_EQ(tasks, (Strings{"worker.1", "worker.0", "ps.0"}));
}

// A gang collects room on two trackers and starts; a task as large then waits for one of them.
TEST(DecisionLog, SaysWhoWaitsForRoomWhere) {
  Harness h{[](std::string_view, const ClusterState& state, PolicyMemory&) {
              return std::unique_ptr<Policy>(std::make_unique<ContainerFifo>(state));
            },
            "fifo"};
  h.settings().resources.mode = ResourceSettings::Mode::kContainers;
  for (const char* name : {"tt1", "tt2"}) {
    RegisterTracker registration;
    registration.name = registration.host = name;
    registration.incarnation = h.tracker(name).incarnation = 7;
    registration.total = Resources{{0, 0, 8192, 8}};
    h.step(registration);
  }
  for (const std::uint32_t members : {2, 1}) {
    auto spec = std::make_shared<JobSpec>();
    spec->user = "ann";
    spec->queue = "default";
    TaskGroupSpec& group = spec->task_groups.emplace_back();
    group.name = "w";
    group.count = members;
    group.gang = members > 1 ? members : 0;
    group.asked = {6144, 1, {}};
    h.step(SubmitJob{{"ann", {}}, spec});
    h.heartbeat("tt1");
    h.heartbeat("tt2");
  }
  h.step(KillJob{{"ann", {}}, JobId(2)});
  DecisionLog log(1);
  for (const Event& event : h.log) log.on(event, h.engine());
  Strings all;
  const auto page = log.read(
      {.queue = "default",
       .kinds = {"reserve", "unreserve", "gang_hold", "gang_release", "gang_start"}},
      WallClock());
  for (const DecisionView& one : page->decisions) {
    all.push_back(one.event + " " + std::to_string(one.job->value) + " " + one.task.value_or("-") +
                  " " + one.tracker.value_or("-"));
    EXPECT_EQ(one.user, "ann");
    EXPECT_EQ(one.tasks.value_or(0), one.event == "gang_start" ? 2 : 0);
    EXPECT_EQ(one.reason.has_value(), one.event == "unreserve");
  }
  EXPECT_EQ(all, (Strings{"unreserve 2 - tt1", "reserve 2 w.0 tt1", "gang_start 1 - -",
                          "gang_hold 1 w.1 tt2", "gang_hold 1 w.0 tt1"}));
}

TEST(DecisionLog, SaysWhatRanWhereForWhom) {
  DecisionHarness h;
  h.add_tracker("tt1");
  h.submit({.user = "alice", .maps = 1});
  h.heartbeat("tt1");
  EXPECT_EQ(h.events(), (Strings{"launch", "job", "submit", "tracker"}));
  const DecisionView launch = h.newest("launch");
  EXPECT_EQ(launch.job, JobId(1));
  EXPECT_EQ(launch.task, "m0");
  EXPECT_EQ(launch.tracker, "tt1");
  EXPECT_EQ(launch.queue, "default");
  EXPECT_EQ(launch.user, "alice");
  EXPECT_EQ(launch.resource_class, "map");
  EXPECT_EQ(launch.locality, "any");
  EXPECT_EQ(launch.at_ms, h.now);
  const DecisionView tracker = h.newest("tracker");
  EXPECT_EQ(tracker.state, "added");
  EXPECT_EQ(tracker.map_slots, 2);
}

TEST(DecisionLog, AKillIsToldOnceWithItsReason) {
  DecisionHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.step(KillJob{{"user", {}}, JobId(1)});
  h.settle("tt1");
  DecisionFilter kills;
  kills.kinds = {"kill"};
  EXPECT_EQ(h.events(kills).size(), 1u);
  EXPECT_EQ(h.newest("kill").reason, "job_killed");
  EXPECT_FALSE(h.newest("kill").for_whom);
}

TEST(DecisionLog, ALostTrackersAttemptsAreKilledAndAForgottenOneIsTold) {
  DecisionHarness h;
  h.add_tracker("tt1");
  h.submit({.maps = 1});
  h.heartbeat("tt1");
  h.step(LoseTracker{"tt1"});
  EXPECT_EQ(h.newest("kill").reason, "tracker_lost");
  EXPECT_EQ(h.newest("tracker").state, "lost");
  h.step(ForgetTrackers{{"root", {}}, {"tt1"}});
  EXPECT_EQ(h.newest("tracker").state, "forgotten");
}

TEST(DecisionLog, ARefusalSaysOfWhatAndWhy) {
  DecisionHarness h;
  h.submit({.queue = "nowhere"});
  const DecisionView refused = h.newest("refused");
  EXPECT_EQ(refused.what, "submit");
  EXPECT_NE(refused.reason->find("nowhere"), std::string::npos);
}

TEST(DecisionLog, IsFilteredByQueueJobKindAndTime) {
  DecisionHarness h;
  h.add_queue(queue("a"));
  h.add_queue(queue("ab"));
  h.submit({.queue = "a"});
  h.now += 1'000;
  h.submit({.queue = "ab"});
  DecisionFilter of_queue;
  of_queue.queue = "a";
  EXPECT_EQ(h.events(of_queue), Strings{"submit"});
  DecisionFilter of_job;
  of_job.job = JobId(2);
  EXPECT_EQ(h.events(of_job), (Strings{"job", "submit"}));
  DecisionFilter of_kind;
  of_kind.kinds = {"submit", "kill"};
  EXPECT_EQ(h.events(of_kind), (Strings{"submit", "submit"}));
  DecisionFilter lately;
  lately.since = h.now;
  EXPECT_EQ(h.events(lately), (Strings{"job", "submit"}));
  DecisionFilter wrong;
  wrong.kinds = {"launches"};
  const auto refused = h.log.read(wrong, h.wall);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadRequest);
  EXPECT_NE(refused.error().hint.find("launch, "), std::string::npos);
}

TEST(DecisionLog, PagesGoOnWhereTheLastOneEnded) {
  DecisionHarness h;
  for (int i = 0; i < 700; ++i) h.submit({});
  h.tell();
  DecisionFilter filter;
  filter.limit = 100;
  std::vector<std::int64_t> numbers;
  for (bool more = true; more;) {
    const auto page = h.log.read(filter, h.wall);
    ASSERT_TRUE(page.ok());
    for (const DecisionView& decision : page->decisions) numbers.push_back(decision.number);
    filter.before = numbers.back();
    more = page->more;
  }
  ASSERT_EQ(numbers.size(), 1'400u);  // and each job's start
  for (std::size_t i = 0; i < numbers.size(); ++i)
    EXPECT_EQ(numbers[i], 1'400 - static_cast<std::int64_t>(i));
}

// Made by hand: what the rings do with more than they hold.
Event refused_event(TimeMs at, std::string why) {
  const Error error{ErrorCode::kBadRequest, std::move(why), "", {}};
  return {0, at, SoftFact(Refused{"submit", error})};
}

TEST(DecisionLog, WhatUsersCauseAtWillPushesOutNothingRare) {
  DecisionHarness h;
  h.add_tracker("tt1");
  h.tell();
  for (int i = 0; i < 200'000; ++i) h.log.on(refused_event(h.now, "no"), h.engine());
  EXPECT_EQ(h.newest("tracker").tracker, "tt1");
  DecisionFilter refused;
  refused.kinds = {"refused"};
  refused.limit = 1'000'000;
  const std::size_t kept = h.events(refused).size();
  EXPECT_LE(kept, 65'536u);
  EXPECT_GT(kept, 65'536u - 512u);
}

TEST(DecisionLog, WhatUsersCauseAtWillPushesOutNothingOfJobs) {
  DecisionHarness h;
  h.submit({.user = "alice"});
  h.tell();
  for (int i = 0; i < 100'000; ++i) h.log.on(refused_event(h.now, "no"), h.engine());
  EXPECT_EQ(h.newest("submit").user, "alice");
}

TEST(DecisionLog, SaysSinceWhenNothingIsMissing) {
  DecisionHarness h;
  h.now += 1'000;
  h.log.note_start(h.now, "Weir 1", false);
  const TimeMs begun = h.now;
  const auto complete = [&](const char* kinds) {
    DecisionFilter filter;
    if (*kinds != 0) filter.kinds = {kinds};
    return h.log.read(filter, h.wall)->complete_since;
  };
  for (const char* kinds : {"refused", "job", "kill", ""}) EXPECT_EQ(complete(kinds), begun);
  for (int i = 1; i <= 65'536; ++i) h.log.on(refused_event(begun + i, "no"), h.engine());
  EXPECT_EQ(complete("refused"), begun);  // exactly what there is room for
  h.log.on(refused_event(begun + 70'000, "no"), h.engine());
  EXPECT_EQ(complete("refused"), begun + 513);
  EXPECT_EQ(complete(""), begun + 513);
  EXPECT_EQ(complete("job"), begun);
}

// Where what was kept goes further back than the start, it does so for its kinds.
TEST(DecisionLog, NothingIsMissingOfWhatWasKept) {
  auto kept = std::make_shared<DecisionSegment>();
  DecisionRecord& old = kept->next();
  old.number = 1;
  old.at = 5;
  old.kind = DecisionKind::kSubmit;
  kept->publish();
  DecisionLog log(100, {.rare = {}, .jobs = {kept}});
  log.note_start(1'000, "Weir 1", true);
  const WallClock wall;
  EXPECT_EQ(log.read({.kinds = {"submit"}}, wall)->complete_since, 5);
  EXPECT_EQ(log.read({.kinds = {"kill"}}, wall)->complete_since, 1'000);
  const auto page = log.read({}, wall);
  EXPECT_EQ(page->complete_since, 1'000);
  ASSERT_EQ(page->decisions.size(), 2u);
  EXPECT_EQ(page->decisions[0].event, "start");
  EXPECT_EQ(page->decisions[0].what, "Weir 1");
  EXPECT_NE(page->decisions[0].reason.value_or("").find("killed"), std::string::npos);
}

TEST(DecisionLog, WhatRanBeforeTheStartDoesNotStartAgain) {
  JobSnapshot job;
  job.job = JobId(7);
  auto spec = std::make_shared<JobSpec>();
  spec->user = "ann";
  spec->queue = job.queue = "default";
  spec->splits.resize(2);
  spec->reduces = 0;
  job.spec = spec;
  job.state = JobState::kRunning;
  Snapshot snapshot;
  snapshot.epoch = 2;
  snapshot.next_job = 8;
  snapshot.trackers = {{"tt1", Resources{{2, 0, 0, 0}}}};
  snapshot.jobs = {job};
  DecisionHarness h;
  h.start(snapshot);
  h.add_tracker("tt1");
  const AttemptKey ran{{JobId(7), TaskKind::kMap, 0}, 3};
  h.tracker("tt1").held[ran] = {.attempt = ran, .state = ReportedState::kRunning};
  h.heartbeat("tt1");
  EXPECT_EQ(h.events({.kinds = {"launch", "adopt", "job"}}), (Strings{"launch", "adopt"}));
  EXPECT_EQ(h.newest("adopt").task, "m0");
  EXPECT_EQ(h.newest("adopt").tracker, "tt1");
  EXPECT_EQ(h.newest("launch").task, "m1");
}

TEST(DecisionLog, LongTextsAreCutAndBoundedInAll) {
  DecisionHarness h;
  for (int i = 0; i < 150'000; ++i) {
    h.log.on(refused_event(h.now, std::to_string(i) + std::string(1'000, 'x')), h.engine());
    if (i > 0) continue;
    EXPECT_EQ(h.newest("refused").reason->size(), DecisionSegment::kTextBytes);
  }
  DecisionFilter refused;
  refused.kinds = {"refused"};
  refused.limit = 1'000'000;
  const std::size_t kept = h.events(refused).size();
  EXPECT_LT(kept * DecisionSegment::kTextBytes, std::size_t{24} << 20);
  EXPECT_GT(kept, 10'000u);
}

TEST(DecisionLog, KillsForOthersAreCountedOnceByLeafAndClass) {
  DecisionHarness h;
  h.add_queue(queue("a"));
  h.add_queue(queue("b"));
  h.add_tracker("tt1");
  h.submit({.queue = "a", .maps = 2});
  h.heartbeat("tt1");
  h.tell();
  const auto kill = [&](std::uint32_t task, KillReason reason) {
    KillOrdered fact;
    fact.attempt = {{JobId(1), TaskKind::kMap, task}, 0};
    fact.tracker = TrackerId(0);
    fact.reason = reason;
    fact.queue = *h.state().tree().find_path("a");
    fact.for_queue = *h.state().tree().find_path("b");
    h.log.on({0, h.now, SoftFact(fact)}, h.engine());
  };
  kill(0, KillReason::kReclaim);
  kill(1, KillReason::kJobKilled);
  KillCounts counts;
  const std::int64_t seen = h.log.count_kills(0, counts);
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts["a"][0], 1);
  kill(1, KillReason::kReclaim);
  counts.clear();
  const std::int64_t next = h.log.count_kills(seen, counts);
  EXPECT_EQ(counts["a"][0], 1);
  counts.clear();
  EXPECT_EQ(h.log.count_kills(next, counts), next);
  EXPECT_TRUE(counts.empty());
  // It is b's business, too.
  DecisionFilter of_b;
  of_b.queue = "b";
  EXPECT_EQ(h.events(of_b).size(), 3u);
}

// However many they are, and each with all slots of its task.
TEST(DecisionLog, KillsForOthersAreSummedOverTheTimeThatIsAsked) {
  DecisionHarness h;
  h.add_queue(queue("a"));
  h.add_tracker("tt1", {.map_slots = 4});
  h.submit({.queue = "a", .maps = 1, .slots_per_map = 2});
  h.heartbeat("tt1");
  h.tell();
  const auto kill = [&](TimeMs at, KillReason reason) {
    KillOrdered fact;
    fact.attempt = {{JobId(1), TaskKind::kMap, 0}, 0};
    fact.tracker = TrackerId(0);
    fact.reason = reason;
    fact.queue = *h.state().tree().find_path("a");
    fact.ran_ms = 100;
    h.log.on({0, at, SoftFact(fact)}, h.engine());
  };
  kill(h.now, KillReason::kReclaim);
  for (int i = 1; i <= 2'000; ++i) kill(h.now + i, KillReason::kFairShare);
  kill(h.now + 2'001, KillReason::kJobKilled);
  const KillSum all = h.log.kills_since(h.now);
  EXPECT_EQ(all.attempts, 2'001);
  EXPECT_EQ(all.slot_ms, 2'001 * 2 * 100);
  EXPECT_EQ(h.log.kills_since(h.now + 1'001).attempts, 1'000);
  EXPECT_EQ(h.newest("kill").slots, 2);
}

TEST(DecisionLog, WhatAContainerHadIsReadAsItWasWritten) {
  const std::vector<Amount> had = {{"memory_mb", 2048}, {"vcores", 2}, {"odd=name", 0}};
  EXPECT_EQ(container_text(had), "memory_mb=2048,vcores=2,odd=name=0");
  EXPECT_EQ(container_of(container_text(had)), had);
  EXPECT_TRUE(container_of("").empty());
}

TEST(DecisionLog, IsReadWhileItIsWritten) {
  DecisionHarness h;
  h.submit({});
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) {
      DecisionFilter filter;
      filter.limit = 5'000;
      const auto page = h.log.read(filter, h.wall);
      std::int64_t last = INT64_MAX;
      for (const DecisionView& decision : page->decisions) {
        EXPECT_LT(decision.number, last);
        EXPECT_EQ(decision.reason, "reason " + std::to_string(decision.number % 100));
        last = decision.number;
      }
    }
  });
  for (std::int64_t i = 1; i <= 100'000; ++i)
    h.log.on(refused_event(i, "reason " + std::to_string(i % 100)), h.engine());
  done = true;
  reader.join();
}

// No bound: what one decision costs the engine's thread, for whoever wants to know.
TEST(DecisionLog, CostsLittle) {
  DecisionHarness h;
  for (int i = 0; i < 40; ++i) h.add_tracker("tracker-with-a-name-" + std::to_string(i));
  h.submit({.user = "somebody", .maps = 1'000});
  AttemptLaunched fact;
  fact.queue = h.state().tree().leaves().front();
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    fact.attempt = {{JobId(1), TaskKind::kMap, i}, 0};
    fact.tracker = TrackerId(i % 40);
    events.push_back({0, h.now, SoftFact(fact)});
  }
  const auto cpu_ns = [] {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return used.tv_sec * 1'000'000'000 + used.tv_nsec;
  };
  const auto begun = cpu_ns();
  for (int round = 0; round < 100; ++round) {
    for (const Event& event : events) h.log.on(event, h.engine());
  }
  RecordProperty("ns_a_decision", std::to_string((cpu_ns() - begun) / 100'000));
  EXPECT_EQ(h.newest("launch").tracker, "tracker-with-a-name-39");
}

}  // namespace
}  // namespace weir::test
