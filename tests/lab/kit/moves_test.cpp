#include "lab/kit/moves.h"

#include <gtest/gtest.h>

namespace weir::test {
namespace {

struct Walk {
  int steps = 0, jumps = 0, rests = 0;
  void step() { ++steps; }
  void jump() { ++jumps; }
  void rest() { ++rests; }
};

TEST(Moves, ComeAsOftenAsTheirWeightsSay) {
  const Moves<Walk> moves = {{6, &Walk::step}, {3, &Walk::jump}, {1, &Walk::rest}};
  Dice dice(1);
  Walk walk;
  for (int i = 0; i < 10'000; ++i) (walk.*moves.draw(dice))();
  EXPECT_NEAR(walk.steps, 6000, 150);
  EXPECT_NEAR(walk.jumps, 3000, 150);
  EXPECT_NEAR(walk.rests, 1000, 100);
}

TEST(Moves, OneDrawDecides) {
  const Moves<Walk> moves = {{70, &Walk::step}, {30, &Walk::jump}};
  Dice drawn(7), same(7);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(moves.draw(drawn), same.below(100) < 70 ? &Walk::step : &Walk::jump);
  }
}

}  // namespace
}  // namespace weir::test
