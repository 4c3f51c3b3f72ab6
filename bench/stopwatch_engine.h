// The engine with a stopwatch: every input is handled, and all that it makes durable is confirmed
// at once (a store that takes no time), and both are inside the clock. Building inputs and reading
// outputs is outside. One thread.
#pragma once

#include <cstdint>
#include <memory>

#include "jobqueue/engine.h"

namespace weir::bench {

class StopwatchEngine {
 public:
  explicit StopwatchEngine(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  // Handles the input at `now`; returns the nanoseconds it took. What came out is in output().
  std::int64_t handle(Input& input);
  std::int64_t handle(decltype(Input::body) body);

  const Output& output() const { return output_; }
  Engine& engine() { return *engine_; }

  TimeMs now = 1'000'000;

 private:
  std::unique_ptr<Engine> engine_;
  Output output_;
  Input other_;
  Input durable_;
};

}  // namespace weir::bench
