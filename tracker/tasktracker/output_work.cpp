#include "tracker/tasktracker/output_work.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

struct OutputWork::State {
  struct Call {
    std::string what;
    std::function<void()> call, then;
  };
  struct Running {
    std::string what;
    std::int64_t since_ms = 0;
  };

  std::mutex mutex;
  std::condition_variable ended;
  std::deque<Call> waiting;
  std::list<Running> running;
  std::int64_t hangs_after_ms = 0;
  bool stopped = false;
};

OutputWork::OutputWork(std::int64_t hangs_after_ms) : state_(std::make_shared<State>()) {
  state_->hangs_after_ms = hangs_after_ms;
}

bool OutputWork::begin(std::string what, std::function<void()> call, std::function<void()> then) {
  const std::lock_guard lock(state_->mutex);
  if (state_->stopped) return false;
  if (state_->running.size() >= kThreads) {
    const std::int64_t hang_since = steady_now_ms() - state_->hangs_after_ms;
    const auto hangs = [hang_since](const State::Running& r) { return r.since_ms <= hang_since; };
    const bool may_wait = !then && state_->waiting.size() < kMostWaiting;
    if (!may_wait && std::all_of(state_->running.begin(), state_->running.end(), hangs))
      return false;
    state_->waiting.push_back({std::move(what), std::move(call), std::move(then)});
    return true;
  }
  state_->waiting.push_back({std::move(what), std::move(call), std::move(then)});
  state_->running.push_back({"", steady_now_ms()});
  std::thread([state = state_, place = std::prev(state_->running.end())] {
    std::unique_lock held(state->mutex);
    while (!state->stopped && !state->waiting.empty()) {
      State::Call next = std::move(state->waiting.front());
      state->waiting.pop_front();
      *place = {std::move(next.what), steady_now_ms()};
      held.unlock();
      next.call();
      next.call = nullptr;
      held.lock();
      if (!state->stopped && next.then) next.then();
    }
    state->running.erase(place);
    state->ended.notify_all();
  }).detach();
  return true;
}

std::vector<std::string> OutputWork::running() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> all;
  for (const auto& each : state_->running) all.push_back(each.what);
  return all;
}

bool OutputWork::wait(std::chrono::milliseconds most) {
  std::unique_lock lock(state_->mutex);
  return state_->ended.wait_for(lock, most, [this] { return state_->running.empty(); });
}

void OutputWork::stop() {
  const std::lock_guard lock(state_->mutex);
  state_->stopped = true;
  state_->waiting.clear();
}

}  // namespace weir::tasktracker
