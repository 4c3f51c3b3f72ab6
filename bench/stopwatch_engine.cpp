#include "bench/stopwatch_engine.h"

#include <time.h>

#include <chrono>
#include <utility>

namespace weir::bench {

using std::chrono::steady_clock;

std::int64_t cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

std::int64_t StopwatchEngine::handle(Input& input, Output& output) {
  input.at = now;
  input.token = 1;
  const auto start = steady_clock::now();
  output.clear();
  engine_->handle(input, output);
  while (engine_->last_seq() > engine_->durable_seq()) {
    durable_.at = now;
    durable_.body = Durable{engine_->last_seq()};
    engine_->handle(durable_, output);
  }
  return std::chrono::nanoseconds(steady_clock::now() - start).count();
}

std::int64_t StopwatchEngine::handle(decltype(Input::body) body) {
  other_.body = std::move(body);
  const std::int64_t start = cpu_ns();
  handle(other_, output_);
  return cpu_ns() - start;
}

}  // namespace weir::bench
