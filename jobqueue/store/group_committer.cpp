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
  if (const auto* submitted = std::get_if<JobSubmitted>(&event.fact)) {
    bytes += sizeof(JobSpec) + submitted->spec->splits.size() * 2 * sizeof(Split);
  } else if (const auto* settings = std::get_if<SettingsChanged>(&event.fact)) {
    bytes += settings->settings->text.size();
  } else if (const auto* failed = std::get_if<AttemptFailed>(&event.fact)) {
    bytes += failed->diagnostics.size();
  } else if (const auto* done = std::get_if<TaskSucceeded>(&event.fact)) {
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

GroupCommitter::GroupCommitter(Store& store, GroupCommitterCallbacks callbacks,
                               GroupCommitterLimits limits)
    : store_(store),
      callbacks_(std::move(callbacks)),
      limits_(limits),
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
  Group group;
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_something(lock, group);
    const bool last = stopping_;
    const bool fresh = take(&group);
    if (tidy_) tidying_ = std::exchange(tidy_, std::nullopt);
    lock.unlock();
    write(&group, fresh);
    if (last) break;
    if (tidying_ && group.empty()) tidy_some();
    lock.lock();
  }
  if (!group.empty() && callbacks_.log) {
    callbacks_.log(true, "store: stopped with " + std::to_string(group.events.size()) +
                             " reported events unwritten; they were not acknowledged");
  }
}

void GroupCommitter::wait_for_something(std::unique_lock<std::mutex>& lock, const Group& group) {
  const auto stopping = [this] { return stopping_; };
  const auto something = [this] { return stopping_ || tidy_ || !queued_.empty(); };
  if (group.empty() && tidying_) {
    wake_.wait_for(lock, kTidyGap, something);
  } else if (group.empty()) {
    wake_.wait(lock, something);
  } else if (!wake_.wait_for(lock, kBreath, stopping)) {
    wake_.wait_for(lock, std::chrono::milliseconds(limits_.retry_after_ms), something);
  }
}

void GroupCommitter::tidy_some() {
  const Result<bool> more = store_.tidy(*tidying_);
  // That it could free pages does not say that a full store takes events again.
  if (!more.ok()) note(more.error());
  if (!more.ok() || !*more) tidying_.reset();
}

bool GroupCommitter::take(Group* group) {
  const bool fresh = !queued_.events.empty();
  if (fresh) last_seq_taken_ = queued_.events.back().seq;
  if (group->events.empty()) {
    group->events.swap(queued_.events);  // the two buffers take turns
  } else {
    std::move(queued_.events.begin(), queued_.events.end(), std::back_inserter(group->events));
  }
  if (queued_.time) group->time = std::max(group->time.value_or(*queued_.time), *queued_.time);
  for (auto& [key, value] : queued_.meta) group->meta.insert_or_assign(key, std::move(value));
  queued_.events.clear();
  queued_.time.reset();
  queued_.meta.clear();
  return fresh;
}

void GroupCommitter::write(Group* group, bool fresh) {
  if (group->empty()) return;
  Status written = Ok{};
  if (!group->events.empty()) {
    written = store_.append(group->events);
    if (written.ok()) {
      release(&group->events, 0);
      callbacks_.on_durable(last_seq_taken_);
    } else {
      refuse_commands(&group->events);
      if (fresh) callbacks_.on_failed(last_seq_taken_, written.error().message);
    }
  }
  while (written.ok() && !group->meta.empty()) {
    const auto first = group->meta.begin();
    written = store_.set_meta(first->first, first->second);
    if (written.ok()) group->meta.erase(first);
  }
  if (written.ok() && group->time) {
    written = store_.touch_time(*group->time);
    if (written.ok()) group->time.reset();
  }
  note(written);
}

void GroupCommitter::refuse_commands(std::vector<Event>* events) {
  const auto facts_end = std::stable_partition(
      events->begin(), events->end(), [](const Event& event) { return !is_command(event.fact); });
  release(events, static_cast<std::size_t>(facts_end - events->begin()));
}

void GroupCommitter::release(std::vector<Event>* events, std::size_t kept) {
  for (std::size_t i = kept; i < events->size(); ++i) waiting_bytes_ -= weight((*events)[i]);
  waiting_events_ -= events->size() - kept;
  events->resize(kept);
}

void GroupCommitter::note(const Status& written) {
  const bool failing = !written.ok();
  if (failing == failing_) return;
  failing_ = failing;
  if (!callbacks_.log) return;
  if (failing) {
    const Error& error = written.error();
    callbacks_.log(true, error.message + (error.hint.empty() ? "" : "; " + error.hint));
  } else {
    callbacks_.log(false, "store: writes again");
  }
}

}  // namespace weir
