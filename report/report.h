// What a report is made of: plain records, of a simulated run or of a JobTracker's history. Series
// are bounded before they come here (timeline.h), jobs are the slowest only, waits are one number a
// job. Slots are means over a point's span, so an area under a line is slot-time. What the ruling
// policy does not have, is std::nullopt. Plain values, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/time.h"

namespace weir::report {

// What is counted: a class of slots, or a dimension of containers.
struct Counted {
  std::string name;  // "Maps", "memory"
  std::string many;  // so many of it: "slots", "MB"
  std::string one;   // and for a time: "slot", "MB"
};
std::vector<Counted> slot_classes();
std::vector<Counted> container_classes(const std::vector<std::string>& dimensions);

// A queue's (or pool's) figures in one class, in slots, or in one dimension.
struct Figures {
  double running = 0;
  double pending = 0;
  std::optional<double> guaranteed;
  std::optional<double> allocated;
  std::optional<double> lent;      // of its guarantee, allocated to others
  std::optional<double> borrowed;  // running above its guarantee
  std::optional<double> share;     // fair share
};

struct Point {
  TimeMs from = 0, to = 0;
  std::vector<Figures> of = std::vector<Figures>(kTaskKindCount);  // of each of Report::classes
  double kills = 0;  // of its tasks, for others
  std::vector<double> wasted_slot_s;  // what these had had, of each class; may be shorter
};

// Slots over time. Of the cluster `guaranteed` is the number of its slots.
struct Series {
  std::string queue;  // dotted path
  std::vector<Point> points;
};

struct QueueTotals {
  std::string queue;
  std::uint64_t succeeded = 0, failed = 0, killed = 0, unfinished = 0;
  std::vector<DurationMs> waits;      // submission to first launch, of jobs that were launched
  std::vector<DurationMs> responses;  // submission to end, of jobs that have ended
  using Times = std::vector<std::optional<double>>;
  std::vector<double> used_slot_s = std::vector<double>(kTaskKindCount);  // of each class
  Times lent_slot_s = Times(kTaskKindCount), borrowed_slot_s = Times(kTaskKindCount);
  std::uint64_t lost = 0;  // tasks killed for others, and what they had had, as in Point
  std::vector<double> wasted_slot_s = {};
  std::uint64_t gained = 0;  // tasks of others that were killed for it
  std::uint64_t jobs() const { return succeeded + failed + killed; }
};

struct Kills {
  std::string victim, claimant, reason;
  std::uint64_t count = 0;
  std::vector<double> wasted_slot_s = {};
};

struct SlowJob {
  std::string id, name, user, queue, state;
  TimeMs submitted_at = 0;
  std::optional<DurationMs> wait_ms;  // none: no task of it was ever launched
  DurationMs response_ms = 0;
  std::uint64_t maps = 0, reduces = 0;
  std::uint64_t lost_attempts = 0;  // failed or killed
};

struct Report {
  std::string title;
  std::string subtitle;                                       // of what, in a sentence
  std::vector<std::pair<std::string, std::string>> made_from;  // what, value
  std::vector<std::string> notes;                             // what a reader must know besides
  TimeMs from = 0, to = 0;
  bool wall_clock = false;  // times are moments; otherwise they count from 0
  std::vector<Counted> classes = slot_classes();
  Series cluster;
  std::vector<double> slot_s = std::vector<double>(kTaskKindCount);  // that the cluster had
  std::vector<Series> queues;                                        // leaves
  std::vector<QueueTotals> totals;                                   // of leaves, too
  bool slots() const { return classes.front().one == "slot"; }
  std::vector<Kills> kills;
  // Of what was thrown away that which ran while there are figures of use; none: all of it.
  std::optional<double> wasted_seen_slot_s;
  std::vector<SlowJob> slowest;  // the slowest first
};

// The whole file. No script, nothing fetched; every string of the records is escaped.
std::string html(const Report& report);

}  // namespace weir::report
