#include "cli/patience.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/format.h"

namespace weir::cli {
namespace {

std::int64_t milliseconds(std::chrono::nanoseconds since) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

}  // namespace

std::int64_t steady_ms() {
  return milliseconds(std::chrono::steady_clock::now().time_since_epoch());
}

bool is_passing(const Refused& refused) {
  const ErrorCode code = refused.error().code;
  return code == ErrorCode::kBusy || code == ErrorCode::kShuttingDown;
}

std::int64_t Patience::pause_ms() {
  if (!silent_since_ms_) return kAskEveryMs;
  constexpr std::int64_t kFirstMs = 200, kLongestMs = 5000;
  pause_ms_ = std::clamp(pause_ms_ * 2, kFirstMs, kLongestMs);
  return pause_ms_ - std::uniform_int_distribution<std::int64_t>(0, pause_ms_ / 2)(dice_);
}

void Patience::say_so(Context& context, const JobTracker& jobtracker) const {
  context.err << fmt::format("weir: no answer from the JobTracker at {}; trying again for {}\n",
                             jobtracker.address(), short_duration(limit_ms_));
}

}  // namespace weir::cli
