// Whoever watches a simulated run: it sees the engine right after each step, with the input that
// caused the step and the events and replies that came of it (Durable inputs of the virtual store
// too). An observer changes nothing: the run is the same, byte for byte, with and without it. The
// references are good for the call only; one thread.
#pragma once

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/input.h"

namespace weir {

class Observer {
 public:
  virtual ~Observer() = default;
  // `engine` is as the step left it.
  virtual void on_step(const Engine& engine, const Input& input, const Output& output) = 0;
  // It looks at events and nothing else: steps without any, as most are, may pass without it.
  virtual bool events_only() const { return false; }
};

}  // namespace weir
