// What is refused, with the exact words and positions, and what is accepted.
#include "conf/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "capacity/capacity_settings.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> findings(std::string_view text) {
  const auto loaded = load_settings_text("f", text);
  if (loaded) return loaded->settings.notices;
  EXPECT_EQ(loaded.error().code, ErrorCode::kSettingsRefused);
  EXPECT_FALSE(loaded.error().message.empty());
  return loaded.error().diagnostics;
}

Loaded good(std::string_view text) {
  auto loaded = load_settings_text("f", text);
  if (loaded) return std::move(*loaded);
  for (const std::string& line : loaded.error().diagnostics) ADD_FAILURE() << line;
  return {};
}

struct BadInput {
  const char* text;
  const char* finding;  // the only one
};

class Refused : public ::testing::TestWithParam<BadInput> {};

TEST_P(Refused, SaysWhereWhatAndWhatIsAllowed) {
  EXPECT_FALSE(load_settings_text("f", GetParam().text).ok());
  EXPECT_THAT(findings(GetParam().text), ElementsAre(GetParam().finding));
}

#define KEYS                                                                           \
  "policy, listen, store, heartbeat, capacity, fair, queues, limits, administrators, " \
  "finished_jobs_kept, tracker"
#define QUEUE_KEYS                                                                         \
  "name, parent, guaranteed, maximum, reclaim_after, lend_after, user_limit, priorities, " \
  "max_jobs, "                                                                             \
  "max_jobs_per_user, max_tasks_per_job, max_running_jobs, max_running_jobs_per_user, "    \
  "kill_budget, "                                                                          \
  "submit, administer, state, queues"
#define NOT_YAML                                                                                   \
  ", allowed: `key: value` lines indented with spaces, lists of `- item`, {flow: maps} and [flow " \
  "lists]"

INSTANTIATE_TEST_SUITE_P(
    Yaml, Refused,
    ::testing::Values(
        BadInput{"",
                 "f: holds no settings, allowed: at least one key, for example policy: capacity"},
        BadInput{"# nothing\n",
                 "f: holds no settings, allowed: at least one key, for example policy: capacity"},
        BadInput{"- a\n", "f:1:1: the file is a list, allowed: a map with the keys " KEYS},
        BadInput{"just text\n",
                 "f:1:1: the file is \"just text\", allowed: a map with the keys " KEYS},
        BadInput{"policy: capacity\nlisten: {thrift: 127.0.0.1:1\n",
                 "f:3:1: not YAML: end of map flow not found" NOT_YAML},
        BadInput{"policy: *nothing\n",
                 "f:1:9: not YAML: the referenced anchor is not defined" NOT_YAML},
        BadInput{"listen:\n\tthrift: 127.0.0.1:1\n",
                 "f:2:1: a tab in the indentation, allowed: spaces"},
        BadInput{"policy: fifo\n---\npolicy: fifo\n",
                 "f:2:1: something after the end of the YAML document, allowed: one document in a "
                 "file (no `---` within it)"},
        BadInput{"policy: \xff\n", "f:1:9: byte 0xff is not UTF-8, allowed: YAML text in UTF-8"},
        BadInput{"policy: \x1b[0m\n", "f:1:9: control character 0x1b, allowed: YAML text in UTF-8"},
        BadInput{"administrators: &a [x, *a]\n",
                 "f:1:24: an alias within the part it stands for, allowed: an alias to a part that "
                 "has ended"},
        BadInput{"[1]: 2\n", "f:1:1: a key is a list, allowed: " KEYS}));

INSTANTIATE_TEST_SUITE_P(
    Keys, Refused,
    ::testing::Values(
        BadInput{"polcy: fifo\n",
                 "f:1:1: unknown key \"polcy\", did you mean \"policy\"?, allowed: " KEYS},
        BadInput{"wholly_unlike_any: 1\n",
                 "f:1:1: unknown key \"wholly_unlike_any\", allowed: " KEYS},
        BadInput{"queues:\n  - name: a\n    guarantied: 100%\n",
                 "f:3:5: unknown key \"guarantied\" in queues.a, did you mean \"guaranteed\"?, "
                 "allowed: " QUEUE_KEYS},
        BadInput{
            "policy: fifo\nstore: {sqlite: x}\npolicy: capacity\n",
            "f:3:1: duplicate key \"policy\", first at line 1, column 1, allowed: each key once"},
        BadInput{"policy: fair\n", "f:1:9: policy is \"fair\", allowed: capacity, fifo"},
        BadInput{"policy:\n", "f:1:1: policy is empty, allowed: capacity, fifo"},
        BadInput{"fair: on\n", "f:1:7: fair is \"on\", allowed: a map"},
        BadInput{"capacity: {interval: 0s}\n",
                 "f:1:22: capacity.interval is \"0s\", allowed: a duration (300ms 5s 2m 1h) from "
                 "10ms to 1h"},
        BadInput{"capacity: {interval: 5}\n",
                 "f:1:22: capacity.interval is \"5\", allowed: a duration (300ms 5s 2m 1h) from "
                 "10ms to 1h"},
        BadInput{"capacity: {interval: never}\n",
                 "f:1:22: capacity.interval is \"never\", allowed: a duration (300ms 5s 2m 1h) "
                 "from 10ms to 1h"},
        BadInput{"capacity: {preemption: true}\n",
                 "f:1:24: capacity.preemption is \"true\", allowed: on, log_only, off"},
        BadInput{"heartbeat: {interval: 0s}\n",
                 "f:1:23: heartbeat.interval is \"0s\", allowed: auto, or a duration (300ms 5s 2m "
                 "1h) from 10ms to 1h"},
        BadInput{"heartbeat: {interval: 10s, expiry: 5s}\n",
                 "f:1:36: heartbeat.expiry is 5s, allowed: longer than the interval of 10s, or "
                 "every tracker is lost"},
        BadInput{"listen: {thrift: localhost}\n",
                 "f:1:18: listen.thrift is \"localhost\", allowed: HOST:PORT with a port from 0 "
                 "(any free one) to 65535"},
        BadInput{"listen: {thrift: 'localhost:65536'}\n",
                 "f:1:18: listen.thrift is \"localhost:65536\", allowed: HOST:PORT with a port "
                 "from 0 (any free one) to "
                 "65535"},
        BadInput{"listen: {thrift: 'h:1', trackers: 'h:1'}\n",
                 "f:1:35: listen.trackers is \"h:1\", allowed: another address than listen.thrift"},
        BadInput{"listen: {thrift: 'h:65535'}\n",
                 "f:1:18: listen.thrift has port 65535, so trackers have no next one, allowed: a "
                 "lower port, or "
                 "listen.trackers beside it"},
        BadInput{"store: {sqlite: ''}\n",
                 "f:1:17: store.sqlite is \"\", allowed: text that is not empty"},
        BadInput{"tracker: {map_slots: -1}\n",
                 "f:1:22: tracker.map_slots is \"-1\", allowed: an integer from 0 to 100000"},
        BadInput{"tracker: {map_slots: 0, reduce_slots: 0}\n",
                 "f:1:22: tracker.map_slots and tracker.reduce_slots are both 0, allowed: at least "
                 "one slot"},
        BadInput{"limits: {client_frame_bytes: 1KB}\n",
                 "f:1:30: limits.client_frame_bytes is \"1KB\", allowed: a size (64KiB 16MiB 1GiB) "
                 "from 1KiB to 1GiB"}));

#define PERCENT "a percentage from 0.01% to 100% with at most two decimals"
#define GUARANTEE                                                                              \
  "a percentage from 0% to 100% with at most two decimals, {map: 40%, reduce: 30%}, or slots " \
  "{map: 40, "                                                                                 \
  "reduce: 20}"

INSTANTIATE_TEST_SUITE_P(
    Queues, Refused,
    ::testing::Values(
        BadInput{
            "queues: []\n",
            "f:1:9: queues is an empty list, allowed: a list of queues, or no such key for one "
            "queue named default"},
        BadInput{"queues: {name: a}\n",
                 "f:1:9: queues is a map, allowed: a list of queues, or no such key for one queue "
                 "named default"},
        BadInput{"queues:\n  - guaranteed: 100%\n",
                 "f:2:5: queues[0] has no name, allowed: name: with 1 to 100 of A-Z a-z 0-9 _ -"},
        BadInput{"queues: [{name: a.b}]\n",
                 "f:1:17: queues[0].name is \"a.b\", allowed: 1 to 100 of A-Z a-z 0-9 _ -"},
        BadInput{"queues:\n  - name: a\n  - name: a\n",
                 "f:3:11: duplicate queue \"a\", first at line 2, column 11, allowed: names that "
                 "differ among siblings"},
        BadInput{"queues: [{name: a, guaranteed: 101%}]\n",
                 "f:1:32: queues.a.guaranteed is \"101%\", allowed: " GUARANTEE},
        BadInput{"queues: [{name: a, guaranteed: 40}]\n",
                 "f:1:32: queues.a.guaranteed is \"40\", allowed: " GUARANTEE},
        BadInput{"queues: [{name: a, guaranteed: 33.333%}]\n",
                 "f:1:32: queues.a.guaranteed is \"33.333%\", allowed: " GUARANTEE},
        BadInput{"queues: [{name: a, guaranteed: {map: -4}}]\n",
                 "f:1:38: queues.a.guaranteed.map is \"-4\", allowed: a percentage from 0% to 100% "
                 "with at most two "
                 "decimals, or a number of slots"},
        BadInput{"queues: [{name: a, maximum: 0%}]\n",
                 "f:1:29: queues.a.maximum is \"0%\", allowed: " PERCENT},
        BadInput{"queues: [{name: a, max_jobs: -1}]\n",
                 "f:1:30: queues.a.max_jobs is \"-1\", allowed: an integer from 0 to 1000000000, "
                 "or unlimited"},
        BadInput{"queues: [{name: a, state: drained}]\n",
                 "f:1:27: queues.a.state is \"drained\", allowed: running, stopped"},
        BadInput{"queues: [{name: a, user_limit: {factor: 0}}]\n",
                 "f:1:41: queues.a.user_limit.factor is \"0\", allowed: a number over 0 and up to "
                 "1000 with at most six "
                 "decimals, or unlimited"},
        BadInput{"queues: [{name: a, submit: ['al ice']}]\n",
                 "f:1:28: queues.a.submit has \"al ice\", allowed: users, @groups and \"*\", each "
                 "without spaces or "
                 "commas"},
        BadInput{"queues: [{name: a, reclaim_after: {map: 1d}}]\n",
                 "f:1:41: queues.a.reclaim_after.map is \"1d\", allowed: a duration (300ms 5s 2m "
                 "1h) from 0s to 8760h, "
                 "or never"}));

INSTANTIATE_TEST_SUITE_P(
    Families, Refused,
    ::testing::Values(
        BadInput{"queues:\n  - {name: a, guaranteed: 60%}\n  - {name: b, guaranteed: 39.99%}\n",
                 "f:2:27: map and reduce guarantees of the top queues total 99.99% (a 60%, b "
                 "39.99%), allowed: exactly "
                 "100%"},
        BadInput{"queues:\n  - {name: a, guaranteed: 60%}\n  - {name: b, guaranteed: 40.01%}\n",
                 "f:2:27: map and reduce guarantees of the top queues total 100.01% (a 60%, b "
                 "40.01%), allowed: exactly "
                 "100%"},
        BadInput{"queues:\n  - {name: a, guaranteed: {map: 60%, reduce: 50%}}\n  - {name: b, "
                 "guaranteed: {map: 40%, "
                 "reduce: 40%}}\n",
                 "f:2:27: reduce guarantees of the top queues total 90% (a 50%, b 40%), allowed: "
                 "exactly 100%"},
        BadInput{"queues:\n  - {name: a, guaranteed: 60%}\n  - {name: b, guaranteed: 50%}\n  - "
                 "name: c\n",
                 "f:2:27: map and reduce guarantees of the top queues total 110% (a 60%, b 50%), "
                 "allowed: exactly 100% "
                 "at most, the rest is for c"},
        BadInput{"queues:\n  - name: r\n    queues:\n    - {name: a, guaranteed: 60%}\n    - "
                 "{name: b, guaranteed: 30%}\n",
                 "f:4:29: map and reduce guarantees of the queues under r total 90% (a 60%, b "
                 "30%), allowed: exactly 100%"},
        BadInput{"queues:\n  - {name: a, guaranteed: 60%}\n  - {name: b, guaranteed: {map: 4, "
                 "reduce: 2}}\n",
                 "f:3:27: guarantees mix percentages (queue \"a\") and slots (queue \"b\"), "
                 "allowed: siblings that all "
                 "say percentages or all say slots"},
        BadInput{"queues:\n  - {name: a, guaranteed: {map: 4, reduce: 2}}\n  - {name: b}\n",
                 "f:2:27: map and reduce guarantees of the top queues are in slots but missing for "
                 "b, allowed: slots for "
                 "every sibling"},
        BadInput{"queues:\n  - {name: a, parent: b}\n  - {name: b, parent: a}\n",
                 "f:2:23: queues form a cycle, a under b under a, allowed: a tree"},
        BadInput{"queues:\n  - {name: a, parent: a}\n",
                 "f:2:23: queues form a cycle, a under a, allowed: a tree"},
        BadInput{
            "queues:\n  - name: a\n    parent: c\n    queues: [{name: b, queues: [{name: c}]}]\n",
            "f:3:13: queues form a cycle, a under c under b under a, allowed: a tree"},
        BadInput{"queues:\n  - {name: research}\n  - {name: a, parent: reserch}\n",
                 "f:3:23: queues.a.parent \"reserch\" is no queue, did you mean \"research\"?, "
                 "allowed: the dotted path "
                 "of a declared queue"},
        BadInput{"queues:\n  - {name: r}\n  - {name: a, parent: x.r}\n",
                 "f:3:23: queues.a.parent \"x.r\" is no queue, allowed: the dotted path of a "
                 "declared queue"},
        BadInput{"queues:\n  - {name: r, queues: [{name: x}]}\n  - {name: s, queues: [{name: "
                 "x}]}\n  - {name: a, parent: "
                 "x}\n",
                 "f:4:23: queues.a.parent \"x\" could be any of 2 queues, allowed: the dotted path "
                 "of one"},
        BadInput{"queues:\n  - name: r\n    queues: [{name: x, parent: r}]\n",
                 "f:3:32: queues.r.x.parent stands in a queue that is nested in its parent "
                 "already, allowed: one of the "
                 "two"}));

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
limits: {max_connections: 5, read_timeout: 1s, idle_timeout: 2s, buffered_bytes: 32MiB,
         tracker_frame_bytes: 64KiB, client_frame_bytes: 1MiB}
tracker: {name: t, map_slots: 3, reduce_slots: 1, memory_mb: 512, vcores: 4, rack: r1,
          hosts: [/data], work_dir: /w, min_free_disk_mb: 1, listen: h:5}
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
  EXPECT_EQ(s.policy, "fifo");
  EXPECT_EQ(s.heartbeat, (HeartbeatSettings{2000, 50, 7, 60'000, 9}));
  EXPECT_EQ(s.finished_jobs_kept_ms, 7'200'000);
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
  EXPECT_EQ(loaded.daemon.limits, (RpcLimits{5, 1000, 2000, 32 << 20, 64 << 10, 1 << 20}));
  EXPECT_EQ(loaded.daemon.administrators, s.administrators);
  EXPECT_EQ(loaded.tracker,
            (TrackerSettings{"t", 3, 1, 512, 4, "r1", {"/data"}, "/w", 1, {"h", 5}}));
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
  EXPECT_THAT(
      findings("fair: {allocations: x}\n"),
      ElementsAre("f:1:7: warning: the fair policy is not part of this build; section ignored"));
  EXPECT_THAT(findings("queues:\n  - {name: a, guaranteed: 60%, maximum: 50%}\n  - {name: b}\n"),
              ElementsAre("f:2:41: warning: queue \"a\" may hold at most 50.00% of the cluster but "
                          "is guaranteed 60.00%, "
                          "so the guarantee is its maximum"));
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

TEST(Load, DeepNestingIsRefusedNotSuffered) {
  for (const std::string open : {"[", "{a: ", "- ", "? "}) {
    std::string text = "queues:\n  ";
    while (text.size() + open.size() < kMaxSettingsBytes) text += open;
    EXPECT_FALSE(load_settings_text("f", text).ok()) << open;
  }
  std::string nested;
  for (int i = 0; i < 33; ++i) nested += "queues: [{name: a, ";
  nested += "state: running";
  for (int i = 0; i < 33; ++i) nested += "}]";
  EXPECT_THAT(findings(nested),
              ElementsAre(HasSubstr("is at depth 33, allowed: 32 levels of queues")));
  std::string chain = "queues:\n  - {name: q0}\n";
  for (int i = 1; i < 5000; ++i) {
    chain += "  - {name: q" + std::to_string(i) + ", parent: q" + std::to_string(i - 1) + "}\n";
  }
  EXPECT_THAT(findings(chain), ElementsAre(HasSubstr("allowed: 32 levels of queues")));
}

TEST(Load, AliasesServeButBombsDoNot) {
  const auto loaded = good("administrators: &team [a, b]\nqueues: [{name: q, submit: *team}]\n");
  EXPECT_THAT(*loaded.settings.queues[0].submit, ElementsAre("a", "b"));
  std::string bomb = "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string below = "*l" + std::to_string(i - 1);
    bomb += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [" + below;
    for (int j = 1; j < 10; ++j) bomb += ", " + below;
    bomb += "]\n";
  }
  EXPECT_THAT(findings(bomb),
              ElementsAre(HasSubstr("aliases and values make more than 1000000 nodes here")));
}

TEST(Load, BigSettings) {
  std::string text = "queues:\n";
  for (int i = 0; i < 10'000; ++i)
    text += "  - {name: queue" + std::to_string(i) + ", maximum: 50%}\n";
  EXPECT_EQ(good(text).settings.queues.size(), 10'000u);
  EXPECT_THAT(findings(text + "  - {name: more}\n"),
              ElementsAre("f:10002:5: more queues than 10000, allowed: at most that many"));
  std::string flat = "queues:\n  - {name: r}\n";
  for (int i = 0; i < 9'000; ++i) flat += "  - {name: queue" + std::to_string(i) + ", parent: r}\n";
  EXPECT_EQ(good(flat).settings.queues[0].queues.size(), 9'000u);
  EXPECT_THAT(
      findings(std::string(kMaxSettingsBytes + 1, ' ')),
      ElementsAre("f: is larger than 1048576 bytes, allowed: a settings file of at most 1 MiB"));
  std::string wrong = "queues:\n";
  for (int i = 0; i < 2'000; ++i) wrong += "  - {nmae: x}\n";
  EXPECT_EQ(findings(wrong).back(), "f: 3500 more findings are not shown");
}

std::string read_whole(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The samples stand beside this checkout's tests.
const std::string kConf = (std::filesystem::path(__FILE__).parent_path() / "../../conf").string();

TEST(Load, GarbageIsRefusedWithoutHarm) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string garbage(1 + random() % 2000, '\0');
    for (char& c : garbage) c = static_cast<char>(random());
    EXPECT_FALSE(load_settings_text("f", garbage).ok());
  }
  // A good file with a few bytes changed, cut or doubled: any answer but a crash.
  const std::string sample = read_whole(kConf + "/weir.yaml");
  constexpr std::string_view kBytes = "{}[]:,&*!|>'\"%@`#-? \n\tab1";
  for (int i = 0; i < 1500; ++i) {
    std::string text = sample;
    for (int change = 0; change < 4; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          text.erase(at, random() % 40);
          break;
        default:
          text.insert(at, 1, kBytes[random() % kBytes.size()]);
      }
    }
    const auto loaded = load_settings_text("f", text);
    EXPECT_TRUE(loaded.ok() || !loaded.error().diagnostics.empty());
  }
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
  EXPECT_EQ(message(base), base + ": is no regular file, allowed: a settings file");
  ASSERT_EQ(mkfifo((base + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(message(base + "/fifo"), base + "/fifo: is no regular file, allowed: a settings file");
  std::ofstream(base + "/good.yaml") << "policy: fifo\n";
  const auto loaded = load_settings(base + "/good.yaml");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->settings.source, base + "/good.yaml");
  std::filesystem::remove_all(base);
}

TEST(Load, SamplesAreRight) {
  for (const std::string name : {"/weir.yaml", "/local.yaml"}) {
    const auto loaded = load_settings(kConf + name);
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
