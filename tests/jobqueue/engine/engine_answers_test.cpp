// What the engine does with answers of a policy that it can't carry out for ever.
#include <gmock/gmock.h>

#include "support/fifo_harness.h"

namespace weir::test {
namespace {

// Reserves the tracker, takes that back, reserves it once more, and so on.
class WaveringPolicy : public FifoPolicy {
 public:
  explicit WaveringPolicy(const ClusterState& state) : FifoPolicy(state), state_(state) {}
  std::optional<Choice> choose(const Offer& offer) override {
    const bool reserved = !state_.claims().reservations().empty();
    return Choice{
        .task = {JobId(1), TaskKind::kMap, 0},
        .what = reserved ? Choice::What::kReleaseReservation : Choice::What::kReserve,
        .reserve_on = offer.tracker};
  }

 private:
  const ClusterState& state_;
};

TEST(EngineAnswers, APolicyThatTakesBackWhatItSaysIsNotAskedForEver) {
  Harness h([](std::string_view, const ClusterState& state, PolicyMemory&)
                -> std::unique_ptr<Policy> { return std::make_unique<WaveringPolicy>(state); },
            "wavering");
  h.add_tracker("tt1", {.map_slots = 2, .reduce_slots = 2});
  h.submit({.maps = 2});
  EXPECT_EQ(h.heartbeat("tt1"), "");
  const auto refused = h.events<Refused>();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_THAT(refused[0].error.message, testing::HasSubstr("it was taken back since"));
  EXPECT_TRUE(h.state().claims().reservations().empty());
}

}  // namespace
}  // namespace weir::test
