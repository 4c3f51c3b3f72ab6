// What a job's figures say of its wait for a place near its input.
#include <gtest/gtest.h>

#include "fair_harness.h"

namespace weir::test {
namespace {

struct Waiting : FairHarness {
  Waiting() {
    section->locality_delay = {LocalityDelaySettings::Mode::kFixed, 5'000, 10'000};
    add_tracker("tt1");
    add_tracker("tt2", {.map_slots = 0, .reduce_slots = 0});
  }
  // "node 3000": how far out it may run now, and for how long no further.
  std::string wait_of(std::uint32_t job) {
    const auto& wait = job_figures(engine().policy(), JobId(job), TaskKind::kMap).locality;
    return wait ? std::string(name(wait->allowed)) + " " + std::to_string(wait->left_ms) : "none";
  }
};

TEST(FairLocalityFigures, SayHowFarAJobMayRunAndForHowLong) {
  Waiting h;
  const std::uint32_t job = h.submit({.maps = 4, .locations = {{"tt2"}}});
  EXPECT_EQ(h.wait_of(job), "node 5000");
  EXPECT_EQ(h.heartbeat("tt1"), "") << "its input is on tt2";
  h.advance(2'000);
  EXPECT_EQ(h.heartbeat("tt1"), "");
  EXPECT_EQ(h.wait_of(job), "node 3000");
  h.advance(3'000);
  EXPECT_NE(h.heartbeat("tt1"), "") << "both are of one rack";
  EXPECT_EQ(h.wait_of(job), "rack 10000");
}

TEST(FairLocalityFigures, AreNoneOfAJobThatNeedNotWait) {
  Waiting h;
  EXPECT_EQ(h.wait_of(h.submit({.maps = 1})), "none") << "its input lies nowhere";
  EXPECT_FALSE(job_figures(h.engine().policy(), JobId(1), TaskKind::kReduce).locality);
  FairHarness off;
  off.add_tracker("tt1");
  off.submit({.maps = 1, .locations = {{"tt1"}}});
  EXPECT_FALSE(job_figures(off.engine().policy(), JobId(1), TaskKind::kMap).locality);
}

}  // namespace
}  // namespace weir::test
