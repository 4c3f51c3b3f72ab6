#include "cli/patience.h"

#include <fmt/format.h>

#include <chrono>

#include "cli/format.h"

namespace weir::cli {

std::int64_t steady_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

std::int64_t epoch_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

void Patience::say_so(Context& context, const JobTracker& jobtracker) {
  context.err << fmt::format("weir: no answer from the JobTracker at {}; trying again for {}\n",
                             jobtracker.address(), short_duration(kPatienceMs));
}

}  // namespace weir::cli
