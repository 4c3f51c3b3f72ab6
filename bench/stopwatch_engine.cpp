#include "bench/stopwatch_engine.h"

#include <chrono>
#include <utility>

namespace weir::bench {

using std::chrono::steady_clock;

std::int64_t StopwatchEngine::handle(Input& input) {
  input.at = now;
  input.token = 1;
  const auto start = steady_clock::now();
  output_.clear();
  engine_->handle(input, output_);
  while (engine_->last_seq() > engine_->durable_seq()) {
    durable_.at = now;
    durable_.body = Durable{engine_->last_seq()};
    engine_->handle(durable_, output_);
  }
  return std::chrono::nanoseconds(steady_clock::now() - start).count();
}

std::int64_t StopwatchEngine::handle(decltype(Input::body) body) {
  other_.body = std::move(body);
  return handle(other_);
}

}  // namespace weir::bench
