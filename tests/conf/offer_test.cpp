// What a tracker offers where containers count, in settings and on the command line; and job files.
#include <gtest/gtest.h>

#include "conf/job_file.h"
#include "conf/load.h"
#include "conf/offer_section.h"

namespace weir {
namespace {

Result<Loaded> loaded(const std::string& tracker) {
  return load_settings_text("w.yaml", "queues: [{name: a, guaranteed: 100%}]\ntracker: " + tracker +
                                          "\n");
}

std::string refusal(const std::string& tracker) {
  const auto read = loaded(tracker);
  return read.ok() ? "taken" : read.error().diagnostics.at(0);
}

TEST(Offer, IsReadFromTheSettings) {
  const auto read = loaded(
      "{offer: {memory_mb: 4096, vcores: auto, gpu: 2}, labels: {disk: ssd}, "
      "port_range: 20000-20009}");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const TrackerSettings& tracker = read->tracker;
  ASSERT_TRUE(tracker.offer.has_value());
  EXPECT_EQ(tracker.offer->memory_mb, 4096);
  EXPECT_FALSE(tracker.offer->vcores.has_value());
  EXPECT_EQ(tracker.offer->named, (std::map<std::string, std::int64_t>{{"gpu", 2}}));
  EXPECT_EQ(tracker.labels.at("disk"), "ssd");
  EXPECT_EQ(tracker.ports.count(), 10);
  EXPECT_FALSE(loaded("{}")->tracker.offer.has_value());
  EXPECT_TRUE(loaded("{offer: auto}")->tracker.offer.has_value());
}

// Which registration would refuse for ever.
TEST(Tracker, ANameThatCannotRegisterIsRefused) {
  EXPECT_EQ(refusal("{name: 'a b'}"),
            "w.yaml:2:17: tracker.name: 'a b' has a space in it, allowed: a tracker's name in one "
            "word");
  EXPECT_EQ(refusal("{name: " + std::string(257, 'n') + "}"),
            "w.yaml:2:17: tracker.name: is 257 bytes long, allowed: at most 256 bytes");
  EXPECT_EQ(refusal("{name: " + std::string(256, 'n') + "}"), "taken");
}

TEST(Offer, WhatIsWrongIsSaidByItsPlace) {
  EXPECT_EQ(refusal("{offer: {memory_mb: -1}}"),
            "w.yaml:2:30: tracker.offer.memory_mb is \"-1\", allowed: 0 to 1099511627776, auto");
  EXPECT_EQ(refusal("{offer: {gpu: auto}}"),
            "w.yaml:2:24: tracker.offer.gpu is \"auto\", allowed: 0 to 100000");
  EXPECT_EQ(refusal("{offer: much}"),
            "w.yaml:2:18: tracker.offer is \"much\", allowed: auto, or amounts by name, "
            "{memory_mb: auto, gpu: 2}");
  EXPECT_EQ(refusal("{labels: {rack: r1}}"),
            "w.yaml:2:26: tracker.labels: label rack: every tracker has it, allowed: other labels "
            "than name and rack");
  for (const char* range : {"80-90", "20009-20000", "20000", "20000-70000"}) {
    EXPECT_EQ(refusal(std::string("{port_range: ") + range + "}"),
              std::string("w.yaml:2:23: tracker.port_range is \"") + range +
                  "\", allowed: FIRST-LAST, ports from 1024 to 65535");
  }
}

TEST(Offer, IsReadFromTheCommandLine) {
  const auto offer = parse_offer("memory_mb=100,vcores=auto,gpu=1");
  ASSERT_TRUE(offer.ok());
  EXPECT_EQ(offer->memory_mb, 100);
  EXPECT_EQ(offer->named.at("gpu"), 1);
  EXPECT_TRUE(parse_offer("auto").ok());
  EXPECT_EQ(parse_offer("gpu=many").error().message, "gpu=many");
  EXPECT_EQ(parse_offer("gpu").error().message, "'gpu' is no amount");
  EXPECT_EQ(parse_labels({"zone=a=b"})->at("zone"), "a=b");
  EXPECT_FALSE(parse_labels({"zone"}).ok());
  EXPECT_FALSE(parse_labels({"name=x"}).ok());
}

TEST(Offer, WhatIsSaidTwiceOrMisspeltIsRefused) {
  EXPECT_EQ(parse_offer("gpu=1,gpu=2").error().message, "gpu is said twice");
  EXPECT_EQ(parse_labels({"disk=ssd", "disk=hdd"}).error().message, "label disk is said twice");
  for (const char* name : {"memroy_mb", "memory", "mem", "memory_gb", "MEMORY_MB"}) {
    EXPECT_EQ(parse_offer(name + std::string("=4")).error().message,
              name + std::string("=4: did you mean memory_mb?"));
  }
  EXPECT_EQ(parse_offer("vcore=4").error().message, "vcore=4: did you mean vcores?");
  EXPECT_TRUE(parse_offer("memory_mb=1,vcores=1,gpu=1,fpga=1,m=1").ok());
  EXPECT_EQ(refusal("{offer: {vcore: 4}}"),
            "w.yaml:2:26: tracker.offer.vcore: did you mean \"vcores\"?, allowed: memory_mb, "
            "vcores, and names that are not like these");
  EXPECT_EQ(refusal("{offer: {gpu: 1, gpu: 2}}"),
            "w.yaml:2:27: duplicate key \"gpu\" in tracker.offer, first at line 2, column 19, "
            "allowed: each key once");
}

TEST(Offer, IsNoListAndLabelsAreNone) {
  EXPECT_EQ(refusal("{labels: [disk, ssd]}"),
            "w.yaml:2:19: tracker.labels is a list, allowed: values by label, {disk: ssd, "
            "zone: a}");
  EXPECT_EQ(refusal("{labels: {disk: [ssd]}}"),
            "w.yaml:2:26: tracker.labels.disk is a list, allowed: values by label, {disk: ssd, "
            "zone: a}");
  EXPECT_EQ(refusal("{offer: [gpu]}"),
            "w.yaml:2:18: tracker.offer is a list, allowed: auto, or amounts by name, "
            "{memory_mb: auto, gpu: 2}");
  EXPECT_EQ(refusal("{offer: }"),
            "w.yaml:2:11: tracker.offer is empty, allowed: auto, or amounts by name, "
            "{memory_mb: auto, gpu: 2}");
}

TEST(Offer, AJobTrackerSchedulesContainersUnderEachPolicy) {
  for (const std::string policy : {"fifo", "capacity", "fair"}) {
    const auto read = load_settings_text("w.yaml", "policy: " + policy +
                                                       "\nresources: containers\n"
                                                       "queues: [{name: a, guaranteed: 100%}]\n");
    EXPECT_TRUE(read.ok()) << policy << ": " << read.error().message;
  }
}

TEST(JobFile, IsAnApplication) {
  const auto spec = read_job_file("j.yaml", R"(
name: train
queue: vision
kind: service
priority: HIGH
environment: {ALL: x}
groups:
  - name: ps
    count: 2
    command: ./ps.sh
    resources: {memory_mb: 2048, vcores: 1, gpu: 1}
    require: {disk: ssd, zone: [a, b], rack: "!r9"}
    spread: {by: rack, max_skew: 2}
    retries: 5
    ports: 1
    environment: {MODE: a}
)");
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->name, "train");
  EXPECT_TRUE(spec->service);
  EXPECT_EQ(spec->priority, Priority::kHigh);
  EXPECT_EQ(spec->task_timeout_ms, 0);
  ASSERT_EQ(spec->task_groups.size(), 1u);
  const TaskGroupSpec& ps = spec->task_groups[0];
  EXPECT_EQ(ps.count, 2u);
  EXPECT_EQ(ps.asked, (Asked{2048, 1, {{"gpu", 1}}}));
  EXPECT_EQ(ps.require.size(), 3u);
  EXPECT_TRUE(ps.require[2].none_of);
  EXPECT_EQ(ps.spread->max_skew, 2u);
  EXPECT_EQ(ps.environment.at("MODE"), "a");
}

TEST(JobFile, SaysEverythingThatIsWrong) {
  const auto spec =
      read_job_file("j.yaml", "kind: daemon\nqueu: a\ngroups:\n  - {name: M, count: 0}\n");
  ASSERT_FALSE(spec.ok());
  const auto& lines = spec.error().diagnostics;
  EXPECT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[0].find("j.yaml:1:7"), std::string::npos) << lines[0];
  EXPECT_EQ(read_job_file("j.yaml", "environment: {A: [x]}\ngroups: [{name: a, command: b}]\n")
                .error()
                .message,
            "j.yaml:1:18: environment.A is a list, allowed: texts by name, {MODE: fast}");
  EXPECT_EQ(read_job_file("j.yaml", "name: x\n").error().message,
            "j.yaml:1:1: groups: there is none, allowed: a list of at least one");
}

// What is said of a group, and the refusal of it.
std::string group_refusal(const std::string& says) {
  const auto spec =
      read_job_file("j.yaml", "groups:\n- {name: a, command: b, " + says + "}\n");
  return spec.ok() ? "taken" : spec.error().message;
}

TEST(JobFile, MapsAreMaps) {
  const std::string require = " allowed: labels with their values, {disk: ssd, zone: [a, b]}";
  EXPECT_EQ(group_refusal("require: [disk]"),
            "j.yaml:2:34: groups[0].require is a list," + require);
  EXPECT_EQ(group_refusal("require: disk"),
            "j.yaml:2:34: groups[0].require is \"disk\"," + require);
  EXPECT_EQ(group_refusal("require: {disk: []}"),
            "j.yaml:2:41: groups[0].require.disk is an empty list, allowed: at least one value");
  EXPECT_EQ(group_refusal("require: {disk: a, disk: b}"),
            "j.yaml:2:44: duplicate key \"disk\" in groups[0].require, first at line 2, column "
            "35, allowed: each key once");
  const std::string amounts = " allowed: amounts by name, {memory_mb: 2048, vcores: 1, gpu: 2}";
  EXPECT_EQ(group_refusal("resources: [2048]"),
            "j.yaml:2:36: groups[0].resources is a list," + amounts);
  EXPECT_EQ(group_refusal("resources: 1024"),
            "j.yaml:2:36: groups[0].resources is \"1024\"," + amounts);
  EXPECT_EQ(group_refusal("resources: {gpu: many}"),
            "j.yaml:2:42: groups[0].resources.gpu is \"many\"," + amounts);
  EXPECT_EQ(group_refusal("environment: [MODE=fast]"),
            "j.yaml:2:38: groups[0].environment is a list, allowed: texts by name, {MODE: fast}");
  EXPECT_EQ(read_job_file("j.yaml", "conf: [x]\ngroups: [{name: a, command: b}]\n")
                .error()
                .message,
            "j.yaml:1:7: conf is a list, allowed: texts by name, {MODE: fast}");
  EXPECT_EQ(group_refusal("require: , environment: {}"), "taken");
}

TEST(JobFile, RequiresOneOfValuesOrNone) {
  const auto required = [](const std::string& what) {
    return read_job_file("j.yaml", "groups: [{name: a, command: b, require: " + what + "}]\n")
        ->task_groups.at(0)
        .require;
  };
  EXPECT_EQ(required("{name: ['!t1', '!t2']}"),
            (std::vector<Requirement>{{"name", {"t1", "t2"}, true}}));
  EXPECT_EQ(required("{name: [t1, t2]}"),
            (std::vector<Requirement>{{"name", {"t1", "t2"}, false}}));
  for (const std::string what : {"[t1, '!t2']", "['!t2', t1]"}) {
    EXPECT_EQ(group_refusal("require: {name: " + what + "}"),
              "j.yaml:2:41: groups[0].require.name mixes values with ! and without, allowed: "
              "values that all begin with !, as none of them may be, or none of which does");
  }
}

TEST(JobFile, NumbersAreThoseThatASubmissionMayHave) {
  EXPECT_EQ(group_refusal("gang: 0"), "taken");
  EXPECT_EQ(group_refusal("count: 1000000"), "taken");
  EXPECT_EQ(group_refusal("count: 2, gang: 2"), "taken");
  EXPECT_EQ(group_refusal("count: 2, gang: 3"),
            "j.yaml:2:41: groups[0].gang is 3, allowed: at most count, which is 2");
  EXPECT_EQ(group_refusal("gang: -1"),
            "j.yaml:2:31: groups[0].gang is \"-1\", allowed: an integer from 0 to 1000000");
  EXPECT_EQ(group_refusal("count: 1000001"),
            "j.yaml:2:32: groups[0].count is \"1000001\", allowed: an integer from 1 to 1000000");
  EXPECT_EQ(group_refusal("ports: 101"),
            "j.yaml:2:32: groups[0].ports is \"101\", allowed: an integer from 0 to 100");
  EXPECT_EQ(group_refusal("retries: 101"),
            "j.yaml:2:34: groups[0].retries is \"101\", allowed: an integer from 0 to 100");
}

}  // namespace
}  // namespace weir
