#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/exit_code.h"
#include "cli/run_weir.h"

namespace weir::cli {
namespace {

std::vector<std::string> tiny(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"bench",          "sched", "--trackers",        "10",
                                        "--jobs",         "20",    "--queues",          "10",
                                        "--maps-per-job", "20",    "--reduces-per-job", "10",
                                        "--seconds",      "0.01",  "--repetitions",     "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(BenchCommand, JsonIsOneObjectWithTheStableNames) {
  const Ran ran = run(tiny({"-o", "json"}));
  ASSERT_EQ(ran.code, kExitDone) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  for (const char* name : {"tasks_per_second", "heartbeats_per_second", "p50_us", "p99_us",
                           "bytes_per_pending_task", "tick_worst_ms"}) {
    EXPECT_TRUE(json[name].is_number()) << name;
  }
  EXPECT_EQ(json["policy"], "capacity");
  EXPECT_EQ(json["workload"], "W");
  EXPECT_EQ(json["jobs"], 20);
  EXPECT_EQ(json["runs"].size(), 1u);
}

TEST(BenchCommand, TheTableIsNarrowAndProgressIsForTerminals) {
  const Ran ran = run(tiny({"--policy", "fifo", "--churn"}));
  ASSERT_EQ(ran.code, kExitDone) << ran.err;
  EXPECT_NE(ran.out.find("TASKS/S"), std::string::npos);
  EXPECT_NE(ran.out.find("jobs ended in a run"), std::string::npos);
  EXPECT_EQ(ran.err, "");
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u);
}

TEST(BenchCommand, ALoadThatCannotBeRunIsRefusedInOneLine) {
  const Ran ran = run({"bench", "sched", "--jobs", "10"});
  EXPECT_EQ(ran.code, kExitRefused);
  EXPECT_NE(ran.err.find("do not fill"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace weir::cli
