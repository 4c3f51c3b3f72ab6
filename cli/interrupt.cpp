#include "cli/interrupt.h"

#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <ctime>

namespace weir::cli {

InterruptScope::InterruptScope() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

InterruptScope::~InterruptScope() {
  const timespec now{0, 0};
  while (sigtimedwait(&signals_, nullptr, &now) > 0) {
    // Leftovers of an impatient user: the command is ending anyway.
  }
  unblock();
}

int InterruptScope::wait_ms(std::int64_t milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
    timespec timeout{};
    if (left > 0) {
      timeout.tv_sec = static_cast<std::time_t>(left / 1'000'000'000);
      timeout.tv_nsec = static_cast<long>(left % 1'000'000'000);
    }
    if (const int signal = sigtimedwait(&signals_, nullptr, &timeout); signal > 0) return signal;
    if (errno != EINTR) return 0;  // EAGAIN: the time is over
  }
}

void InterruptScope::unblock() const {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void InterruptScope::block() const {
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

}  // namespace weir::cli
