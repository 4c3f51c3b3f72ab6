// What is refused, with the exact words and positions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conf/findings.h"
#include "conf/load.h"

namespace weir {
namespace {

using ::testing::ElementsAre;

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
  "policy, listen, store, heartbeat, capacity, fair, queues, removed_queues, limits, " \
  "administrators, "                                                                   \
  "finished_jobs_kept, finished_jobs_at_most, history, event_log, tracker, speculation, " \
  "tracker_faults, resources, containers, conf"
#define QUEUE_KEYS                                                                         \
  "name, parent, guaranteed, maximum, borrow, lend, reclaim_after, lend_after, "           \
  "user_limit, priorities, max_jobs, "                                                     \
  "max_jobs_per_user, max_tasks_per_job, max_running_jobs, max_running_jobs_per_user, "    \
  "kill_budget, "                                                                          \
  "submit, administer, state, queues"
#define FAIR_KEYS                                                                          \
  "allocations, pools, users, defaults, pool_name_property, undeclared_pools, algorithm, " \
  "update_interval, preemption, preemption_interval, assign_multiple, max_maps, "          \
  "max_reduces, size_based_weight, new_job_booster, weight_adjuster, load_manager, "       \
  "load_max_diff, task_selector, event_log, locality_delay, copy_compute_split, copy_factor"
#define ONE_KEY "at least one key, for example policy: capacity"
#define NOT_YAML                                                                                   \
  ", allowed: `key: value` lines indented with spaces, lists of `- item`, {flow: maps} and [flow " \
  "lists]"

TEST(RefusedLists, NameAllThatIsWrongInThem) {
  const auto found = findings("administrators: [root, 'a b', '@', \"*\"]\n"
                              "queues: [{name: a, submit: ['x,y', bob, 'c d']}]\n");
  const std::string allowed = ", allowed: users, @groups and \"*\", each without spaces or commas";
  EXPECT_EQ(found, (std::vector<std::string>{"f:1:24: administrators has \"a b\"" + allowed,
                                             "f:1:31: administrators has \"@\"" + allowed,
                                             "f:2:29: queues.a.submit has \"x,y\"" + allowed,
                                             "f:2:41: queues.a.submit has \"c d\"" + allowed}));
}

TEST(RefusedGuarantees, NameAQueueWithoutANameByItsPlace) {
  EXPECT_THAT(findings("queues:\n- {name: a, guaranteed: 50%}\n- {name: b, guaranteed: 51%}\n"
                       "- {name: 'c d'}\n"),
              ElementsAre("f:2:25: map and reduce guarantees of the top queues total 101% (a 50%, "
                          "b 51%), allowed: 100% at most, the rest is for the queue at line 4, "
                          "column 3",
                          "f:4:10: queues[2].name is \"c d\", allowed: 1 to 100 of A-Z a-z 0-9 "
                          "_ -"));
}

TEST(RefusedContainers, AreToldInAmounts) {
  const std::string head = "resources: containers\n";
  EXPECT_EQ(findings(head + "queues:\n- {name: a, guaranteed: 60%}\n"
                            "- {name: b, guaranteed: {vcores: 2}}\n")
                .at(0),
            "f:4:25: guarantees mix percentages (queue \"a\") and amounts (queue \"b\"), allowed: "
            "siblings that all say percentages or all say amounts");
  EXPECT_EQ(findings(head + "containers: {minimum: {memory_mb: 512}, maximum: {memory_mb: 256}}\n")
                .at(0),
            "f:2:50: containers.maximum.memory_mb is 256, below containers.minimum.memory_mb, "
            "which is 512, allowed: at least that");
  // No tracker may offer it.
  EXPECT_EQ(findings(head + "containers: {resources: [gpu, cores]}\n").at(0),
            "f:2:31: containers.resources has \"cores\": every tracker has vcores, allowed: names "
            "that are not like memory_mb or vcores");
  EXPECT_EQ(findings(head + "queues: [{name: a, lend: {vcores: some}}]\n").at(0),
            "f:2:35: queues.a.lend.vcores is \"some\", allowed: all, never, a percentage from 0% "
            "to 100% with at most two decimals, or an amount up to 1000000000");
  EXPECT_EQ(findings(head + "queues: [{name: a, borrow: {vcores: all}}]\n").at(0),
            "f:2:37: queues.a.borrow.vcores is \"all\", allowed: never, a percentage from 0% "
            "to 100% with at most two decimals, or an amount up to 1000000000");
}

INSTANTIATE_TEST_SUITE_P(
    Yaml, Refused,
    ::testing::Values(
        BadInput{"",
                 "f:1:1: holds no settings, allowed: " ONE_KEY},
        BadInput{"# nothing\n",
                 "f:1:1: holds no settings, allowed: " ONE_KEY},
        BadInput{"# nothing\n\n  {}\n",
                 "f:3:3: holds no settings, allowed: " ONE_KEY},
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
        BadInput{"policy: fare\n", "f:1:9: policy is \"fare\", allowed: capacity, fair, fifo"},
        BadInput{"policy:\n", "f:1:1: policy is empty, allowed: capacity, fair, fifo"},
        BadInput{"fair: on\n", "f:1:7: fair is \"on\", allowed: a map with the keys " FAIR_KEYS},
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
        BadInput{"tracker: {task_open_files: 3}\n",
                 "f:1:28: tracker.task_open_files is \"3\", allowed: an integer from 16 to "
                 "1000000"},
        BadInput{"tracker: {task_environment: [HOME, A=b]}\n",
                 "f:1:29: tracker.task_environment has \"A=b\", allowed: names of environment "
                 "variables, without values"},
        BadInput{"tracker: {map_slots: 0, reduce_slots: 0}\n",
                 "f:1:22: tracker.map_slots and tracker.reduce_slots are both 0, allowed: at least "
                 "one slot"},
        BadInput{"limits: {max_trackers: 0}\n",
                 "f:1:24: limits.max_trackers is \"0\", allowed: an integer from 1 to 1000000"},
        BadInput{"limits: {client_frame_bytes: 1KB}\n",
                 "f:1:30: limits.client_frame_bytes is \"1KB\", allowed: a size (64KiB 16MiB 1GiB) "
                 "from 1KiB to 1GiB"},
        BadInput{"limits: {user_job_bytes: 10}\n",
                 "f:1:26: limits.user_job_bytes is \"10\", allowed: a size (64KiB 16MiB 1GiB) "
                 "from 1MiB to 1024GiB"}));

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
                 "decimals, or a number of slots up to 1000000000"},
        // That the guarantee of the maps is missing does not come, too.
        BadInput{"queues:\n  - {name: a, guaranteed: {map: 1000000001, reduce: 2}}\n  - {name: b, "
                 "guaranteed: {map: 1, reduce: 2}}\n",
                 "f:2:33: queues.a.guaranteed.map is \"1000000001\", allowed: a percentage from 0% "
                 "to 100% with at most two decimals, or a number of slots up to 1000000000"},
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
                 "f:1:29: queues.a.submit has \"al ice\", allowed: users, @groups and \"*\", each "
                 "without spaces or "
                 "commas"},
        BadInput{"administrators: 'root, ops'\n",
                 "f:1:17: administrators has \"root, ops\", allowed: users, @groups and \"*\", "
                 "each without spaces or commas"},
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
                 "allowed: 100% at most, the rest is for c"},
        BadInput{"queues:\n  - {name: a, guaranteed: {map: 3, reduce: 50%}}\n",
                 "f:2:27: guarantees mix percentages (reduce of queue \"a\") and slots (map of "
                 "queue \"a\"), allowed: siblings that all say percentages or all say slots"},
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

}  // namespace
}  // namespace weir
