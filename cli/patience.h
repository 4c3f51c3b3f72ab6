// How long a command bears with a JobTracker that does not answer: jobs are durable and go on, so a
// restart of the JobTracker should not end the watching, and a submission has an id, so that it can
// be asked for again. The first silence is told on stderr; after the limit the trouble is passed
// on. Meanwhile it is asked ever more rarely, and not by all who wait in the same instant. One
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "cli/connection.h"
#include "cli/context.h"

namespace weir::cli {

inline constexpr std::int64_t kAskEveryMs = 500;  // between two looks at the jobs

std::int64_t steady_ms();

// Refused, but only for now: busy, or ending.
bool is_passing(const Refused& refused);

class Patience {
 public:
  static constexpr std::int64_t kPatienceMs = 120'000;

  // 0: none at all.
  explicit Patience(std::int64_t limit_ms = kPatienceMs) : limit_ms_(limit_ms) {}

  void answered() {
    silent_since_ms_.reset();
    pause_ms_ = 0;
  }
  // Inside a catch: throws the trouble on when it has lasted too long. `first` runs before the line
  // on stderr.
  template <class First>
  void no_answer(Context& context, const JobTracker& jobtracker, First&& first) {
    if (limit_ms_ <= 0) throw;
    const std::int64_t now = steady_ms();
    if (!silent_since_ms_) {
      first();
      say_so(context, jobtracker);
      silent_since_ms_ = now;
    }
    if (now - *silent_since_ms_ > limit_ms_) throw;
  }
  // Until the next try: kAskEveryMs, but in a silence from 0.2 s doubling up to 5 s, of which at
  // random up to a half is taken off.
  std::int64_t pause_ms();

 private:
  void say_so(Context& context, const JobTracker& jobtracker) const;

  std::int64_t limit_ms_;
  std::int64_t pause_ms_ = 0;
  std::optional<std::int64_t> silent_since_ms_;
  std::minstd_rand dice_{std::random_device{}()};
};

}  // namespace weir::cli
