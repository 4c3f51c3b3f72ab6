#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/exit_code.h"
#include "cli/fake_jobtracker.h"
#include "cli/json.h"
#include "cli/temporary_directory.h"

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const char* const kGood =
    "cluster: {map_slots: 1, reduce_slots: 0}\n"
    "steps:\n"
    "  - submit: {id: J1}\n"
    "  - heartbeat: tt1\n"
    "    expect: [J1/m0]\n";

TEST(SimCommand, SaysWhatWasExpectedAndEndsWithItsCode) {
  const TemporaryDirectory directory;
  const auto good = run({"sim", directory.write("good.yaml", kGood)});
  EXPECT_EQ(good.code, kExitDone);
  EXPECT_THAT(good.out, HasSubstr("good.yaml: 1 expectation, all met"));
  EXPECT_THAT(good.err, IsEmpty());

  const auto unmet = run(
      {"sim", directory.write("unmet.yaml", std::string(kGood) + "  - expect_kills: [J1/m0]\n")});
  EXPECT_EQ(unmet.code, kExitNotSo);
  EXPECT_THAT(unmet.err, HasSubstr("unmet.yaml:6: expected kills [J1/m0], actual []"));

  const auto wrong = run({"sim", directory.write("wrong.yaml", "stepps: []\nsteps: 5\n")});
  EXPECT_EQ(wrong.code, kExitRefused);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("wrong.yaml:1:1: unknown key \"stepps\""),
                               HasSubstr("wrong.yaml:2:8: steps is")));
  EXPECT_EQ(run({"sim", directory / "nowhere.yaml"}).code, kExitRefused);
}

TEST(SimCommand, StdoutIsForWhatWasAskedAndTheSameAtEveryRun) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("s.yaml", kGood);
  const auto first = run({"sim", file, "--events", "-"});
  EXPECT_THAT(first.out, StartsWith("{\"t\": 0, \"event\": \"tracker\""));
  EXPECT_EQ(first.out, run({"sim", file, "--events", "-"}).out);
  const auto summary = run({"sim", file, "--summary", "-o", "json"});
  EXPECT_EQ(Json::parse(summary.out).back()["unfinished"], 1);
  EXPECT_THAT(summary.err, HasSubstr("times real time"));
  EXPECT_THAT(run({"sim", file, "--summary"}).out, HasSubstr("RESPONSE s"));
  EXPECT_EQ(run({"sim", file, "--samples", directory / "no/such/folder"}).code, kExitRefused);
}

TEST(SimCommand, JsonSaysWhatTheTableModeDoes) {
  const TemporaryDirectory directory;
  const auto good = Json::parse(run({"sim", directory.write("s.yaml", kGood), "-o", "json"}).out);
  EXPECT_EQ(good["expectations"], 1);
  EXPECT_EQ(good["all_met"], true);
  EXPECT_THAT(good["failures"], IsEmpty());
  const auto unmet =
      run({"sim", directory.write("u.yaml", std::string(kGood) + "  - expect_kills: [J1/m0]\n"),
           "-o", "json"});
  EXPECT_EQ(unmet.code, kExitNotSo);
  const Json json = Json::parse(unmet.out);
  EXPECT_EQ(json["all_met"], false);
  EXPECT_THAT(json["failures"].at(0).get<std::string>(), HasSubstr("u.yaml:6: expected kills"));
}

TEST(SimCommand, WhatIsCheckedIsSaidAndChosen) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("s.yaml", kGood);
  EXPECT_EQ(run({"sim", "--check", "full", file}).code, kExitDone);
  EXPECT_EQ(run({"sim", "--check", "often", file}).code, kExitRefused);
  EXPECT_EQ(run({"sim"}).code, kExitRefused);
  EXPECT_THAT(run({"sim", "--list-rules"}).out, HasSubstr("allocated-sum"));
}

}  // namespace
}  // namespace weir::cli
