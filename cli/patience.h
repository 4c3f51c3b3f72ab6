// How long a command that watches jobs bears with a JobTracker that does not answer: jobs are
// durable and go on, so a restart of the JobTracker should not end the watching. The first silence
// is told on stderr; after kPatienceMs the trouble is passed on. One thread.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/connection.h"
#include "cli/context.h"

namespace weir::cli {

inline constexpr std::int64_t kAskEveryMs = 500;  // between two looks at the jobs

std::int64_t steady_ms();
std::int64_t epoch_ms();

class Patience {
 public:
  static constexpr std::int64_t kPatienceMs = 120'000;

  void answered() { silent_since_ms_.reset(); }
  // Inside a catch: throws the trouble on when it has lasted too long. `first` runs before the line
  // on stderr.
  template <class First>
  void no_answer(Context& context, const JobTracker& jobtracker, First&& first) {
    const std::int64_t now = steady_ms();
    if (!silent_since_ms_) {
      first();
      say_so(context, jobtracker);
      silent_since_ms_ = now;
    }
    if (now - *silent_since_ms_ > kPatienceMs) throw;
  }

 private:
  static void say_so(Context& context, const JobTracker& jobtracker);

  std::optional<std::int64_t> silent_since_ms_;
};

}  // namespace weir::cli
