#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/temporary_directory.h"
#include "lab/run_lab.h"

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ExperimentCommand, AFewJobsGiveTheWholeTable) {
  const auto table = lab({"experiment", "copy-compute", "--seeds", "1", "--size", "5"});
  EXPECT_THAT(table.out, AllOf(HasSubstr("PUBLISHED"), HasSubstr("2-10 [S]"),
                               HasSubstr("Means of 1 seed"), HasSubstr("at 5% of the size")));
  const auto json = lab({"experiment", "small-jobs", "--seeds", "2", "--size", "1", "-o", "json"});
  const Json parsed = Json::parse(json.out);
  EXPECT_EQ(parsed["experiment"], "small-jobs");
  EXPECT_EQ(parsed["lines"][0]["what"], "3 maps, naive: node locality %");
  EXPECT_EQ(parsed["lines"][0]["hb"]["seeds"].size(), 2u);
  EXPECT_EQ(parsed["lines"][0]["published"]["mark"], "N");
  EXPECT_THAT(json.err, HasSubstr("runs in"));
}

TEST(ExperimentCommand, WhatItRunsIsAScenario) {
  const TemporaryDirectory directory;
  const std::string file = directory / "s.yaml";
  const auto written = lab({"experiment", "sticky-slots", "--size", "2", "--case",
                            "5-jobs/x2.0/5s/oob", "--scenario", file});
  EXPECT_EQ(written.code, kExitDone);
  EXPECT_THAT(written.out, IsEmpty());
  EXPECT_EQ(run({"sim", file, "--check", "full"}).code, kExitDone);
  const auto shown = lab({"experiment", "sticky-slots", "--size", "2", "--case",
                          "5-jobs/x2.0/5s/oob", "--scenario", "-"});
  EXPECT_THAT(shown.out, HasSubstr("locality_delay: 5s"));
}

TEST(ExperimentCommand, SaysWhatThereIs) {
  EXPECT_THAT(lab({"experiment"}).out, HasSubstr("locality-delay"));
  EXPECT_THAT(lab({"experiment", "locality-delay", "--cases"}).out, HasSubstr("12-maps/1s/hb\n"));
  EXPECT_THAT(lab({"experiment", "small-job"}).err, HasSubstr("did you mean 'small-jobs'?"));
  EXPECT_EQ(lab({"experiment", "small-jobs", "--case", "3-maps/15s/hb"}).code, kExitRefused);
  EXPECT_EQ(lab({"experiment", "small-jobs", "--scenario", "-"}).code, kExitRefused);
  EXPECT_EQ(lab({"experiment", "small-jobs", "--seeds", "0"}).code, kExitRefused);
}

}  // namespace
}  // namespace weir::cli
