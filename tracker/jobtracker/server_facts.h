// What only those who start the daemon know of it, and what they have to say to its readers.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conf/daemon_settings.h"
#include "jobqueue/model/time.h"

namespace weir {

struct ServerFacts {
  std::string version;
  std::string store;      // path, for people
  DaemonSettings daemon;  // as the settings file had them at the start
  TimeMs started_at = 0;  // by the wall clock
  std::function<std::int64_t()> frames_refused;
  std::function<int()> tracker_port;
  std::function<int()> client_port;
  std::function<std::optional<std::string>()> http;  // HOST:PORT of the front, if there is one
};

// Findings that stay visible in PolicyView::notices besides the settings' own, such as a file that
// was refused. Any thread.
class Notices {
 public:
  void set(std::vector<std::string> lines) {
    const std::lock_guard lock(mutex_);
    lines_ = std::move(lines);
  }
  std::vector<std::string> get() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace weir
