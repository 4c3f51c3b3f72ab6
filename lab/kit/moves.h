// What may happen next in a random story: moves of which each has a weight, and dice draw one. So a
// story is a table of what happens how often, whatever it happens to. Any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "lab/kit/dice.h"

namespace weir {

template <class Story>
class Moves {
 public:
  using Happens = void (Story::*)();
  struct Move {
    std::int64_t weight;
    Happens happens;
  };

  Moves(std::initializer_list<Move> moves) : moves_(moves) {
    for (const Move& move : moves_) all_ += move.weight;
  }
  // One draw of the dice.
  Happens draw(Dice& dice) const {
    std::int64_t drawn = dice.below(all_);
    auto move = moves_.begin();
    for (; drawn >= move->weight; ++move) drawn -= move->weight;
    return move->happens;
  }

 private:
  std::vector<Move> moves_;
  std::int64_t all_ = 0;
};

}  // namespace weir
