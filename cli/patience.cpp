#include "cli/patience.h"

#include <fmt/format.h>

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

std::int64_t epoch_ms() {
  return milliseconds(std::chrono::system_clock::now().time_since_epoch());
}

void Patience::say_so(Context& context, const JobTracker& jobtracker) {
  context.err << fmt::format("weir: no answer from the JobTracker at {}; trying again for {}\n",
                             jobtracker.address(), short_duration(kPatienceMs));
}

}  // namespace weir::cli
