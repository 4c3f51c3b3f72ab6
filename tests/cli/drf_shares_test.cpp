// `weir shares --drf`: the worked cases of containers.md from JSON to JSON and to the table; wrong
// input is one line.
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

Ran drf_shares(const std::string& total, const std::string& input, const char* format = "json") {
  std::istringstream in(input);
  std::streambuf* const before = std::cin.rdbuf(in.rdbuf());
  Ran ran = run({"shares", "--drf", "--total", total, "-o", format});
  std::cin.rdbuf(before);
  std::cin.clear();
  return ran;
}

constexpr const char* kPaper =
    R"([{"name": "A", "demand": {"memory_mb": 204800, "vcores": 50}},
        {"name": "B", "demand": {"memory_mb": 51200, "vcores": 150}}])";

struct DrfCase {
  const char* total;
  const char* input;
  const char* output;
};

const DrfCase kDrfCases[] = {
    // 3, the paper's.
    {"memory_mb=18432,vcores=9", kPaper,
     R"([{"name": "A", "share": {"memory_mb": 12288.0, "vcores": 3.0}},
         {"name": "B", "share": {"memory_mb": 2048.0, "vcores": 6.0}}])"},
    // 4
    {"memory_mb=18432,vcores=9",
     R"([{"name": "A", "demand": {"memory_mb": 204800, "vcores": 50}, "weight": 0.5},
         {"name": "B", "demand": {"memory_mb": 51200, "vcores": 150}}])",
     R"([{"name": "A", "share": {"memory_mb": 7372.8, "vcores": 1.8}},
         {"name": "B", "share": {"memory_mb": 2457.6, "vcores": 7.2}}])"},
    // 5
    {"memory_mb=18432,vcores=9",
     R"([{"name": "A", "demand": {"memory_mb": 4096, "vcores": 1}},
         {"name": "B", "demand": {"memory_mb": 51200, "vcores": 150.0}}])",
     R"([{"name": "A", "share": {"memory_mb": 4096.0, "vcores": 1.0}},
         {"name": "B", "share": {"memory_mb": 2730.667, "vcores": 8.0}}])"},
    // 6: a single pool has all there is for its children.
    {"memory_mb=18432,vcores=9",
     R"([{"name": "all", "policy": "fair", "children": [
           {"name": "A", "demand": {"memory_mb": 204800, "vcores": 50}},
           {"name": "B", "demand": {"memory_mb": 51200, "vcores": 150}}]}])",
     R"([{"name": "all", "share": {"memory_mb": 11520.0, "vcores": 9.0}, "children": [
           {"name": "A", "share": {"memory_mb": 9216.0, "vcores": 2.25}},
           {"name": "B", "share": {"memory_mb": 9216.0, "vcores": 9.0}}]}])"},
    // 7
    {"vcores=10,memory_mb=10240",
     R"([{"name": "A", "demand": {"memory_mb": 20480, "vcores": 20}, "min": {"memory_mb": 8192}},
         {"name": "B", "demand": {"memory_mb": 20480, "vcores": 20}, "min": {"memory_mb": 4096},
          "max": null}])",
     R"([{"name": "A", "share": {"memory_mb": 6826.667, "vcores": 6.667}},
         {"name": "B", "share": {"memory_mb": 3413.333, "vcores": 3.333}}])"},
    {"vcores=10,memory_mb=10240",
     R"([{"name": "A", "demand": {"memory_mb": 20480, "vcores": 20}, "max": {"memory_mb": 2048}},
         {"name": "B", "demand": {"memory_mb": 20480, "vcores": 20}}])",
     R"([{"name": "A", "share": {"memory_mb": 2048.0, "vcores": 2.0}},
         {"name": "B", "share": {"memory_mb": 8192.0, "vcores": 8.0}}])"},
    // 8
    {"memory_mb=102400,vcores=100",
     R"([{"name": "A", "demand": {"memory_mb": 512000}},
         {"name": "C", "demand": {"memory_mb": 512000, "vcores": 1000}}])",
     R"([{"name": "A", "share": {"memory_mb": 68266.667, "vcores": 0.0}},
         {"name": "C", "share": {"memory_mb": 34133.333, "vcores": 66.667}}])"},
    // 9
    {"memory_mb=1024000,vcores=10,gpu=10",
     R"([{"name": "n1", "demand": {"memory_mb": 20480, "gpu": 20}},
         {"name": "n2", "children": [
           {"name": "x", "demand": {"memory_mb": 20480, "vcores": 20}},
           {"name": "y", "demand": {"memory_mb": 20480, "gpu": 20}}]}])",
     R"([{"name": "n1", "share": {"memory_mb": 5120.0, "vcores": 0.0, "gpu": 5.0}},
         {"name": "n2", "share": {"memory_mb": 10240.0, "vcores": 5.0, "gpu": 5.0}, "children": [
           {"name": "x", "share": {"memory_mb": 10240.0, "vcores": 10.0, "gpu": 0.0}},
           {"name": "y", "share": {"memory_mb": 5120.0, "vcores": 0.0, "gpu": 5.0}}]}])"},
    // 10
    {"memory_mb=10240",
     R"([{"name": "Engineering", "demand": {"memory_mb": 30720}},
         {"name": "Marketing", "policy": "fair", "min": {"memory_mb": 8192}, "children": [
           {"name": "CDA", "policy": "fair", "children": [
             {"name": "FastLane", "weight": 3, "max": {"memory_mb": 4096},
              "demand": {"memory_mb": 30720}},
             {"name": "Regular", "demand": {"memory_mb": 30720}}]}]}])",
     R"([{"name": "Engineering", "share": {"memory_mb": 2048.0}},
         {"name": "Marketing", "share": {"memory_mb": 8192.0}, "children": [
           {"name": "CDA", "share": {"memory_mb": 8192.0}, "children": [
             {"name": "FastLane", "share": {"memory_mb": 4096.0}},
             {"name": "Regular", "share": {"memory_mb": 4096.0}}]}]}])"},
    {"memory_mb=10", "[]", "[]"},
};

TEST(DrfSharesCommand, WorkedCases) {
  for (const DrfCase& one : kDrfCases) {
    const Ran ran = drf_shares(one.total, one.input);
    ASSERT_EQ(ran.code, kExitDone) << ran.err;
    EXPECT_EQ(Json::parse(ran.out), Json::parse(one.output)) << one.input;
    EXPECT_THAT(ran.err, IsEmpty());
  }
}

TEST(DrfSharesCommand, ATableForPeople) {
  EXPECT_EQ(drf_shares("memory_mb=18432,vcores=9", kPaper, "table").out,
            "NAME  DIMENSION  DEMAND      SHARE  OF TOTAL\n"
            "A     memory_mb  204800  12288.000     66.7%\n"
            "      vcores         50      3.000     33.3%\n"
            "B     memory_mb   51200   2048.000     11.1%\n"
            "      vcores        150      6.000     66.7%\n");
  EXPECT_EQ(drf_shares("memory_mb=10",
                       R"([{"name": "p", "children": [{"name": "a", "demand": {}}]}])", "table")
                .out,
            "NAME  DIMENSION  DEMAND  SHARE  OF TOTAL\n"
            "p     memory_mb       0  0.000      0.0%\n"
            "  a   memory_mb       0  0.000      0.0%\n");
}

TEST(DrfSharesCommand, WrongInputIsOneLineAndExitCode2) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "standard input:1:1: not JSON, allowed: a list like [{\"name\": \"a\", \"demand\": {"},
      {"{}", "no list, allowed: a list"},
      {"[5]", "entry 1 is no object, allowed: {name, demand,"},
      {R"([{"demand": {}}])", "entry 1 has no name"},
      {R"([{"name": "a"}])", "entry 1 (a) has no demand, allowed: each has a demand, or children"},
      {R"([{"name": "a", "demand": 5}])",
       "demand of entry 1 (a) is 5, allowed: an object with an amount for each of memory_mb, gpu"},
      {R"([{"name": "a", "demand": {"vcores": 5}}])",
       "unknown dimension \"vcores\" in demand of entry 1 (a), allowed: memory_mb, gpu"},
      {R"([{"name": "a", "demand": {}, "min": {"cpu": 5}}])", "\"cpu\" in min of entry 1 (a)"},
      {R"([{"name": "a", "demand": {"memory_mb": -1}}])",
       "demand.memory_mb of entry 1 (a) is -1, allowed: a whole number, 0 to 1000000000000"},
      {R"([{"name": "a", "demand": {"memory_mb": 1000000000001}}])", "is 1000000000001, allowed"},
      {R"([{"name": "a", "demand": {"memory_mb": 1.5}}])", "is 1.5, allowed: a whole number"},
      {R"([{"name": "a", "demand": {"gpu": 1}}])",
       "demand.gpu of entry 1 (a) is 1, allowed: 0, its --total is 0"},
      {R"([{"name": "a", "demand": {}, "weight": 0}])", "weight of entry 1 (a) is 0"},
      {R"([{"name": "a", "demand": {}, "min": {"gpu": 3}, "max": {"gpu": 2}}])",
       "max.gpu of entry 1 (a) is 2, allowed: at least its min, 3"},
      {R"([{"name": "a", "demand": {}, "policy": "drf"}])",
       "unknown key \"policy\" in entry 1 (a), allowed: name, demand, min, weight, max"},
      {R"([{"name": "a", "children": [], "demand": {}}])", "unknown key \"demand\" in entry 1 (a)"},
      {R"([{"name": "a", "children": 5}])", "children of entry 1 (a) is 5, allowed: a list"},
      {R"([{"name": "a", "policy": "fifo", "children": []}])", "is \"fifo\", allowed: drf, fair"},
      {R"([{"name": "p", "children": [{"name": "a", "demand": {}}, {"name": "b"}]}])",
       "entry 2 of p (b) has no demand"},
  };
  for (const auto& [input, message] : cases) {
    const Ran ran = drf_shares("memory_mb=10,gpu=0", input);
    EXPECT_EQ(ran.code, kExitRefused) << input;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, AllOf(StartsWith("weir: standard input"), HasSubstr(message)));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
  }
  EXPECT_THAT(drf_shares("gpu=1", R"([{"name": "a", "policy": "fair", "children": []}])").err,
              HasSubstr("policy of entry 1 (a) is \"fair\", allowed: drf, as --total has no"));
  std::string deep = R"([{"name": "a", "demand": {}}])";
  for (int i = 0; i < 20; ++i) deep = R"([{"name": "p", "children": )" + deep + "}]";
  EXPECT_THAT(drf_shares("gpu=1", deep).err, HasSubstr("allowed: 20 levels"));
}

TEST(DrfSharesCommand, ATotalNamesItsDimensions) {
  const std::pair<const char*, const char*> cases[] = {
      {"100", "--total 100: no NAME=AMOUNT, allowed: up to 8 dimensions with 0 to 4000000000"},
      {"memory_mb=-1", "--total memory_mb=-1: negative"},
      {"memory_mb=4000000001", "too large"},
      {"memory_mb=99999999999999999999", "too large"},
      {"memory_mb=1GB", "not a whole number"},
      {"memory_mb=", "not a whole number"},
      {"memory_mb=1,", "--total : no NAME=AMOUNT"},
      {"GPU=1", "--total GPU=1: not the name of a dimension"},
      {"gpu=1,gpu=2", "gpu twice"},
      {"a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1", "too many dimensions, allowed: up to 8"},
  };
  for (const auto& [total, message] : cases) {
    const Ran ran = drf_shares(total, "[]");
    EXPECT_EQ(ran.code, kExitRefused) << total;
    EXPECT_THAT(ran.err, AllOf(StartsWith("weir: --total"), HasSubstr(message)));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1);
  }
  EXPECT_THAT(run({"shares", "--total", "memory_mb=5"}).err, HasSubstr("with --drf dimensions"));
  EXPECT_EQ(run({"shares", "--drf"}).code, kExitRefused);
  EXPECT_EQ(drf_shares("a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1", "[]").code, kExitDone);
}

}  // namespace
}  // namespace weir::cli
