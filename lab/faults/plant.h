// Errors put into the product on purpose, to see whether the world would find them: a switch for
// tests only. Each is a mistake that somebody could make in the JobTracker, its store or a tracker.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace weir::faults {

enum class Planted : std::uint8_t {
  kNone,
  kReplyBeforeCommit,    // the engine is told that events are durable before they are written
  kLostKill,             // a kill is answered, and not written
  kLostFinish,           // a task's end is acknowledged, and not written
  kLostSubmission,       // a job is answered, and not written
  kLostSettings,         // new settings are answered, and not written
  kNumbersStartOver,     // a restart gives out attempts' numbers again
  kDoubleCommit,         // every attempt that asks may publish, and the newest replaces
  kStaleSequence,        // an old report is taken for a new one
  kReadoptionForgotten,  // what trackers run is not believed after a restart
  kDutyForgotten,        // the last duty of a job is not given again after a restart
  kLateCommit,           // a tracker publishes although the order has become old
  kLogNotSynced,         // SQLite is told that its log is on the disk, and it is not
  kFileNotSynced,        // an output's content is not synced before it is published
  kDirectoryNotSynced,   // names in directories are not: published and removed for now only
  kDroppedBeforeDurable,  // files of a job are dropped before its end is on the disk
  kFactsReordered,        // facts of a group that failed are written again in another order

  kCount
};

std::string_view name(Planted planted);
std::optional<Planted> parse_planted(std::string_view word);
std::vector<std::string_view> planted_names();

struct Plant {
  Planted planted = Planted::kNone;
  bool is(Planted other) const { return planted == other; }
};

}  // namespace weir::faults
