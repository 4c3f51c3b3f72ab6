#include "tracker/published/change_feed.h"

#include <pthread.h>

#include <utility>

namespace weir {

using Clock = ChangeLog::Clock;

ChangeFeed::ChangeFeed(const ViewPublisher& publisher, ChangeLog::Encoder encoder,
                       ChangeLogLimits limits)
    : publisher_(publisher), log_(std::move(encoder), limits), thread_([this] { run(); }) {}

ChangeFeed::~ChangeFeed() {
  stop();
}

ChangeFeed::Subscription ChangeFeed::subscribe(std::optional<std::int64_t> seen,
                                               Listener listener) {
  Subscription out;
  {
    const std::lock_guard lock(mutex_);
    if (!log_.seen()) log_.begin(publisher_.latest());
    out.version = log_.seen()->version;
    if (seen) {
      auto missed = log_.since(*seen);
      out.reload = !missed;
      if (missed) out.missed = std::move(*missed);
    }
    out.token = ++last_token_;
    listeners_.emplace(out.token, std::make_shared<const Listener>(std::move(listener)));
  }
  wake_.notify_one();
  return out;
}

void ChangeFeed::unsubscribe(std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(token);
  if (listeners_.empty()) left_at_ = Clock::now();
}

std::size_t ChangeFeed::listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size();
}

void ChangeFeed::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void ChangeFeed::run() {
  ::pthread_setname_np(::pthread_self(), "changes");
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (listeners_.empty() && log_.seen() && Clock::now() > left_at_ + kLinger) log_.clear();
    if (!log_.seen()) {
      wake_.wait(lock, [this] { return stopped_ || log_.seen(); });
    } else {
      wake_.wait_for(lock, kLook, [this] { return stopped_; });
    }
    if (stopped_ || !log_.due(Clock::now(), publisher_.version())) continue;
    PublishedViewsPtr before = log_.seen();
    lock.unlock();
    tell(std::move(before));
    lock.lock();
  }
}

void ChangeFeed::tell(PublishedViewsPtr before) {
  const ChangeLog::News news = log_.make(std::move(before), publisher_.latest());
  std::map<std::uint64_t, std::shared_ptr<const Listener>> listeners;
  {
    const std::lock_guard lock(mutex_);
    log_.keep(Clock::now(), news);
    listeners = listeners_;
  }
  for (const auto& [token, listener] : listeners) (*listener)(news.batch, news.changes);
}

}  // namespace weir
