// Keys of several fields, other separators, and what of a key decides its reduce.
#include "jobqueue/model/map_output_keys.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using Conf = std::map<std::string, std::string>;

TEST(MapOutputKeys, AreUpToTheFirstTabUnlessTheJobSaysElse) {
  const auto keys = MapOutputKeys::of({{"other", "x"}});
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ(keys->separator, '\t');
  EXPECT_EQ(keys->fields, 1u);
  EXPECT_EQ(keys->part("a\tb"), "a\tb");
}

TEST(MapOutputKeys, FieldsEndWhereTheSeparatorSays) {
  EXPECT_EQ(length_of_fields("a,b,c", ',', 1), 1u);
  EXPECT_EQ(length_of_fields("a,b,c", ',', 2), 3u);
  EXPECT_EQ(length_of_fields("a,b,c", ',', 3), 5u);
  EXPECT_EQ(length_of_fields("a,b,c", ',', 9), 5u);
  EXPECT_EQ(length_of_fields(",b", ',', 1), 0u);
  EXPECT_EQ(length_of_fields("", ',', 2), 0u);
}

TEST(MapOutputKeys, APartOfTheKeyDecidesTheReduce) {
  const auto part = [](const char* options, std::string_view key) {
    const auto keys = MapOutputKeys::of({{"mapreduce.partition.keypartitioner.options", options},
                                         {"map.output.key.field.separator", "."}});
    EXPECT_TRUE(keys.ok()) << options;
    return std::string(keys->part(key));
  };
  EXPECT_EQ(part("-k1,1", "a.b.c"), "a");
  EXPECT_EQ(part("-k1,2", "a.b.c"), "a.b");
  EXPECT_EQ(part("-k2,2", "a.b.c"), "b");
  EXPECT_EQ(part("-k2", "a.b.c"), "b.c");
  EXPECT_EQ(part("-k4", "a.b.c"), "");
  EXPECT_EQ(part("-k1,9", "a.b.c"), "a.b.c");
}

TEST(MapOutputKeys, TheFirstNameForPartsIsUnderstoodAndNoNameIsInVain) {
  const auto first = MapOutputKeys::of({{"num.key.fields.for.partition", "2"}});
  EXPECT_EQ(first->part("a\tb\tc"), "a\tb");
  EXPECT_TRUE(MapOutputKeys::of({{"num.key.fields.for.partition", "2"},
                                 {"mapred.text.key.partitioner.options", "-k1,2"}})
                  .ok());
  const auto both = [](const char* options, const char* old_options, const char* fields) {
    const auto keys = MapOutputKeys::of({{"mapreduce.partition.keypartitioner.options", options},
                                         {"mapred.text.key.partitioner.options", old_options},
                                         {"num.key.fields.for.partition", fields}});
    return keys.ok() ? "" : keys.error().message + "; " + keys.error().hint;
  };
  EXPECT_EQ(both("-k1,1", "-k1,1", "1"), "");
  EXPECT_EQ(both("-k1,1", "-k2,2", "1"),
            "mapred.text.key.partitioner.options is '-k2,2'; allowed: what "
            "mapreduce.partition.keypartitioner.options says, or one of the two");
  EXPECT_EQ(both("-k1,1", "-k1,1", "2"),
            "num.key.fields.for.partition is '2'; allowed: what "
            "mapreduce.partition.keypartitioner.options says, or one of the two");
  EXPECT_EQ(both("-k1,1", "-k1,1", "0"), "num.key.fields.for.partition is '0'; allowed: 1 to 1000");
}

TEST(MapOutputKeys, BetweenTasksTabsEndThem) {
  const auto commas = MapOutputKeys::of({{"stream.map.output.field.separator", ","},
                                         {"stream.num.map.output.key.fields", "2"}});
  EXPECT_EQ(commas->stored_fields(), 1u);
  EXPECT_EQ(commas->stored().separator, '\t');
  const auto tabs = MapOutputKeys::of({{"stream.num.map.output.key.fields", "2"}});
  EXPECT_EQ(tabs->stored_fields(), 2u);
}

TEST(MapOutputKeys, WhatIsNotUnderstoodIsRefusedWithWhatIsAllowed) {
  const auto wrong = [](const char* key, const char* value) {
    const auto keys = MapOutputKeys::of({{key, value}});
    return keys.ok() ? "" : keys.error().message + "; " + keys.error().hint;
  };
  EXPECT_EQ(wrong("stream.map.output.field.separator", "::"),
            "stream.map.output.field.separator is '::'; allowed: one character of one byte");
  EXPECT_EQ(wrong("stream.num.map.output.key.fields", "0"),
            "stream.num.map.output.key.fields is '0'; allowed: 1 to 1000");
  for (const char* options : {"-k2,1", "-k1.2,1", "-k1,1nr", "k1", "-k0", "-k1,1 -k3,3", ""}) {
    EXPECT_EQ(wrong("mapred.text.key.partitioner.options", options),
              "mapred.text.key.partitioner.options is '" + std::string(options) +
                  "'; allowed: whole fields of the key: -k1,2, or -k2 to its end");
  }
}

}  // namespace
}  // namespace weir
