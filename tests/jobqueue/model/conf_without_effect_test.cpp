#include "jobqueue/model/conf_without_effect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Of one entry what is said behind the colon; empty: nothing.
std::string said(const std::string& key, const std::string& value = "1", bool has_reduces = true) {
  const auto lines = conf_without_effect({{key, value}}, has_reduces, "mapred.my.pool");
  if (lines.empty()) return "";
  const std::string start =
      "setting " + key + " has no effect here but in the environment of the tasks: ";
  EXPECT_EQ(lines.front().substr(0, start.size()), start);
  return lines.front().substr(start.size());
}

TEST(ConfWithoutEffect, WhatCountsAndTheUsersOwnAreNotNamed) {
  for (const char* key :
       {"my.own", "pool", "mapred.my.pool", "weir.max.line.mb", "weir.ok.exit",
        "mapreduce.map.speculative", "mapreduce.reduce.speculative",
        "stream.non.zero.exit.is.failure", "stream.map.output.field.separator",
        "stream.num.map.output.key.fields", "mapreduce.map.output.compress",
        "mapreduce.map.output.compress.codec", "mapreduce.partition.keypartitioner.options",
        "mapred.text.key.partitioner.options", "num.key.fields.for.partition"})
    EXPECT_EQ(said(key), "") << key;
}

TEST(ConfWithoutEffect, WhatElseHadoopGoesByIsNamedWithWhatToSay) {
  EXPECT_EQ(said("mapred.reduce.tasks"), "say --reduces");
  EXPECT_EQ(said("io.sort.mb"), "say --sort-memory");
  for (const char* key : {"mapred.fairscheduler.pool", "mapreduce.fairscheduler.pool"})
    EXPECT_EQ(said(key), "say --conf pool=NAME, which counts under policy fair") << key;
  EXPECT_EQ(said("mapred.compress.map.output"), "say mapreduce.map.output.compress");
  EXPECT_EQ(said("stream.reduce.output.field.separator"),
            "what the reducer writes is the output as it is");
  EXPECT_EQ(said("mapred.text.key.comparator.options"),
            "lines are sorted by the bytes of the whole key");
  for (const char* key : {"weir.max.line", "dfs.replication", "fs.defaultFS", "yarn.app.x",
                          "mapreduce.job.threadpool.size", "mapred.job.pool",
                          "keep.failed.task.files"})
    EXPECT_EQ(said(key), "nothing goes by it") << key;
  EXPECT_THAT(conf_without_effect({{"a", "1"}, {"io.x", "1"}, {"fs.y", "1"}}, true, ""),
              ElementsAre(testing::HasSubstr("setting fs.y "), testing::HasSubstr("io.x")));
}

TEST(ConfWithoutEffect, PartitionersAreNamedWhereTheyDoSomethingElse) {
  EXPECT_EQ(said("mapred.partitioner.class", "org.apache.hadoop.mapred.lib.HashPartitioner"), "");
  EXPECT_EQ(said("mapreduce.job.partitioner.class", "a.KeyFieldBasedPartitioner"), "");
  EXPECT_EQ(said("mapreduce.job.partitioner.class", "a.TotalOrderPartitioner"),
            "the hash of a key decides, or of its fields: "
            "mapreduce.partition.keypartitioner.options");
  EXPECT_EQ(said("map.output.key.field.separator", "."),
            "it counts together with mapreduce.partition.keypartitioner.options");
  EXPECT_THAT(conf_without_effect({{"map.output.key.field.separator", "."},
                                   {"num.key.fields.for.partition", "2"}},
                                  true, ""),
              IsEmpty());
}

TEST(ConfWithoutEffect, WithoutReducesNothingIsSortedDealtOrCopied) {
  for (const char* key :
       {"stream.map.output.field.separator", "mapreduce.map.output.compress.codec",
        "mapreduce.reduce.speculative", "num.key.fields.for.partition",
        "map.output.key.field.separator", "mapred.partitioner.class"})
    EXPECT_EQ(said(key, "1", false), "the job has no reduces") << key;
  EXPECT_EQ(said("mapreduce.map.speculative", "true", false), "");
}

TEST(GroupsWithoutEffect, MembersAreReplacedInGangsAlone) {
  EXPECT_THAT(groups_without_effect({{.name = "a", .gang = 2, .replace = true},
                                     {.name = "b", .replace = true},
                                     {.name = "c"}}),
              ElementsAre("group b: on_member: replace has no effect: the group has no gang"));
}

}  // namespace
}  // namespace weir
