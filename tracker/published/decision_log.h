// What was decided lately, for people who ask "where have my slots gone": launches, kills with
// their reason and for whom, claims, refusals, switches, settings, trackers; the fields of the
// event log's lines (eventlog/), whether that is written or not.
//
// On the engine's thread a decision costs a record of 72 bytes that is written in place, names by
// number: no lock, and an allocation only for a name that is new in its segment; 0.23 us (-O2, 40
// trackers' names). Records lie in
// segments with the names that they need; a reader takes the segments there are (a mutex is held
// for that, and for every 512th decision), and makes words of those that are asked for. There are
// three rings, so that what is frequent does not push out what is rare: 65,536 of tasks and
// refusals, 32,768 of what becomes of jobs, 32,768 of the rest, in at most 24, 12 and 12 MiB with
// their names and texts. All but the first outlive a restart (tracker/past), and a reader is told
// since when nothing is missing; the event log is for those who must not lose any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/event.h"
#include "tracker/published/decision_segment.h"
#include "tracker/published/wall_clock.h"
#include "views/amount.h"
#include "views/decision_view.h"

namespace weir {

struct DecisionFilter {
  std::string queue;               // dotted path, which stands for all below it; empty: all
  std::optional<JobId> job;
  std::vector<std::string> kinds;  // events: "kill", "claim"; any of these; none: all
  TimeMs since = 0;                // wall clock
  std::int64_t before = 0;         // those below this number; 0: from the newest on
  std::size_t limit = 1'000;
};

struct DecisionPage {
  std::vector<DecisionView> decisions;  // newest first
  bool more = false;                    // behind the last of them
  // Of the kinds that were asked for, nothing that was decided since then is missing: wall clock.
  TimeMs complete_since = 0;
};

// Attempts killed for others, by the dotted path of their leaf and their class.
using KillCounts = std::map<std::string, std::array<std::int64_t, kTaskKindCount>, std::less<>>;

// What kills for others took, and threw away: slots, or what containers had, times milliseconds.
struct KillSum {
  std::int64_t attempts = 0;
  std::int64_t slot_ms = 0;  // a container counts as one, as in a queue's list of kills
  std::vector<Amount> amounts_ms;
};

class DecisionLog {
 public:
  using Segments = std::vector<std::shared_ptr<const DecisionSegment>>;

  // What outlives a restart, the oldest first.
  struct Kept {
    Segments rare, jobs;
  };
  // `first`: the number of the first decision; rises with every start. `past`: of those before.
  explicit DecisionLog(std::int64_t first, Kept past = {});

  // The first decision of a JobTracker's start. `killed`: the one before did not end by itself.
  // Before any other, and before there are readers.
  void note_start(TimeMs at, std::string_view version, bool killed);

  // The engine's thread. `engine` is as the step left it in which the event happened. Whether it
  // was noted.
  bool on(const Event& event, const Engine& engine);

  // Any thread, never waiting for the engine's; a filter that few pass takes some milliseconds. An
  // unknown kind is an error that says which there are.
  Result<DecisionPage> read(const DecisionFilter& filter, const WallClock& wall) const;
  static const std::vector<std::string>& kinds();
  std::int64_t first() const { return first_; }
  // What is to be kept; the last of each goes on.
  Kept kept() const { return {rare_.segments(), jobs_.segments()}; }
  // The preemptions behind number `after`, as far as they are still there; returns the number up to
  // which they are counted.
  std::int64_t count_kills(std::int64_t after, KillCounts& counts) const;
  // Of all preemptions that were ordered at `since` or later, in engine time.
  KillSum kills_since(TimeMs since) const;

 private:
  class Ring {
   public:
    Ring(std::size_t segments, std::size_t bytes) : segments_most_(segments), bytes_most_(bytes) {}
    void restore(Segments past);  // before any record
    // Nothing is missing since then, in engine time; of a ring that has lost nothing `begun`.
    TimeMs complete_since(TimeMs begun) const;
    // The engine's thread: where the next record goes, with room for its names.
    DecisionSegment& open();
    Segments segments() const;

   private:
    const std::size_t segments_most_;
    const std::size_t bytes_most_;
    std::size_t sealed_bytes_ = 0;
    std::shared_ptr<DecisionSegment> last_;  // the engine's thread
    mutable std::mutex mutex_;               // guards what follows
    std::deque<std::shared_ptr<const DecisionSegment>> segments_;
    bool goes_back_ = false;  // further than this start, or not as far: its first record says
  };

  class Writer;  // of one event's record

  Ring& ring_of(DecisionKind kind);
  TimeMs complete_since(std::uint32_t kinds) const;

  const std::int64_t first_;
  std::int64_t next_;  // number
  TimeMs begun_ = 0;   // engine time
  Ring busy_;
  Ring jobs_;
  Ring rare_;
  std::set<AttemptKey> ordered_;  // kills told, whose attempts have not ended
};

}  // namespace weir
