// `algorithm: deficit`: the rule of the guide, after the worked cases D2 and D4, with this policy's
// shares (which look at demand).
#include <gtest/gtest.h>

#include "fair_harness.h"

namespace weir::test {
namespace {

struct Deficit : FairHarness {
  Deficit() { section->algorithm = FairSettings::Algorithm::kDeficit; }
  // Slot-milliseconds of maps/reduces.
  std::string deficit(std::uint32_t job) {
    const auto of = [&](TaskKind kind) {
      return std::to_string(*job_figures(engine().policy(), JobId(job), kind).deficit_ms);
    };
    return of(TaskKind::kMap) + "/" + of(TaskKind::kReduce);
  }
  // Whose tasks a tracker gets.
  std::string jobs_of(const std::string& tracker) {
    std::string jobs;
    const std::string launched = heartbeat(tracker);
    for (std::size_t at = 0; (at = launched.find('J', at)) != std::string::npos; ++at) {
      jobs += launched[at + 1];
    }
    return jobs;
  }
};

TEST(FairDeficit, D2WhoWaitedLongestTakesEverything) {
  Deficit h;
  for (const char* t : {"tt1", "tt2"}) h.add_tracker(t);
  h.submit(20, 20);
  EXPECT_EQ(h.share(1), "4/4");
  h.advance(100);
  EXPECT_EQ(h.deficit(1), "400/400");
  h.submit(20, 20);
  EXPECT_EQ(h.shares({1, 2}), "2/2 2/2");
  EXPECT_EQ(h.jobs_of("tt1") + h.jobs_of("tt2"), "11111111");
  h.advance(200);
  EXPECT_EQ(h.deficit(1) + " " + h.deficit(2), "0/0 400/400");
  for (const char* t : {"tt1", "tt2"}) h.finish_all(t);
  std::string next;
  for (int i = 0; i < 3; ++i) next += h.jobs_of("tt1") + h.jobs_of("tt2");
  EXPECT_EQ(next, "22222222");
  h.advance(50);
  EXPECT_EQ(h.deficit(1) + " " + h.deficit(2), "100/100 300/300");
}

TEST(FairDeficit, D4JobsBelowTheirPoolsGuaranteeComeFirst) {
  Deficit h;
  h.section->assign_multiple = false;
  h.section->pools = {pool("poolA", {.min_maps = 1, .min_reduces = 2}),
                      pool("poolB", {.min_maps = 2, .min_reduces = 1})};
  for (const char* t : {"tt1", "tt2"}) h.add_tracker(t);
  h.submit(10, 10);
  h.advance(200);
  EXPECT_EQ(h.deficit(1), "800/800");
  h.submit(10, 10, "poolA");
  h.submit(10, 10, "poolB");
  EXPECT_EQ(h.shares({1, 2, 3}), "1/1 1/2 2/1");
  h.advance(100);
  EXPECT_EQ(h.deficit(1) + " " + h.deficit(2) + " " + h.deficit(3), "900/900 100/200 200/100");
  EXPECT_EQ(h.heartbeats("tt1", 4), "J3/m0; J2/r0; J3/m1; J2/r1");
  EXPECT_EQ(h.heartbeats("tt2", 4), "J2/m0; J3/r0; J1/m0; J1/r0");
}

// What is shown is rounded, below nought as above.
TEST(FairDeficit, OfOneThatRanMoreThanItsShareIsBelowNought) {
  Deficit h;
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit(20, 0);
  EXPECT_EQ(h.heartbeat("tt1"), "J1/m0 J1/m1 J1/m2 J1/m3");
  h.submit(20, 0, "poolA");
  h.submit(20, 0, "poolB");
  h.advance(100);  // a share of 4/3 each: 133.3 were due, 400 ran
  EXPECT_EQ(h.deficit(1), "-267/0");
  EXPECT_EQ(h.deficit(2), "133/0");
}

TEST(FairDeficit, RunningIsIntegratedOverTimeNotSampled) {
  Deficit h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit(20, 0);  // share 2
  h.now += 30;
  h.heartbeat("tt1");
  h.now += 70;
  h.step(Tick{});
  EXPECT_EQ(h.deficit(1), "60/0");  // 2 * 100 due, 2 * 70 ran
}

// Under the other algorithm nobody counts what runs: what was owed then is owed when this one is
// back.
TEST(FairDeficit, StandsStillUnderTheOtherAlgorithm) {
  Deficit h;
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 0});
  h.submit(20, 0);  // share 2
  h.advance(100);
  EXPECT_EQ(h.deficit(1), "200/0");
  const auto change = [&](FairSettings::Algorithm algorithm) {
    auto settings = std::make_shared<Settings>(h.state().settings());
    auto fair = std::make_shared<FairSettings>(*h.section);
    fair->algorithm = algorithm;
    settings->policies["fair"] = fair;
    h.step(ApplySettings{{"root", {}}, settings});
    h.advance(0);
  };
  change(FairSettings::Algorithm::kShare);
  h.advance(1000);
  h.heartbeat("tt1");
  h.advance(1000);
  change(FairSettings::Algorithm::kDeficit);
  EXPECT_EQ(h.deficit(1), "200/0");
  h.advance(1000);  // it runs what it is due
  EXPECT_EQ(h.deficit(1), "200/0");
}

TEST(FairDeficit, JobsOfFifoPoolsHaveSharesToo) {
  Deficit h;
  h.section->pools = {pool("default")};
  h.section->pools[0].mode = PoolSettings::Mode::kFifo;
  h.add_tracker("tt1", {.map_slots = 4, .reduce_slots = 0});
  h.submit(20, 0);
  h.submit(20, 0);
  EXPECT_EQ(h.shares({1, 2}), "2/0 2/0");
}

}  // namespace
}  // namespace weir::test
