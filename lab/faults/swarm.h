// The faults of one seed. A seed draws which kinds it has at all, and how often each strikes (a
// swarm: few kinds at a time reach states that all of them together never would); the story asks
// whether one strikes now, and what struck is counted. Once calm, none does. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "lab/kit/dice.h"

namespace weir::faults {

enum class Fault : std::uint8_t {
  kRequestLost,       // on its way to the JobTracker
  kReplyLost,         // on its way back
  kRequestDoubled,    // the second copy comes later
  kMessageLate,       // by seconds; others overtake it
  kTrackerKilled,     // -9, with all its tasks; back after a while, or only at the end
  kTrackerStalled,    // its agent does nothing for a while, its tasks go on
  kTrackerCutOff,     // no message gets through, in either direction
  kJobTrackerKilled,  // -9, at any moment
  kJobTrackerUnplugged,  // its machine loses power, its disk what was not synced
  kPowerLost,       // all machines do, and the shared disk likewise
  kKilledInCommit,  // either, after the store has written and before anybody has been told
  kStoreError,      // a write fails, and leaves nothing
  kStoreSlow,       // a write takes seconds
  kSettingsChanged,
  kPolicySwitched,
  kClockJumped,  // of a tracker: what it shows as the time of day
  kDiskFull,     // of a tracker
  kTaskFailed,
  kTaskHung,    // no sign of life any more
  kOutputGone,  // a map's output cannot be fetched any more, though its tracker lives
  kDutyHung,    // a last duty, for minutes; it is done all the same then
  kTaskTakesTrackerDown,
  kReportForged,  // of attempts that were never given to who reports them
  kStoreSwapped,  // it is not the file that it was, until that is back
  kCount
};
inline constexpr std::size_t kFaultKinds = static_cast<std::size_t>(Fault::kCount);
std::string_view name(Fault fault);  // "reply_lost"
std::string_view says(Fault fault);  // what it is

class Swarm {
 public:
  using Counts = std::array<std::uint64_t, kFaultKinds>;

  explicit Swarm(Dice& dice);

  // Whether it strikes, of `chances` that it has: the more of these, the rarer each.
  bool strikes(Fault fault, int one_in = 1);
  void calm() { calm_ = true; }
  bool is_calm() const { return calm_; }
  const Counts& struck() const { return struck_; }

 private:
  Dice& dice_;
  std::array<int, kFaultKinds> per_thousand_{};
  Counts struck_{};
  bool calm_ = false;
};

}  // namespace weir::faults
