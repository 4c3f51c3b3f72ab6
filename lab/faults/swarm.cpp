#include "lab/faults/swarm.h"

namespace weir::faults {
namespace {

struct Kind {
  std::string_view name;
  std::string_view says;
  int most_per_thousand;  // where it may strike at all
};

constexpr std::array<Kind, kFaultKinds> kKinds = {{
    {"request_lost", "a message to the JobTracker never arrives", 200},
    {"reply_lost", "what it answered never arrives", 200},
    {"request_doubled", "a report arrives twice, the second time later", 200},
    {"message_late", "up to 20 s late, overtaken by others", 150},
    {"tracker_killed", "-9, with all its tasks; back later", 300},
    {"tracker_stalled", "its agent does nothing for up to 30 s", 300},
    {"tracker_cut_off", "no message gets through for up to 40 s", 300},
    {"jobtracker_killed", "-9, at any moment", 300},
    {"jobtracker_unplugged", "its disk loses what was not synced", 150},
    {"power_lost", "of all machines and disks likewise", 60},
    {"killed_in_commit", "-9 or unplugged, after a write, before its word", 60},
    {"store_error", "a write fails and leaves nothing", 100},
    {"store_slow", "a write takes up to 8 s", 100},
    {"settings_changed", "other settings are asked for", 300},
    {"policy_switched", "another policy is asked for", 300},
    {"clock_jumped", "a tracker's time of day jumps by up to 2.5 h", 300},
    {"disk_full", "a tracker's disk is full for a while", 200},
    {"task_failed", "an attempt fails", 250},
    {"task_hung", "an attempt gives no sign of life any more", 60},
    {"output_gone", "a map's output is gone from its tracker", 60},
    {"duty_hung", "a last duty takes up to 10 minutes", 600},
    {"task_takes_tracker_down", "an attempt ends with its tracker", 100},
    {"report_forged", "a stranger reports attempts never given to it", 300},
    {"store_swapped", "up to 50 writes fail: the file is another", 30},
}};

}  // namespace

std::string_view name(Fault fault) {
  return kKinds[static_cast<std::size_t>(fault)].name;
}

std::string_view says(Fault fault) {
  return kKinds[static_cast<std::size_t>(fault)].says;
}

Swarm::Swarm(Dice& dice) : dice_(dice) {
  const int kinds_percent = static_cast<int>(dice_.between(10, 90));
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    if (!dice_.chance(kinds_percent)) continue;
    per_thousand_[i] = static_cast<int>(dice_.between(1, kKinds[i].most_per_thousand));
  }
}

bool Swarm::strikes(Fault fault, int one_in) {
  const auto kind = static_cast<std::size_t>(fault);
  if (calm_ || per_thousand_[kind] == 0) return false;
  if (dice_.below(std::int64_t{1000} * one_in) >= per_thousand_[kind]) return false;
  ++struck_[kind];
  return true;
}

}  // namespace weir::faults
