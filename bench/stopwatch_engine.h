// The engine with a stopwatch: every input is handled, and all that it makes durable is confirmed
// at once (a store that takes no time), and both are inside the clock. Building inputs and reading
// outputs is outside. Single heartbeats are too short for the CPU clock, which costs a system call:
// they are measured in wall time, and runs of them in CPU time by their caller. One thread.
#pragma once

#include <cstdint>
#include <memory>

#include "jobqueue/engine/engine.h"

namespace weir::bench {

std::int64_t cpu_ns();  // that this thread has used

class StopwatchEngine {
 public:
  explicit StopwatchEngine(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  // Handles the input at `now`, into `output`; returns the nanoseconds that passed.
  std::int64_t handle(Input& input, Output& output);
  // The same into output(); returns the nanoseconds of CPU time that it took.
  std::int64_t handle(decltype(Input::body) body);

  const Output& output() const { return output_; }
  Engine& engine() { return *engine_; }
  const Engine& engine() const { return *engine_; }

  TimeMs now = 1'000'000;

 private:
  std::unique_ptr<Engine> engine_;
  Output output_;
  Input other_;
  Input durable_;
};

}  // namespace weir::bench
