#include "sim/sim_engine.h"

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

Reply SimEngine::handle(Input& input) {
  if (halted_) return {};
  input.at = now_;
  input.token = ++token_;
  Reply answer;
  run(input, input.token, answer);
  while (!halted_ && engine_->last_seq() > engine_->durable_seq()) {
    run(Input{now_, 0, Durable{engine_->last_seq()}}, input.token, answer);
  }
  engine_->changes().clear();  // for publishers of records; there are none here
  return answer;
}

void SimEngine::run(const Input& input, Token awaited, Reply& answer) {
  output_.clear();
  engine_->handle(input, output_);
  for (Observer* observer : observers_) observer->on_step(*engine_, input, output_);
  for (Reply& reply : output_.replies) {
    if (reply.token == awaited) answer = std::move(reply);
  }
}

}  // namespace weir
