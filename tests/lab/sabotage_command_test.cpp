// The commands that put something wrong in, and must say that it was found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/temporary_directory.h"
#include "lab/run_lab.h"

namespace weir::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const char* const kOneTask =
    "cluster: {map_slots: 1, reduce_slots: 0}\n"
    "steps:\n"
    "  - submit: {id: J1}\n"
    "  - heartbeat: tt1\n"
    "    expect: [J1/m0]\n";

const char* const kOneContainer =
    "settings: {policy: capacity, resources: containers}\n"
    "cluster: {trackers: [{name: tt1, memory_mb: 4096, vcores: 4}]}\n"
    "steps:\n"
    "  - submit: {id: J1}\n"
    "  - heartbeat: tt1\n"
    "    expect: [J1/m0]\n";

TEST(BrokenSim, TheBreachStopsTheRun) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("s.yaml", kOneTask);
  const auto broken = lab({"sim", "--break", "allocated-sum", file});
  EXPECT_EQ(broken.code, kExitNotSo);
  EXPECT_THAT(broken.err, HasSubstr("s.yaml: the run was stopped: rule allocated-sum is broken"));
  EXPECT_EQ(lab({"sim", "--break", "allocated-sum", "--check", "off", file}).code, kExitDone);
  EXPECT_EQ(lab({"sim", "--break", "gravity", file}).code, kExitRefused);
  EXPECT_EQ(lab({"sim", "--break", "maximum"}).code, kExitRefused);
  EXPECT_EQ(lab({"sim", file}).code, kExitRefused);
}

TEST(ComparedSim, AsWithoutWhereEveryChoiceIsTheSame) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("s.yaml", kOneContainer);
  EXPECT_EQ(lab({"sim", "--compare", file}).code, kExitDone);
  EXPECT_EQ(lab({"sim", "--compare", "--break", "maximum", file}).code, kExitRefused);
}

TEST(ComparedSim, SaysSoWhereNothingIsCompared) {
  const TemporaryDirectory directory;
  const auto slots = lab({"sim", "--compare", directory.write("s.yaml", kOneTask)});
  EXPECT_EQ(slots.code, kExitNotSo);
  EXPECT_THAT(slots.err, HasSubstr("s.yaml: no choice was compared: only capacity and fair"));
}

TEST(FuzzCommand, ASeedThatBreaksARuleIsNamedWithTheCommandThatReplaysIt) {
  const auto broken = lab({"fuzz", "--only", "rules", "--break", "running", "--seeds", "3"});
  EXPECT_EQ(broken.code, kExitNotSo);
  EXPECT_THAT(broken.err, StartsWith("seed 1: rule running is broken"));
  EXPECT_THAT(broken.err, HasSubstr("again: weir-lab fuzz --only rules --first-seed 1 --seeds 1 "
                                    "--break running\n"));
}

TEST(FuzzCommand, TellsWhatItCameTo) {
  const auto rules = lab({"fuzz", "--only", "rules", "--seeds", "2", "-o", "json"});
  EXPECT_EQ(rules.code, kExitDone) << rules.err;
  EXPECT_EQ(Json::parse(rules.out)["seeds"], 2);
  const auto faults = lab({"fuzz", "--only", "faults", "--seeds", "2"});
  EXPECT_EQ(faults.code, kExitDone) << faults.err;
  EXPECT_THAT(faults.out, HasSubstr("all that was promised held"));
  const auto events = lab({"fuzz", "--only", "rules", "--seeds", "1", "--events", "-"});
  EXPECT_THAT(events.out, StartsWith("{"));
}

TEST(FuzzCommand, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(lab({"fuzz", "--seeds", "0"}).code, kExitRefused);
  EXPECT_EQ(lab({"fuzz", "--events", "-"}).code, kExitRefused);
  EXPECT_EQ(lab({"fuzz", "-o", "json"}).code, kExitRefused);
  EXPECT_EQ(lab({"fuzz", "--only", "rules", "--plant", "lost_kill"}).code, kExitRefused);
  EXPECT_THAT(lab({"fuzz", "--plant", "moss"}).err, HasSubstr("lost_kill"));
}

}  // namespace
}  // namespace weir::cli
