// Jobs that came under another policy may want pools that cannot both be: x holds jobs, so there is
// no x.y. The first has its pool, the other is elsewhere until it can have its own; a policy that
// saw all of it places them as one made just now.
#include <gtest/gtest.h>

#include "fair_harness.h"
#include "fifo/fifo_policy.h"

namespace weir::test {
namespace {

struct FromFifo : Harness {
  FromFifo() : Harness(factory(), "fifo") {
    settings().policies["fair"] = std::make_shared<FairSettings>();
    add_tracker("tt1");
    submit({.maps = 9, .pool = "x"});
    submit({.maps = 9, .pool = "x.y"});
    submit({.maps = 9, .pool = "x"});
    step(SetPolicy{root, "fair"});
  }
  static PolicyFactory factory() {
    return [](std::string_view name, const ClusterState& state,
              const Settings& settings) -> std::unique_ptr<Policy> {
      if (name == "fair") return std::make_unique<FairPolicy>(state, settings);
      return std::make_unique<FifoPolicy>(state, settings);
    };
  }
  std::string pool_of(std::uint32_t job) {
    const std::string grown(engine().policy().pool_of(JobId(job)));
    EXPECT_EQ(engine().make_policy("fair")->pool_of(JobId(job)), grown) << "of a fresh policy";
    return grown;
  }
  void kill(std::uint32_t job) { step(KillJob{root, JobId(job)}); }

  Caller root{"root", {}};
};

TEST(Displaced, WaitsInTheDefaultPoolForItsOwn) {
  FromFifo h;
  EXPECT_EQ(h.pool_of(1), "x");
  EXPECT_EQ(h.pool_of(2), "default");
  EXPECT_EQ(h.pool_of(3), "x");
  h.kill(3);
  EXPECT_EQ(h.pool_of(2), "default");
  h.kill(1);
  EXPECT_EQ(h.pool_of(2), "x.y");
}

TEST(Displaced, TheEarlierJobComesFirst) {
  FromFifo h;
  h.kill(1);
  EXPECT_EQ(h.pool_of(2), "x.y");
  EXPECT_EQ(h.pool_of(3), "default");
  h.kill(2);
  EXPECT_EQ(h.pool_of(3), "x");
}

TEST(Displaced, DoesNotBarSettingsThatDidNotDisplaceIt) {
  FromFifo h;
  auto settings = std::make_shared<Settings>(h.state().settings());
  settings->policy = "fair";
  h.step(ApplySettings{h.root, settings});
  EXPECT_EQ(h.events<SettingsChanged>().size(), 1u);
  EXPECT_EQ(h.pool_of(2), "default");
}

}  // namespace
}  // namespace weir::test
