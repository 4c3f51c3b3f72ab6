#include "tracker/tasktracker/output_work.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

// Needs the mutex for all that it does.
struct OutputWork::State {
  struct Call {
    std::string what;
    std::function<void()> call, then;
  };
  struct Running {
    std::string user;
    Call call;
    std::int64_t since_ms = 0;
  };
  using Place = std::list<Running>::iterator;

  std::mutex mutex;
  std::condition_variable ended;
  std::map<std::string, std::deque<Call>> waiting;  // by user; none is empty
  std::list<Running> running;                       // one a thread
  std::string served;                               // whose turn was the last
  std::int64_t hangs_after_ms = 0;
  bool stopped = false;

  // Whether the user has fewer than are free, of those that count.
  template <class Counts>
  bool leaves_enough(const std::string& user, const Counts& counts) const {
    std::size_t all = 0;
    std::size_t his = 0;
    for (const Running& each : running) {
      if (!counts(each)) continue;
      ++all;
      if (each.user == user) ++his;
    }
    return his < kThreads - all;
  }
  bool may_begin(const std::string& user) const {
    return leaves_enough(user, [](const Running&) { return true; });
  }
  // Of those that run now, only what hangs stays.
  bool may_once_begin(const std::string& user) const {
    const std::int64_t hang_since = steady_now_ms() - hangs_after_ms;
    return leaves_enough(user, [&](const Running& each) { return each.since_ms <= hang_since; });
  }

  // The next call of the next user in turn who may have one; it counts as running from now on.
  Place next() {
    auto line = waiting.upper_bound(served);
    for (std::size_t looked = 0; looked < waiting.size(); ++looked, ++line) {
      if (line == waiting.end()) line = waiting.begin();
      if (!may_begin(line->first)) continue;
      served = line->first;
      running.push_back({served, std::move(line->second.front()), steady_now_ms()});
      line->second.pop_front();
      if (line->second.empty()) waiting.erase(line);
      return std::prev(running.end());
    }
    return running.end();
  }

  // An end may make room for calls of more than one user.
  static void begin_more(const std::shared_ptr<State>& state) {
    for (Place place = state->next(); place != state->running.end(); place = state->next())
      std::thread([state, place] { work(state, place); }).detach();
  }

  static void work(const std::shared_ptr<State>& state, Place place) {
    std::unique_lock held(state->mutex);
    while (place != state->running.end()) {
      auto call = std::exchange(place->call.call, nullptr);
      const auto then = std::exchange(place->call.then, nullptr);
      held.unlock();
      call();
      call = nullptr;  // and what it holds on to
      held.lock();
      if (!state->stopped && then) then();
      state->running.erase(place);
      place = state->next();
      begin_more(state);
    }
    state->ended.notify_all();
  }
};

OutputWork::OutputWork(std::int64_t hangs_after_ms) : state_(std::make_shared<State>()) {
  state_->hangs_after_ms = hangs_after_ms;
}

bool OutputWork::begin(const std::string& user, std::string what, std::function<void()> call,
                       std::function<void()> then) {
  const std::lock_guard lock(state_->mutex);
  if (state_->stopped) return false;
  const auto line = state_->waiting.find(user);
  const std::size_t before = line == state_->waiting.end() ? 0 : line->second.size();
  const bool may_wait = !then && before < kMostWaiting;
  if (!may_wait && !state_->may_once_begin(user)) return false;
  state_->waiting[user].push_back({std::move(what), std::move(call), std::move(then)});
  State::begin_more(state_);
  return true;
}

std::vector<std::string> OutputWork::running() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> all;
  for (const auto& each : state_->running) all.push_back(each.call.what);
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
