// Reports and orders: there and back, refused when wrong, trimmed when only long.
#include "thrift/wire_tracker.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

Heartbeat full_report() {
  Heartbeat report;
  report.name = "tt1";
  report.incarnation = 77;
  report.key = "00ff";
  report.sequence = 5;
  AttemptReport attempt;
  attempt.attempt = {{JobId(3), TaskKind::kReduce, 4}, 1};
  attempt.state = ReportedState::kFailed;
  attempt.progress_millionths = 250'000;
  attempt.phase = TaskPhase::kShuffle;
  attempt.status = "copying";
  attempt.diagnostics = "exit 1";
  attempt.counters = std::make_shared<Counters>(Counters{{"g", {{"c", 9}}}});
  attempt.fetch_failures = {{2, 0}};
  attempt.compute_granted = false;
  attempt.age_ms = 12;
  attempt.started_at_ms = 1'700'000'000'000;
  attempt.finished_at_ms = 1'700'000'000'001;
  report.attempts.push_back(attempt);
  report.total = Resources{{2, 1, 1000, 4}};
  report.free_disk_mb = 12;
  report.accepts_tasks = false;
  report.low_disk = true;
  report.leaving = true;
  report.load_millionths = 5;
  report.held_jobs = {JobId(3)};
  report.duties = {{JobId(2), false, "no space", true, true}};
  report.health = "disk low";
  return report;
}

TEST(WireTracker, ReportComesBackAsItWas) {
  const wire::Heartbeat sent = to_wire(full_report());
  const auto report = from_wire(sent);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(to_wire(*report), sent);
  EXPECT_EQ(report->attempts[0].counters->at("g").at("c"), 9);
  EXPECT_EQ(report->key, "00ff");
  EXPECT_EQ(report->total, full_report().total);
  EXPECT_EQ(report->attempts[0].finished_at_ms, 1'700'000'000'001);
  EXPECT_FALSE(report->attempts[0].compute_granted);
  EXPECT_EQ(report->duties[0].succeed, true);
}

TEST(WireTracker, AbsentFieldsHaveTheirMeaning) {
  wire::Heartbeat sent;
  sent.name = "tt1";
  const auto report = from_wire(sent);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->accepts_tasks);
  EXPECT_EQ(report->free_disk_mb, -1);
  EXPECT_FALSE(report->total.has_value());
}

TEST(WireTracker, RefusesWrongReports) {
  const auto refused = [](auto spoil) {
    wire::Heartbeat report = to_wire(full_report());
    spoil(report);
    return !from_wire(report).ok();
  };
  EXPECT_TRUE(refused([](auto& r) { r.name = ""; }));
  EXPECT_TRUE(refused([](auto& r) { r.name = "two words"; }));
  EXPECT_TRUE(refused([](auto& r) { r.key = std::string(257, 'x'); }));
  EXPECT_TRUE(refused([](auto& r) { r.attempts[0].id.job = -3; }));
  EXPECT_TRUE(refused([](auto& r) { r.attempts[0].state = wire::AttemptState::type(9); }));
  EXPECT_TRUE(refused([](auto& r) { r.attempts[0].phase = wire::TaskPhase::type(-1); }));
  EXPECT_TRUE(refused([](auto& r) { r.attempts[0].fetch_failures[0].map_index = -1; }));
  EXPECT_TRUE(refused([](auto& r) { r.attempts[0].fetch_failures[0].map_attempt = -1; }));
  EXPECT_TRUE(refused([](auto& r) { r.held_jobs = {0}; }));
  EXPECT_TRUE(refused([](auto& r) { r.duties[0].job = INT64_MAX; }));
  EXPECT_TRUE(refused([](auto& r) { r.total.reduce_slots = -1; }));
}

TEST(WireTracker, TrimsWhatIsOnlyLong) {
  wire::Heartbeat sent = to_wire(full_report());
  std::string umlauts;
  for (int i = 0; i < 5000; ++i) umlauts += "ü";
  sent.attempts[0].__set_diagnostics("x" + umlauts);
  sent.attempts[0].progress_millionths = 7'000'000;
  for (int i = 0; i < 2000; ++i) sent.attempts[0].counters["many"][std::to_string(i)] = i;
  const auto report = from_wire(sent);
  ASSERT_TRUE(report.ok());
  const std::string& kept = report->attempts[0].diagnostics;
  EXPECT_EQ(kept.size(), 4095u);  // no half character at the end
  EXPECT_EQ(report->attempts[0].progress_millionths, 1'000'000);
  EXPECT_EQ(report->attempts[0].counters->at("g").size(), 1u);
  EXPECT_EQ(report->attempts[0].counters->at("many").size(), ReportLimits::kCounters - 1);
}

TEST(WireTracker, RegistrationIsChecked) {
  RegisterTracker model;
  model.name = "tt1";
  model.incarnation = 8;
  model.key = "00ff";
  model.host = "127.0.0.1";
  model.shuffle_port = 5000;
  model.total = Resources{{2, 2, 0, 0}};
  model.rack = "r1";
  model.local_paths = {"/data"};
  model.protections = {"cgroup: v2 memory, pids, cpu", "mounts: none: not root"};
  model.home = "abcd";
  model.ended_in_order = true;
  model.reported = 17;
  const wire::Registration good = to_wire(model);
  const auto back = from_wire(good);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(to_wire(*back), good);
  EXPECT_EQ(back->key, "00ff");
  wire::Registration talkative = good;
  talkative.protections.assign(30, std::string(1000, 'x'));
  EXPECT_EQ(from_wire(talkative)->protections, std::vector(20, std::string(500, 'x')));
  wire::Registration last_port = good;
  last_port.shuffle_port = 65'535;
  EXPECT_TRUE(from_wire(last_port).ok());
  for (const auto& spoil : std::vector<std::function<void(wire::Registration&)>>{
           [](auto& r) { r.name = ""; }, [](auto& r) { r.host = ""; },
           [](auto& r) { r.shuffle_port = 65'536; }, [](auto& r) { r.total.map_slots = -2; },
           [](auto& r) { r.total.reduce_slots = 100'001; }, [](auto& r) { r.rack = "a\tb"; },
           [](auto& r) { r.local_paths.assign(2000, "/x"); },
           [](auto& r) { r.key = std::string(257, 'x'); }}) {
    wire::Registration bad = good;
    spoil(bad);
    EXPECT_FALSE(from_wire(bad).ok());
  }
}

TEST(WireTracker, OrdersCarryTheirSplits) {
  const LaunchSplit split(Split{0, 10, 7, {"tt9"}, {{2, 0, 5}}});
  HeartbeatReply reply;
  reply.interval_ms = 300;
  reply.launch.push_back({{{JobId(1), TaskKind::kMap, 1}, 0}, split, true});
  reply.launch.push_back({{{JobId(1), TaskKind::kReduce, 0}, 0}, {}, false});
  reply.kill = {{{JobId(1), TaskKind::kMap, 0}, 3}};
  reply.compute_granted = {{{JobId(1), TaskKind::kReduce, 1}, 2}};
  reply.duties = {{JobId(4), true, "/out"}};
  const wire::HeartbeatReply out = to_wire(reply);
  EXPECT_EQ(out.launch[0].split.offset, 10);
  EXPECT_EQ(out.launch[0].split.length, 7);
  EXPECT_TRUE(out.launch[0].split.hosts.empty());
  ASSERT_EQ(out.launch[0].split.more.size(), 1u);
  EXPECT_EQ(out.launch[0].split.more[0].file, 2);
  EXPECT_EQ(out.launch[0].split.more[0].length, 5);
  EXPECT_FALSE(out.launch[1].__isset.split);
  EXPECT_FALSE(out.launch[1].compute_granted);
  EXPECT_EQ(out.kill[0].attempt, 3);
  EXPECT_EQ(out.duties[0].output, "/out");
  ASSERT_TRUE(out.__isset.compute_granted);
  EXPECT_EQ(out.compute_granted[0].attempt, 2);
  EXPECT_FALSE(to_wire(HeartbeatReply{}).__isset.compute_granted);
}

TEST(WireTracker, ReducesMayComputeUnlessTheirTrackerSaysNo) {
  wire::Heartbeat report;
  report.name = "tt1";
  report.attempts.resize(2);
  for (wire::AttemptStatus& status : report.attempts) {
    status.id.job = 1;
    status.id.kind = wire::TaskKind::REDUCE;
    status.phase = wire::TaskPhase::SORT;
  }
  report.attempts[1].__set_compute_granted(false);
  const auto taken = from_wire(report);
  ASSERT_TRUE(taken.ok());
  EXPECT_TRUE(taken->attempts[0].compute_granted);  // also what older trackers report
  EXPECT_FALSE(taken->attempts[1].compute_granted);
}

}  // namespace
}  // namespace weir
