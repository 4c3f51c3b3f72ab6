#include "web/server/event_stream.h"

#include <algorithm>

namespace weir::web {

EventStream::EventStream(std::shared_ptr<ByteBudget> budget, BudgetShare share,
                         std::size_t most_bytes, SharedText too_slow, std::function<void()> wake)
    : budget_(std::move(budget)),
      share_(std::move(share)),
      most_bytes_(most_bytes),
      too_slow_(std::move(too_slow)),
      wake_(std::move(wake)) {}

bool EventStream::send(SharedText text) {
  if (!text || text->empty()) return !over();
  bool taken = false;
  {
    const std::lock_guard lock(mutex_);
    if (over_) return false;
    const std::size_t bytes = unsent_ + text->size();
    taken = bytes <= most_bytes_ && share_.resize(bytes);
    if (taken) {
      unsent_ = bytes;
      waiting_.push_back(std::move(text));
    } else {
      end_with(too_slow_);
    }
  }
  wake_();
  return taken;
}

void EventStream::finish(SharedText text) {
  {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    if (text) {
      unsent_ += text->size();  // few bytes, once: they need no room
      waiting_.push_back(std::move(text));
    }
    over_ = true;
  }
  wake_();
}

// What is being written is with the connection, and counts until it is done.
void EventStream::end_with(SharedText text) {
  for (const SharedText& dropped : waiting_) unsent_ -= dropped->size();
  waiting_.clear();
  share_.resize(unsent_);
  if (text) {
    waiting_.push_back(std::move(text));
    unsent_ += waiting_.back()->size();
  }
  over_ = true;
}

SharedText EventStream::next() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return nullptr;
  SharedText text = std::move(waiting_.front());
  waiting_.pop_front();
  return text;
}

void EventStream::written(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  unsent_ -= std::min(unsent_, bytes);
  if (share_.held() > unsent_) share_.resize(unsent_);
}

bool EventStream::finished() const {
  const std::lock_guard lock(mutex_);
  return over_ && waiting_.empty();
}

void EventStream::close() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  waiting_.clear();
  unsent_ = 0;
  share_.resize(0);
}

}  // namespace weir::web
