// What those who break a rule on purpose have in common: which rule, from when on, how often so
// far; and acts, which lay hands on the state after a step, where only the engine may. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "jobqueue/engine/engine.h"

namespace weir {

struct Sabotage {
  std::string rule;  // empty: nothing is broken
  std::uint64_t from_input = 0;
  std::uint64_t inputs = 0;
  std::uint64_t done = 0;  // acts so far
  bool active(std::string_view which) const { return rule == which && inputs >= from_input; }
};

// After a step.
struct Scene {
  const Engine& engine;
  const Input& input;
  Output& output;
  ClusterState& state;
};
// True once it found an occasion.
using Act = bool (*)(const Scene&);
using Acts = std::map<std::string_view, Act>;  // by rule

}  // namespace weir
