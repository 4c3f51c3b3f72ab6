// The daemon's very engine with virtual time and a store that is durable at once: after each input
// it is told Durable until nothing is pending, so the reply to a step is there when the step
// returns. Time starts at kStart and moves only by advance_to(); outside the engine scenario time
// is elapsed(), which starts at 0. Every observer sees every engine step, the Durable ones too.
// Deterministic; one thread.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "jobqueue/engine/engine.h"
#include "sim/observer.h"

namespace weir {

class SimEngine {
 public:
  // Engine time of scenario time 0: the engine takes 0 for "never".
  static constexpr TimeMs kStart = 1'000'000;

  static Result<std::unique_ptr<SimEngine>> create(std::shared_ptr<const Settings> settings,
                                                   PolicyFactory factory);

  const Engine& engine() const { return *engine_; }
  const ClusterState& state() const { return engine_->state(); }
  TimeMs now() const { return now_; }
  DurationMs elapsed() const { return now_ - kStart; }
  std::uint64_t steps() const { return token_; }

  // Called in the order of their coming; they must outlive the engine's last step.
  void watch(Observer& observer) { observers_.push_back({&observer, observer.events_only()}); }
  void advance_to(TimeMs at);  // the clock alone
  // The run is over, whatever was still to come: nothing is handled any more, replies are empty.
  void halt() { halted_ = true; }
  bool halted() const { return halted_; }

  // One input at the present time. The reply has no value worth reading if the input wants none.
  template <class Body>
  Reply step(Body body) {
    Input input{now_, 0, std::move(body)};
    return handle(input);
  }
  // The same for an input that its owner uses again: time and token are filled in here. The reply
  // stands until the next input.
  const Reply& handle(Input& input);

 private:
  explicit SimEngine(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
  struct Watch {
    Observer* observer;
    bool events_only;
  };
  Reply* run(const Input& input, Token awaited);

  std::unique_ptr<Engine> engine_;
  std::vector<Watch> observers_;
  TimeMs now_ = kStart;
  Token token_ = 0;
  bool halted_ = false;
  Output output_;  // of the engine step at hand
  Reply answer_;   // where that has no reply
};

}  // namespace weir
