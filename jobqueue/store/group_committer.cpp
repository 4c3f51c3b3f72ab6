#include "jobqueue/store/group_committer.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <utility>
#include <variant>

namespace weir {
namespace {

// While the store fails, every try writes all that is kept; so often at most.
constexpr std::chrono::milliseconds kBreath{20};

// So many times as long as the last group took, so that groups are at most a quarter of the time.
constexpr int kGatherTimes = 3;

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

std::chrono::steady_clock::duration GroupCommitterLimits::gather_after(
    std::chrono::steady_clock::duration took) const {
  const std::chrono::milliseconds least(gather_ms), most(std::max(gather_ms, gather_most_ms));
  return std::clamp<std::chrono::steady_clock::duration>(kGatherTimes * took, least, most);
}

GroupCommitter::GroupCommitter(Store& store, GroupWriterCallbacks callbacks,
                               GroupCommitterLimits limits)
    : limits_(limits),
      log_(callbacks.log),
      gather_(std::chrono::milliseconds(limits.gather_ms)),
      writer_(store, std::move(callbacks),
              [this](std::span<const Event> events) {
                for (const Event& event : events) waiting_bytes_ -= weight(event);
                waiting_events_ -= events.size();
              }),
      thread_([this] { run(); }) {}

GroupCommitter::~GroupCommitter() {
  stop();
}

void GroupCommitter::push(std::vector<Event> events, bool awaited) {
  std::erase_if(events, [](const Event& event) { return event.seq == 0; });
  if (events.empty()) return;
  const std::size_t bytes = weight(events);
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    waiting_events_ += events.size();
    waiting_bytes_ += bytes;
    auto& queue = queued_.events;
    const bool first = queue.empty();
    if (first) {
      queue = std::move(events);
      gathers_until_ = std::chrono::steady_clock::now() + gather_;
    } else {
      queue.insert(queue.end(), std::make_move_iterator(events.begin()),
                   std::make_move_iterator(events.end()));
    }
    awaited_ = awaited_ || awaited || queue.size() >= limits_.gather_events;
    if (!first && !awaited_) return;  // the thread looks by itself
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
    awaited_ = true;
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

void GroupCommitter::put_series(SeriesWrite write) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    waiting_series_ += write.rows.size();
    for (const SeriesRetention& keep : write.keep) {
      std::erase_if(series_.keep, [&](const auto& before) { return before.step == keep.step; });
      series_.keep.push_back(keep);
    }
    if (series_.rows.empty()) {
      series_.rows = std::move(write.rows);
    } else {
      std::move(write.rows.begin(), write.rows.end(), std::back_inserter(series_.rows));
    }
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
  ::pthread_setname_np(::pthread_self(), "store");
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_something(lock);
    const bool last = stopping_;
    writer_.take(queued_);
    awaited_ = false;
    gathers_until_.reset();
    if (tidy_) tidying_ = std::exchange(tidy_, std::nullopt);
    if (writing_series_.empty()) writing_series_ = std::exchange(series_, {});
    lock.unlock();
    const auto begun = std::chrono::steady_clock::now();
    writer_.write();
    const auto took = std::chrono::steady_clock::now() - begun;
    write_series(last);
    if (last) break;
    if (tidying_ && writer_.kept().empty() && !writer_.tidy(*tidying_)) tidying_.reset();
    lock.lock();
    gather_ = limits_.gather_after(took);
  }
  if (!writer_.kept().empty() && log_) {
    log_(true, "store: stopped with " + std::to_string(writer_.kept().events.size()) +
                   " reported events unwritten; they were not acknowledged");
  }
}

// Some of them; at the end all, for nothing comes any more. A store that fails has other cares.
void GroupCommitter::write_series(bool all) {
  if (!writer_.kept().empty()) {
    waiting_series_ -= writing_series_.rows.size() - series_written_;
    writing_series_ = {};
    series_written_ = 0;
  }
  if (writing_series_.empty()) return;
  write_some_series(all ? kSeriesWaiting : kSeriesRows);
  if (!all) return;
  if (writing_series_.empty()) writing_series_ = std::exchange(series_, {});
  write_series(all);
}

void GroupCommitter::write_some_series(std::size_t most) {
  const std::span<const SeriesRow> rows = writing_series_.rows;
  const std::span<const SeriesRow> now =
      rows.subspan(series_written_, std::min(most, rows.size() - series_written_));
  series_written_ += now.size();
  const bool done = series_written_ == rows.size();
  writer_.put_series(now, done ? std::span<const SeriesRetention>(writing_series_.keep)
                               : std::span<const SeriesRetention>());
  waiting_series_ -= now.size();
  if (!done) return;
  writing_series_ = {};
  series_written_ = 0;
}

void GroupCommitter::wait_for_something(std::unique_lock<std::mutex>& lock) {
  const auto stopping = [this] { return stopping_; };
  const auto something = [this] {
    return stopping_ || tidy_ || !queued_.empty() || (writing_series_.empty() && !series_.empty());
  };
  if (!writer_.kept().empty()) {  // the store fails
    if (wake_.wait_for(lock, kBreath, stopping)) return;
    wake_.wait_for(lock, std::chrono::milliseconds(limits_.retry_after_ms), something);
  } else if (tidying_ || !writing_series_.empty()) {
    wake_.wait_for(lock, kTidyGap, something);
  } else {
    wake_.wait(lock, something);
  }
  if (gathers_until_)
    wake_.wait_until(lock, *gathers_until_, [this] { return awaited_ || stopping_; });
}

}  // namespace weir
