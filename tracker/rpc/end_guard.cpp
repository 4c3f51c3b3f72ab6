#include "tracker/rpc/end_guard.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

namespace weir {

EndGuard::EndGuard(std::string subject, std::chrono::milliseconds patience)
    : subject_(std::move(subject)), thread_([this, patience] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, patience, [this] { return over_; })) return;
        spdlog::error("{}: still waits for {}; ending without", subject_, what_);
        spdlog::default_logger()->flush();
        ::_exit(1);
      }) {}

EndGuard::~EndGuard() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void EndGuard::at(const char* what) {
  const std::lock_guard lock(mutex_);
  what_ = what;
}

}  // namespace weir
