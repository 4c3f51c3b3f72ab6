#include "jobqueue/store/group_committer.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

namespace weir {
namespace {

// While the store fails, every try writes all that is kept; so often at most.
constexpr std::chrono::milliseconds kBreath{20};

// Between two batches of tidying up while nothing is to be written.
constexpr std::chrono::milliseconds kTidyGap{5};

// Roughly what an event holds in memory. Constant time: a job may have a million splits.
std::size_t weight(const Event& event) {
  std::size_t bytes = sizeof(Event);
  if (const auto* submitted = fact_as<JobSubmitted>(event.fact)) {
    bytes += sizeof(JobSpec) + submitted->spec->splits.size() * 2 * sizeof(Split);
    for (const JobFile& file : submitted->spec->files) bytes += file.content.size();
  } else if (const auto* settings = fact_as<SettingsChanged>(event.fact)) {
    bytes += settings->settings->text.size();
  } else if (const auto* failed = fact_as<AttemptFailed>(event.fact)) {
    bytes += failed->diagnostics.size();
  } else if (const auto* done = fact_as<TaskSucceeded>(event.fact)) {
    if (done->counters) bytes += 256 * done->counters->size();
  }
  return bytes;
}

std::size_t weight(const std::vector<Event>& events) {
  std::size_t bytes = 0;
  for (const Event& event : events) bytes += weight(event);
  return bytes;
}

}  // namespace

GroupCommitter::GroupCommitter(Store& store, GroupWriterCallbacks callbacks,
                               GroupCommitterLimits limits)
    : limits_(limits),
      log_(callbacks.log),
      writer_(store, std::move(callbacks),
              [this](std::span<const Event> events) {
                for (const Event& event : events) waiting_bytes_ -= weight(event);
                waiting_events_ -= events.size();
              }),
      thread_([this] { run(); }) {}

GroupCommitter::~GroupCommitter() {
  stop();
}

void GroupCommitter::push(std::vector<Event> events) {
  std::erase_if(events, [](const Event& event) { return event.seq == 0; });
  if (events.empty()) return;
  const std::size_t bytes = weight(events);
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    waiting_events_ += events.size();
    waiting_bytes_ += bytes;
    auto& queue = queued_.events;
    if (queue.empty()) {
      queue = std::move(events);
    } else {
      queue.insert(queue.end(), std::make_move_iterator(events.begin()),
                   std::make_move_iterator(events.end()));
    }
  }
  wake_.notify_one();
}

void GroupCommitter::touch_time(TimeMs at) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    queued_.time = std::max(queued_.time.value_or(at), at);
  }
  wake_.notify_one();
}

void GroupCommitter::set_meta(std::string key, std::string value) {
  WEIR_CHECK(!is_reserved_meta_key(key), "the store's own keys are set by events");
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    queued_.meta.insert_or_assign(std::move(key), std::move(value));
  }
  wake_.notify_one();
}

void GroupCommitter::tidy(const Retention& retention) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    tidy_ = retention;
  }
  wake_.notify_one();
}

bool GroupCommitter::overloaded() const {
  return waiting_events_ >= limits_.events || waiting_bytes_ >= limits_.bytes;
}

void GroupCommitter::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void GroupCommitter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_something(lock);
    const bool last = stopping_;
    writer_.take(queued_);
    if (tidy_) tidying_ = std::exchange(tidy_, std::nullopt);
    lock.unlock();
    writer_.write();
    if (last) break;
    if (tidying_ && writer_.kept().empty() && !writer_.tidy(*tidying_)) tidying_.reset();
    lock.lock();
  }
  if (!writer_.kept().empty() && log_) {
    log_(true, "store: stopped with " + std::to_string(writer_.kept().events.size()) +
                   " reported events unwritten; they were not acknowledged");
  }
}

void GroupCommitter::wait_for_something(std::unique_lock<std::mutex>& lock) {
  const auto stopping = [this] { return stopping_; };
  const auto something = [this] { return stopping_ || tidy_ || !queued_.empty(); };
  if (!writer_.kept().empty()) {  // the store fails
    if (wake_.wait_for(lock, kBreath, stopping)) return;
    wake_.wait_for(lock, std::chrono::milliseconds(limits_.retry_after_ms), something);
  } else if (tidying_) {
    wake_.wait_for(lock, kTidyGap, something);
  } else {
    wake_.wait(lock, something);
  }
}

}  // namespace weir
