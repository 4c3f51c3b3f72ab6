// The writer thread between the engine and its store. push() never waits for the disk; the thread
// takes whatever has gathered meanwhile and writes it as one transaction (group_writer.h), so that
// the slower the disk, the larger the groups. Events for which nobody waits gather for a few
// milliseconds before that, and the longer the more a group costs: each is a sync of the disk, and
// writes whole pages however few rows of them are new. What could not be written is
// retried in front of the next group, or after a while alone. The queue takes everything; its bound
// is advice: the daemon asks overloaded() and refuses new submissions. All callbacks run on the
// writer thread, one at a time, and must neither block nor call stop().
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "jobqueue/model/event.h"
#include "jobqueue/store/group_writer.h"
#include "jobqueue/store/store.h"

namespace weir {

struct GroupCommitterLimits {
  std::size_t events = 200'000;           // waiting, being written or being retried
  std::size_t bytes = 256 * 1024 * 1024;  // roughly, of the same
  DurationMs retry_after_ms = 1'000;
  // Events for which nobody waits gather three times as long as the last group took to write, at
  // least and at most so long, or until there are so many.
  DurationMs gather_ms = 5;
  DurationMs gather_most_ms = 25;
  std::size_t gather_events = 4'000;

  // How long events for which nobody waits gather, when the last group took so long.
  std::chrono::steady_clock::duration gather_after(std::chrono::steady_clock::duration took) const;
};

class GroupCommitter {
 public:
  static constexpr std::size_t kSeriesRows = 64;
  static constexpr std::size_t kSeriesWaiting = 2'048;

  // From here until stop() the store belongs to the writer thread.
  GroupCommitter(Store& store, GroupWriterCallbacks callbacks, GroupCommitterLimits limits = {});
  ~GroupCommitter();  // as stop()
  GroupCommitter(const GroupCommitter&) = delete;
  GroupCommitter& operator=(const GroupCommitter&) = delete;

  // Events with seq 0 are left out. Calls from several threads are taken in the order in which they
  // come; the seqs must rise in that order. After stop() nothing is taken any more. `awaited`:
  // somebody waits for these, or for earlier ones, to be durable.
  void push(std::vector<Event> events, bool awaited = true);

  // Written behind whatever was pushed before; retried like facts until written. A value that must
  // not be stored unless a command was (the hash of a settings file) is given only after that
  // command's on_durable.
  void touch_time(TimeMs at);
  void set_meta(std::string key, std::string value);

  // Lets what may leave the store leave it, batch by batch, one after each group at most. What has
  // not gone when the next call comes, or when a batch fails, is left to that call.
  void tidy(const Retention& retention);

  // Pieces of series, in transactions of kSeriesRows between two groups, as tidying up; `keep` goes
  // with the last of them. Whoever has many looks for room first: nothing is refused.
  void put_series(SeriesWrite write);
  bool room_for_series() const { return waiting_series_ < kSeriesWaiting; }

  bool overloaded() const;
  std::size_t waiting_events() const { return waiting_events_; }
  std::size_t waiting_bytes() const { return waiting_bytes_; }

  // Writes what is there and ends the thread. Facts that cannot be written then are lost and
  // logged; they were never acknowledged.
  void stop();

 private:
  void run();
  void wait_for_something(std::unique_lock<std::mutex>& lock);
  void write_series(bool all);
  void write_some_series(std::size_t most);

  const GroupCommitterLimits limits_;
  const std::function<void(bool failing, const std::string& message)> log_;

  std::mutex mutex_;
  std::condition_variable wake_;
  WriteGroup queued_;
  std::optional<Retention> tidy_;
  SeriesWrite series_;
  bool awaited_ = false;
  std::chrono::steady_clock::duration gather_;
  std::optional<std::chrono::steady_clock::time_point> gathers_until_;
  bool stopping_ = false;
  std::atomic<std::size_t> waiting_events_{0};
  std::atomic<std::size_t> waiting_bytes_{0};
  std::atomic<std::size_t> waiting_series_{0};

  // The writer thread's own.
  GroupWriter writer_;
  std::optional<Retention> tidying_;
  SeriesWrite writing_series_;
  std::size_t series_written_ = 0;  // rows of it
  std::thread thread_;
};

}  // namespace weir
