// `weir shares`: JSON in, JSON out, by the fair policy's own function; wrong input is one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/run_weir.h"

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Ran shares(const std::string& total, const std::string& input) {
  std::istringstream in(input);
  std::streambuf* const before = std::cin.rdbuf(in.rdbuf());
  Ran ran = run({"shares", "--total", total});
  std::cin.rdbuf(before);
  std::cin.clear();
  return ran;
}

std::vector<double> dealt(const std::string& total, const std::string& input) {
  const Ran ran = shares(total, input);
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
  std::vector<double> result;
  if (ran.code != kExitDone) return result;
  for (const Json& item : Json::parse(ran.out)) result.push_back(item["share"].get<double>());
  return result;
}

struct DealtCase {
  const char* total;
  const char* input;
  std::vector<double> shares;
};

TEST(Shares, AreThePolicys) {
  const DealtCase cases[] = {
      // The example of the paper: 100 slots, min/demand 50/46, 10/18, 25/28, 15/16.
      {"100",
       R"([{"name": "a", "demand": 46, "min": 50}, {"name": "b", "demand": 18, "min": 10},
           {"name": "c", "demand": 28, "min": 25}, {"name": "d", "demand": 16, "min": 15}])",
       {46, 14, 25, 15}},
      {"40",
       R"([{"name": "a", "demand": 100}, {"name": "b", "demand": 50}, {"name": "c", "demand": 11},
           {"name": "d", "demand": 3}])",
       {13, 13, 11, 3}},
      {"45",
       R"([{"name": "a", "demand": 10, "weight": 2}, {"name": "b", "demand": 11},
           {"name": "c", "demand": 30}, {"name": "d", "demand": 20, "weight": 0.5}])",
       {10, 11, 16, 8}},
      {"10",
       R"([{"name": "a", "demand": 9, "max": 2}, {"name": "b", "demand": 9.0, "max": null}])",
       {2, 8}},
      {"40000000",
       R"([{"name": "a", "demand": 40000000, "weight": 0.1},
                       {"name": "b", "demand": 40000000, "weight": 0.3}])",
       {1e7, 3e7}},
      {"0", R"([{"name": "a", "demand": 9}])", {0}},
      {"10", "[]", {}},
  };
  for (const DealtCase& one : cases) {
    const auto actual = dealt(one.total, one.input);
    ASSERT_EQ(actual.size(), one.shares.size());
    for (std::size_t i = 0; i < actual.size(); ++i)
      EXPECT_NEAR(actual[i], one.shares[i], 0.01) << one.input;
  }
}

TEST(Shares, KeepTheOrderAndTheNames) {
  const Ran ran = shares("3", R"([{"name": "z", "demand": 1}, {"name": "a", "demand": 2}])");
  EXPECT_EQ(Json::parse(ran.out),
            Json::parse(R"([{"name": "z", "share": 1.0}, {"name": "a", "share": 2.0}])"));
  EXPECT_THAT(ran.err, IsEmpty());
  std::istringstream in(R"([{"name": "z", "demand": 1}])");
  std::streambuf* const before = std::cin.rdbuf(in.rdbuf());
  const Ran table = run({"shares", "--total", "3", "-o", "table"});
  std::cin.rdbuf(before);
  EXPECT_EQ(table.out, "NAME  SHARE\nz      1.00\n");
}

TEST(Shares, WrongInputIsOneLineAndExitCode2) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "standard input:1:1: not JSON"},
      {"[\n {\"name\": }]", "standard input:2:11: not JSON"},
      {"{}", "no list, allowed: a list"},
      {"[5]", "entry 1 is no object"},
      {R"([{"demand": 5}])", "entry 1 has no name"},
      {R"([{"name": "a"}])", "entry 1 (a) has no demand"},
      {R"([{"name": 1, "demand": 5}])", "name of entry 1 is 1, allowed: text"},
      {R"([{"name": "a", "demand": -1}])", "demand of entry 1 (a) is -1, allowed: a whole number"},
      {R"([{"name": "a", "demand": 1.5}])", "demand of entry 1 (a) is 1.5"},
      {R"([{"name": "a", "demand": 1e30}])",
       "is 1e+30, allowed: a whole number of slots, 0 to 9223372036854775807"},
      {R"([{"name": "a", "demand": "5"}])", "demand of entry 1 (a) is \"5\""},
      {R"([{"name": "a", "demand": 5}, {"name": "b", "demand": 5, "weight": 0}])",
       "weight of entry 2 (b) is 0, allowed: a number above 0"},
      {R"([{"name": "a", "demand": 5, "min": 3, "max": 2}])",
       "max of entry 1 (a) is 2, allowed: at least its min, 3"},
      {R"([{"name": "a", "demand": 5, "wieght": 2}])",
       "unknown key \"wieght\" in entry 1 (a), did you mean \"weight\"?"},
      {R"([{"name": "a", "demand": 99999999999999999999}])", "demand of entry 1 (a) is"},
  };
  for (const auto& [input, message] : cases) {
    const Ran ran = shares("10", input);
    EXPECT_EQ(ran.code, kExitRefused) << input;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, AllOf(StartsWith("weir: standard input"), HasSubstr(message)));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
  }
  EXPECT_THAT(shares("10", std::string(1'000'000, '[')).err, HasSubstr("nested too deep"));
  EXPECT_EQ(shares("-1", "[]").code, kExitRefused);
  EXPECT_EQ(run({"shares"}).code, kExitRefused);
}

}  // namespace
}  // namespace weir::cli
