#include "tracker/published/name_pattern.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace weir {
namespace {

TEST(NamePattern, StarsMarksAndSets) {
  for (const auto& [pattern, text] : {std::pair("etl", "etl"),
                                      {"*", ""},
                                      {"*", "anything"},
                                      {"etl-*", "etl-"},
                                      {"etl-*", "etl-7"},
                                      {"*-etl", "my-own-etl"},
                                      {"a*b*c", "a1b2bc"},
                                      {"??", "xy"},
                                      {"job[0-9]", "job7"},
                                      {"job[!0-9]", "jobx"},
                                      {"[]]", "]"},
                                      {"[a-]", "-"},
                                      {"[", "["},
                                      {"[ab", "[ab"},
                                      {R"(\*)", "*"},
                                      {R"(a\)", R"(a\)"},
                                      {"**", "x"}}) {
    EXPECT_TRUE(matches_pattern(pattern, text)) << pattern << " " << text;
  }
  for (const auto& [pattern, text] : {std::pair("etl", "etl2"),
                                      {"etl", "ETL"},
                                      {"", "x"},
                                      {"etl-*", "etl"},
                                      {"?", ""},
                                      {"?", "xy"},
                                      {"job[0-9]", "jobx"},
                                      {"job[!0-9]", "job7"},
                                      {"a*b", "ac"},
                                      {R"(\*)", "x"}}) {
    EXPECT_FALSE(matches_pattern(pattern, text)) << pattern << " " << text;
  }
}

TEST(NamePattern, ManyStarsTakeNoTime) {
  std::string pattern;
  for (int i = 0; i < 120; ++i) pattern += "*a";
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i)
    EXPECT_FALSE(matches_pattern(pattern + "b", std::string(256, 'a')));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace weir
