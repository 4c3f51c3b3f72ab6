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
  std::map<std::string, std::string> labels;
  EXPECT_TRUE(add_label("zone=a=b", labels).ok());
  EXPECT_EQ(labels.at("zone"), "a=b");
  EXPECT_FALSE(add_label("zone", labels).ok());
  EXPECT_FALSE(add_label("name=x", labels).ok());
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
            "j.yaml:1:18: environment is a list, allowed: texts by name, {MODE: fast}");
  EXPECT_EQ(read_job_file("j.yaml", "name: x\n").error().message,
            "j.yaml:1:1: groups: there is none, allowed: a list of at least one");
}

}  // namespace
}  // namespace weir
