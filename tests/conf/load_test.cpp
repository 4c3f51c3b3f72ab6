// What is accepted, and what becomes of it.
#include "conf/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "capacity/capacity_settings.h"
#include "conf/findings.h"
#include "fair/fair_settings.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Load, ReportsAllErrorsAtOnceInFileOrder) {
  const auto lines = findings(
      "polcy: fifo\n"
      "heartbeat: {interval: soon}\n"
      "queues:\n"
      "  - {name: a, guaranteed: 60%, maximum: 200%}\n"
      "  - {name: a, guaranteed: 30%, state: off}\n"
      "capacity: {interval: 1}\n");
  ASSERT_EQ(lines.size(), 7u);
  const char* places[] = {
      "f:1:1: ", "f:2:23: ", "f:4:27: ", "f:4:41: ", "f:5:12: ", "f:5:39: ", "f:6:22: "};
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_TRUE(lines[i].starts_with(places[i])) << lines[i];
  EXPECT_EQ(load_settings_text("f", "a: 1\nb: 1\n").error().message,
            "f: 2 errors, the settings are refused");
}

TEST(Load, ReadsEveryKey) {
  const Loaded loaded = good(R"(
policy: fifo
listen: {thrift: 0.0.0.0:0, http: '[::1]:80'}
store: {sqlite: ':memory:'}
heartbeat: {interval: 2s, floor: 50ms, per_second: 7, expiry: 1m, out_of_band_per_second: 9}
capacity: {interval: 2s, redistribute_by: demand, preemption: log_only}
administrators: [root, "@ops"]
finished_jobs_kept: 2h
finished_jobs_at_most: 500
history: {keep: 48h, at_most: 2000}
limits: {max_connections: 5, max_trackers: 6, read_timeout: 1s, idle_timeout: 2s,
         buffered_bytes: 32MiB, tracker_frame_bytes: 64KiB, client_frame_bytes: 1MiB,
         job_bytes: 2GiB, user_job_bytes: 100MiB}
tracker: {name: t, map_slots: 3, reduce_slots: 1, memory_mb: 512, vcores: 4, rack: r1,
          hosts: [/data], work_dir: /w, min_free_disk_mb: 1, listen: h:5, job_disk_mb: 0,
          log_keep: never, log_stream_mb: 2, log_job_mb: 3, log_total_mb: 4, task_memory_mb: 5,
          task_processes: 6, task_user_processes: 7, task_open_files: 80, task_file_mb: 9,
          task_core_mb: 10, task_environment: [JAVA_HOME], task_cgroups: false, task_mounts: false,
          map_output_codec: zstd}
queues:
  - name: research
    guaranteed: {map: 40%, reduce: 30%}
    maximum: 80%
    reclaim_after: {map: 60s, reduce: never}
    lend_after: 3s
    user_limit: {minimum: 25%, factor: 1.5, mode: hard}
    priorities: false
    max_jobs: 1000
    max_jobs_per_user: 10
    max_tasks_per_job: 20
    max_running_jobs: 30
    max_running_jobs_per_user: unlimited
    kill_budget: 50
    submit: ["alice", "@research"]
    administer: []
    state: stopped
  - {name: rest}
)");
  const Settings& s = loaded.settings;
  EXPECT_EQ(s.job_bytes, (JobBytesSettings{.in_all = 2LL << 30, .per_user = 100LL << 20}));
  EXPECT_EQ(s.policy, "fifo");
  EXPECT_EQ(s.heartbeat, (HeartbeatSettings{2000, 50, 7, 60'000, 9}));
  EXPECT_EQ(s.finished_jobs_kept_ms, 7'200'000);
  EXPECT_EQ(s.finished_jobs_at_most, 500);
  EXPECT_EQ(s.history, (HistorySettings{48 * 3'600'000, 2000}));
  EXPECT_THAT(s.administrators, ElementsAre("root", "@ops"));
  const auto& capacity = dynamic_cast<const CapacitySettings&>(*s.policies.at("capacity"));
  EXPECT_EQ(capacity.interval_ms, 2000);
  EXPECT_EQ(capacity.redistribute_by, CapacitySettings::RedistributeBy::kDemand);
  EXPECT_EQ(capacity.preemption, CapacitySettings::Preemption::kLogOnly);
  ASSERT_EQ(s.queues.size(), 2u);
  QueueSettings research;
  research.name = "research";
  research.guaranteed[0] = {Guarantee::Unit::kPercent, 4000};
  research.guaranteed[1] = {Guarantee::Unit::kPercent, 3000};
  research.maximum_hundredths = 8000;
  research.reclaim_after_ms[0] = 60'000;
  research.reclaim_after_ms[1] = kNever;
  research.lend_after_ms = 3000;
  research.user_limit = {2500, 1'500'000, UserLimit::Mode::kHard};
  research.priorities = false;
  research.stopped = true;
  research.max_jobs = 1000;
  research.max_jobs_per_user = 10;
  research.max_tasks_per_job = 20;
  research.max_running_jobs = 30;
  research.kill_budget = 50;
  research.submit = std::vector<std::string>{"alice", "@research"};
  research.administer = std::vector<std::string>{};
  EXPECT_EQ(s.queues[0], research);
  EXPECT_EQ(loaded.daemon.listen_thrift, (HostPort{"0.0.0.0", 0}));
  EXPECT_EQ(loaded.daemon.listen_trackers, (HostPort{"0.0.0.0", 0}));
  EXPECT_EQ(loaded.daemon.listen_http, (HostPort{"::1", 80}));
  EXPECT_EQ(loaded.daemon.store_path, ":memory:");
  EXPECT_EQ(loaded.daemon.limits, (RpcLimits{5, 1000, 2000, 32 << 20, 64 << 10, 1 << 20, 6}));
  EXPECT_EQ(loaded.daemon.administrators, s.administrators);
  EXPECT_EQ(loaded.tracker,
            (TrackerSettings{"t", 3, 1, 512, 4, "r1", {"/data"}, "/w", 1, 0,
                             TaskSettings{5, 6, 7, 80, 9, 10, {"JAVA_HOME"}, false, false,
                                          MapOutputCodec::kZstd},
                             LogSettings{kNever, 2, 3, 4}, {"h", 5}}));
}

TEST(Load, DefaultsWhenNothingIsSaid) {
  const Loaded loaded = good("policy: capacity\nlimits:\n");
  ASSERT_EQ(loaded.settings.queues.size(), 1u);
  EXPECT_EQ(loaded.settings.queues[0].name, "default");
  EXPECT_EQ(loaded.daemon, DaemonSettings{});
  EXPECT_EQ(loaded.tracker, TrackerSettings{});
  EXPECT_EQ(loaded.settings.heartbeat, HeartbeatSettings{});
  EXPECT_EQ(loaded.settings.text, "policy: capacity\nlimits:\n");
  EXPECT_EQ(loaded.settings.source, "f");
  EXPECT_EQ(good("listen: {thrift: 'h:7000'}").daemon.listen_trackers, (HostPort{"h", 7001}));
}

TEST(Load, FlatAndNestedFormsMakeTheSameTree) {
  const auto nested =
      good("queues: [{name: a, queues: [{name: b, queues: [{name: c}, {name: d}]}]}, {name: e}]\n");
  // Children before parents, whole paths and unique last parts.
  const auto flat = good(
      "queues: [{name: c, parent: a.b}, {name: d, parent: b}, {name: a}, {name: b, parent: a}, "
      "{name: e}]\n");
  EXPECT_EQ(nested.settings.queues, flat.settings.queues);
  // A path through a queue that was itself found by its last part.
  const auto odd = good(
      "queues: [{name: y, parent: p}, {name: z, parent: y}, {name: r, queues: [{name: p}]}]\n");
  ASSERT_EQ(odd.settings.queues.size(), 1u);
  EXPECT_EQ(odd.settings.queues[0].queues[0].queues[0].queues[0].name, "z");
}

TEST(Load, WarningsStayVisibleAsNotices) {
  EXPECT_THAT(findings("queues:\n  - {name: a, guaranteed: 60%, maximum: 50%}\n  - {name: b}\n"),
              ElementsAre("f:2:41: warning: queue \"a\" has a maximum of 50.00% of the cluster but "
                          "is guaranteed 60.00%; the guarantee is the maximum then"));
  EXPECT_THAT(findings("queues:\n  - {name: a, guaranteed: {map: 3, reduce: 1}}\n"),
              ElementsAre("f:2:27: warning: guarantees of the top queues in slots are ratios, "
                          "scaled to the slots there "
                          "are"));
  EXPECT_THAT(findings("queues:\n  - {name: a, max_jobs: 3, queues: [{name: b}]}\n"),
              ElementsAre("f:2:25: warning: queues.a.max_jobs has no effect: jobs live in leaf "
                          "queues, this one has "
                          "children"));
  EXPECT_THAT(findings("queues:\n  - {name: a, guaranteed: 100%}\n  - {name: b}\n"),
              ElementsAre(HasSubstr("f:3:12: warning: queue \"b\" is guaranteed no map slots"),
                          HasSubstr("f:3:12: warning: queue \"b\" is guaranteed no reduce slots")));
}

TEST(Load, AcceptsSumsThatAreExact) {
  EXPECT_THAT(findings("queues: [{name: a, guaranteed: 33.33%}, {name: b, guaranteed: 33.33%}, "
                       "{name: c, guaranteed: "
                       "33.34%}]\n"),
              IsEmpty());
  EXPECT_THAT(findings("queues: [{name: a, guaranteed: 33.33%}, {name: b}, {name: c}]\n"),
              IsEmpty());
}

TEST(Load, Files) {
  char folder[] = "/tmp/weir_conf_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string base = folder;
  const auto message = [](const std::string& file) { return load_settings(file).error().message; };
  EXPECT_EQ(message(base + "/none"),
            base +
                "/none: cannot be opened: No such file or directory, allowed: a settings file "
                "that can be read");
  EXPECT_EQ(message(base),
            base + ": is no regular file, allowed: a settings file that can be read");
  ASSERT_EQ(mkfifo((base + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(message(base + "/fifo"),
            base + "/fifo: is no regular file, allowed: a settings file that can be read");
  std::ofstream(base + "/good.yaml") << "policy: fifo\n";
  const auto loaded = load_settings(base + "/good.yaml");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->settings.source, base + "/good.yaml");
  std::filesystem::remove_all(base);
}

// What is commented out in the sample is right, too.
TEST(Load, TheSamplesFairSectionIsRight) {
  std::ifstream sample(conf_folder() + "/weir.yaml");
  std::string text, line;
  while (std::getline(sample, line)) {
    if (text.empty() && line != "#fair:") continue;
    if (line.empty()) break;
    text += line.substr(1) + "\n";
  }
  const auto loaded = good(text);
  const auto& fair = dynamic_cast<const FairSettings&>(*loaded.settings.policies.at("fair"));
  EXPECT_THAT(loaded.settings.notices, testing::IsEmpty());
  EXPECT_EQ(fair.pools.size(), 1u);
  // Cut short anywhere it is good or refused, and nothing worse.
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto cut = load_settings_text("f", text.substr(0, size));
    EXPECT_TRUE(cut.ok() || !cut.error().diagnostics.empty());
  }
}

TEST(Load, FaultsOfTrackers) {
  const auto read = [](const std::string& text) { return good(text).settings.tracker_faults; };
  EXPECT_EQ(read("policy: fifo"), (TrackerFaultSettings{4, 24LL * 3600 * 1000}));
  EXPECT_EQ(read("tracker_faults: {at_most: 2, forget_after: 1h}"),
            (TrackerFaultSettings{2, 3'600'000}));
  EXPECT_EQ(read("tracker_faults: {at_most: unlimited}").at_most, std::nullopt);
  EXPECT_EQ(findings("tracker_faults: {at_most: 0, forget_after: never, forgot: 1}").size(), 3u);
}

TEST(Load, StragglersHaveSecondAttemptsUnlessItSaysOtherwise) {
  const auto read = [](const std::string& text) { return good(text).settings.speculation; };
  EXPECT_EQ(read("policy: fifo"), (SpeculationSettings{{true, true}, 60'000, 200'000}));
  EXPECT_EQ(read("speculation: off"), (SpeculationSettings{{false, false}, 60'000, 200'000}));
  EXPECT_EQ(read("speculation: {maps: off, after: 5s, lag: 12.5%}"),
            (SpeculationSettings{{false, true}, 5000, 125'000}));
  EXPECT_THAT(findings("speculation: perhaps"),
              ElementsAre(HasSubstr("speculation is \"perhaps\", allowed: off, on")));
  EXPECT_EQ(findings("speculation: {lag: 101%, reduces: 1, afer: 2s}").size(), 3u);
}

TEST(Load, SamplesAreRight) {
  for (const std::string name : {"/weir.yaml", "/local.yaml"}) {
    const auto loaded = load_settings(conf_folder() + name);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_THAT(loaded->settings.notices, IsEmpty());
    ASSERT_EQ(loaded->settings.queues.size(), 2u);
    EXPECT_EQ(loaded->settings.queues[0].name, "research");
    EXPECT_EQ(loaded->settings.queues[0].guaranteed[0].amount, 6000);
    EXPECT_EQ(loaded->settings.queues[1].name, "production");
    EXPECT_EQ(loaded->settings.queues[1].guaranteed[1].amount, 4000);
    EXPECT_THAT(*loaded->settings.queues[0].submit, ElementsAre("*"));
  }
}

}  // namespace
}  // namespace weir
