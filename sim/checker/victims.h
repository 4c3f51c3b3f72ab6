// Whether a claim could be served by killing: a constructive search that is sound, so what it finds
// is a permitted, useful victim within budget, and as simple as can be; it does not say which
// victim is the right one. The claimant needs a task that could start on the victim's very tracker
// with what is freed; victims' queues stay at or above what is allocated to them. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/checker/census.h"
#include "sim/checker/expected.h"

namespace weir::check {

// Slot-milliseconds that each queue, by path, lost to preemption in the last hour.
using Losses = std::map<std::string, std::int64_t>;

struct Victims {
  TrackerId tracker;
  std::vector<AttemptSlot> attempts;
  std::int64_t slots = 0;  // width of the claimant's task that could start there
};

struct VictimSearch {
  const Census& census;
  const std::vector<ExpectedQueue>& lines;  // of the claim's class
  TaskKind kind;
  TimeMs now;
  const Losses& losses;

  // For a claim of the queue with `need` slots unmet, beside `coming` free ones that it may use.
  std::optional<Victims> find(QueueId claimant, std::int64_t need, std::int64_t coming = 0) const;
  // Whether the leaf and its family below the claimant's stay at AC if it loses the slots, and
  // those in `gone` besides.
  bool stays_at_allocation(QueueId leaf, std::int64_t slots, QueueId claimant,
                           const std::map<QueueId, std::int64_t>& gone) const;
  bool within_budget(QueueId leaf, std::int64_t slot_ms) const;
  // The claimant has a task of `width`, besides `coming` ones, that could start on the tracker next
  // to `held`.
  bool could_start(QueueId claimant, std::int64_t width, const TrackerState& tracker,
                   const Resources& held, std::int64_t coming = 0) const;

 private:
  bool full_when_served(QueueId claimant, std::int64_t width, std::int64_t coming) const;
  bool is_kept(const TrackerState& tracker) const;
  // `narrower`: slots that narrower tasks of the claimant want, and may get where any are free.
  std::optional<Victims> find_on(const TrackerState& tracker, QueueId claimant, std::int64_t width,
                                 std::int64_t narrower, std::int64_t coming) const;
};

}  // namespace weir::check
