// ^C and SIGTERM as something to wait for instead of something that strikes. While an
// InterruptScope lives the two signals are blocked in its thread and stay pending until wait_ms
// asks; there is no handler and no race. A process that is forked meanwhile inherits the blocked
// signals and must call unblock() before it execs. One at a time.
#pragma once

#include <signal.h>

#include <cstdint>

namespace weir::cli {

class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // Waits up to so many milliseconds; which signal came, at any time since the last call; 0: none.
  int wait_ms(std::int64_t milliseconds);
  // As it was before: for a forked child, or while somebody is asked.
  void unblock() const;
  void block() const;

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

}  // namespace weir::cli
