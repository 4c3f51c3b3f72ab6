// How groups of events reach the store, without a thread: the GroupCommitter's writer, and the same
// under faults in simulation. What has gathered is written as one transaction. A group that cannot
// be written is settled as DESIGN says: its commands are dropped for good and their askers told
// (on_failed), its facts are kept and written in front of the next group. So the order on disk is
// always the order of seq, and on_failed(n) comes before any on_durable of a higher seq. One thread
// at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jobqueue/model/event.h"
#include "jobqueue/store/store.h"

namespace weir {

struct GroupWriterCallbacks {
  // Everything up to `seq` that was not refused before is on disk.
  std::function<void(std::uint64_t seq)> on_durable;
  // Commands up to `seq` that are not durable yet never will be; facts are being retried.
  std::function<void(std::uint64_t seq, const std::string& message)> on_failed;
  // Optional: the store began to fail, or works again. One line each time, not one a retry.
  std::function<void(bool failing, const std::string& message)> log;
  // Optional: a group of so many events was written, or was not, in so long.
  std::function<void(std::size_t events, std::chrono::steady_clock::duration took, bool ok)> wrote;
};

struct WriteGroup {
  std::vector<Event> events;
  std::optional<TimeMs> time;
  std::map<std::string, std::string> meta;
  bool empty() const { return events.empty() && !time && meta.empty(); }
};

class GroupWriter {
 public:
  // `released`, optional: is shown events that are written or dropped, before they go.
  GroupWriter(Store& store, GroupWriterCallbacks callbacks,
              std::function<void(std::span<const Event>)> released = nullptr);

  // Takes over what is in `queued`, which is left empty.
  void take(WriteGroup& queued);
  // What is still to be written: after write(), facts that could not be.
  const WriteGroup& kept() const { return group_; }
  void write();
  // A batch of tidying up; whether there is more.
  bool tidy(const Retention& retention);
  // Pieces of series, once: what cannot be written is left out.
  void put_series(std::span<const SeriesRow> rows, std::span<const SeriesRetention> keep);

 private:
  void write_events(Status& written);
  void release(std::size_t kept);  // forgets all events but the first `kept`
  void note(const Status& written);

  Store& store_;
  const GroupWriterCallbacks callbacks_;
  const std::function<void(std::span<const Event>)> released_;
  WriteGroup group_;
  bool fresh_ = false;  // events have come since the last write
  bool failing_ = false;
  std::uint64_t last_seq_taken_ = 0;
};

}  // namespace weir
