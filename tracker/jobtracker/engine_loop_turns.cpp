// Whose turn it is to run the engine. A turn is a flag and not a lock: who finds it taken leaves
// his input in the queue and goes, and nobody but the engine's own thread waits for it.
//
// The own thread sleeps until something is due (a tick, publishing, the store's clock), or until
// somebody wakes it: for a request of a client, for an answer of the store, for what gathered while
// another thread had the turn. Once it waits for the turn nobody else takes it, so a stream of
// heartbeats does not keep it from its duties.
#include <algorithm>

#include "tracker/jobtracker/engine_loop.h"

namespace weir {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// Whoever comes with a tracker's input does at most so many of those that gathered meanwhile; what
// is more is left to the engine's own thread.
constexpr std::size_t kOthersInputs = 32;

}  // namespace

// --- The engine's own thread ---

void EngineLoop::run() {
  while (take_turn()) {
    work(batch_);
    batch_.clear();
    work_on_requests();
    publish_if_due();
    publisher_.expire(steady_clock::now());
    give_turn();
  }
}

// With what has gathered; false at the end, when the turn is nobody's any more.
bool EngineLoop::take_turn() {
  std::unique_lock lock(mutex_);
  const auto any = [this] { return !queue_.empty() || !requests_.empty() || closed_; };
  if (sleeps_until_ && !any())
    work_.wait_until(lock, *sleeps_until_, [&] { return any() || !sleeps_until_; });
  sleeps_until_.reset();
  own_thread_waits_ = true;
  turn_free_.wait(lock, [this] { return !turn_taken_; });
  own_thread_waits_ = false;
  turn_taken_ = true;
  batch_.swap(queue_);
  return !(closed_ && batch_.empty() && requests_.empty());
}

void EngineLoop::give_turn() {
  const auto until = next_duty();
  const std::lock_guard lock(mutex_);
  sleeps_until_ = until;
  turn_taken_ = false;
}

// What nobody's input asks for.
steady_clock::time_point EngineLoop::next_duty() const {
  const TimeMs now = time_.now();
  const TimeMs duty = std::min(engine_->next_tick(), touched_at_ + options_.touch_gap_ms);
  auto until = steady_clock::now() + milliseconds(std::clamp<TimeMs>(duty - now, 1, 1'000));
  const Changes& changes = engine_->changes();
  if (!changes.jobs.empty() || !changes.trackers.empty() || changes.queues || any_to_show()) {
    until = std::min(until, publish_due());
  }
  return until;
}

// --- The threads that bring what trackers say ---

bool EngineLoop::free_for_trackers() const {
  return !turn_taken_ && !own_thread_waits_ && !closed_ && queue_.size() <= kOthersInputs;
}

// The turn is taken. Others may come with inputs while this thread is at its own.
void EngineLoop::take_turn_here() noexcept {
  for (std::size_t done = 0;;) {
    {
      const std::lock_guard lock(mutex_);
      batch_.swap(queue_);
    }
    done += batch_.size();
    for (Item& item : batch_) step(item);
    batch_.clear();
    push_durable(time_.now());
    const auto duty = next_duty();
    const std::lock_guard lock(mutex_);
    if (!queue_.empty() && !own_thread_waits_ && done + queue_.size() <= kOthersInputs) continue;
    turn_taken_ = false;
    if (own_thread_waits_) {
      turn_free_.notify_one();
    } else if (sleeps_until_ && (!queue_.empty() || duty < *sleeps_until_)) {
      sleeps_until_.reset();
      work_.notify_one();
    }
    return;
  }
}

}  // namespace weir
