#include "sim/sim_engine.h"

#include <algorithm>

#include "jobqueue/model/check.h"

namespace weir {

Result<std::unique_ptr<SimEngine>> SimEngine::create(std::shared_ptr<const Settings> settings,
                                                     PolicyFactory factory) {
  // Epoch 1: attempt numbers start at 0.
  auto engine =
      Engine::create(std::move(settings), std::move(factory), Snapshot{.epoch = 1}, kStart);
  if (!engine) return engine.error();
  return std::unique_ptr<SimEngine>(new SimEngine(std::move(engine).value()));
}

void SimEngine::advance_to(TimeMs at) {
  WEIR_CHECK(at >= now_, "virtual time goes forward");
  now_ = at;
}

// Most inputs are heartbeats with nothing to tell: their replies stay where they were put.
const Reply& SimEngine::handle(Input& input) {
  if (halted_) return answer_ = {};
  input.at = now_;
  input.token = ++token_;
  Reply* answer = run(input, input.token);
  if (answer == nullptr) answer = &(answer_ = {});
  while (!halted_ && engine_->last_seq() > engine_->durable_seq()) {
    if (answer != &answer_) answer_ = std::move(*answer);
    answer = run(Input{now_, 0, Durable{engine_->last_seq()}}, input.token);
    if (answer == nullptr) answer = &answer_;
  }
  engine_->changes().clear();  // for publishers of records; there are none here
  return *answer;
}

// The reply that is awaited; null: there is none yet.
Reply* SimEngine::run(const Input& input, Token awaited) {
  output_.clear();
  engine_->handle(input, output_);
  const bool quiet = output_.events.empty();
  for (const Watch& watch : observers_) {
    if (!quiet || !watch.events_only) watch.observer->on_step(*engine_, input, output_);
  }
  const auto found = std::find_if(output_.replies.begin(), output_.replies.end(),
                                  [&](const Reply& reply) { return reply.token == awaited; });
  return found == output_.replies.end() ? nullptr : &*found;
}

}  // namespace weir
