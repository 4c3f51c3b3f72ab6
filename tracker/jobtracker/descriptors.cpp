#include "tracker/jobtracker/descriptors.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>

namespace weir {

namespace {
constexpr std::uint64_t kPorts = 3;  // trackers, clients, web
constexpr std::uint64_t kOtherFiles = 128;  // the store's, logs, libraries
}  // namespace

std::int64_t connections_within(std::uint64_t open_files, std::int64_t wanted) {
  const std::uint64_t left = open_files > kOtherFiles ? open_files - kOtherFiles : 0;
  const std::uint64_t most = std::max<std::uint64_t>(left / kPorts, 1);
  return most < static_cast<std::uint64_t>(wanted) ? static_cast<std::int64_t>(most) : wanted;
}

std::int64_t affordable_connections(std::int64_t wanted) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted;
  if (files.rlim_cur < files.rlim_max) {
    const rlimit raised{files.rlim_max, files.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) files = raised;
  }
  const std::int64_t most = connections_within(files.rlim_cur, wanted);
  if (most < wanted) {
    spdlog::warn(
        "limits.max_connections is {}, but this process may have {} files open: at most {} "
        "connections on each port (`ulimit -Hn`)",
        wanted, files.rlim_cur, most);
  }
  return most;
}

}  // namespace weir
