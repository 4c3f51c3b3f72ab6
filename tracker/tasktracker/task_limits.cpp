#include "tracker/tasktracker/task_limits.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace weir::tasktracker {
namespace {

constexpr int kShellSignalBase = 128;  // status of a shell whose command a signal ended

// For good: a process may lower its limits and not raise them again.
void limit(int resource, rlim_t value) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return;
  now.rlim_cur = now.rlim_max = std::min(value, now.rlim_max);
  ::setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

void limit_mb(int resource, std::int64_t megabytes) {
  limit(resource, static_cast<rlim_t>(megabytes) << 20);
}

}  // namespace

void raise_oom_score(int score) {
  const int file = ::open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  char text[16] = {};
  const ssize_t had = ::read(file, text, sizeof text - 1);
  if (had > 0 && std::atoi(text) < score) {
    const int length = std::snprintf(text, sizeof text, "%d", score);
    (void)!::pwrite(file, text, static_cast<std::size_t>(length), 0);
  }
  ::close(file);
}

void limit_command(const TaskSettings& settings, std::int64_t memory_mb) {
  raise_oom_score(kCommandOomScore);
  limit_mb(RLIMIT_CORE, settings.core_mb);
  limit(RLIMIT_NOFILE, static_cast<rlim_t>(settings.open_files));
  if (settings.file_mb > 0) limit_mb(RLIMIT_FSIZE, settings.file_mb);
  if (settings.user_processes > 0)
    limit(RLIMIT_NPROC, static_cast<rlim_t>(settings.user_processes));
  if (memory_mb > 0) limit_mb(RLIMIT_AS, memory_mb);
  // Each descriptor of ours is close-on-exec by itself; this is for those of libraries, and for
  // what the tracker was started with.
  ::syscall(SYS_close_range, 3u, UINT_MAX, CLOSE_RANGE_CLOEXEC);
}

std::string limit_note(const TaskSettings& settings, bool by_signal, int number) {
  if (settings.file_mb <= 0 || number != (by_signal ? SIGXFSZ : kShellSignalBase + SIGXFSZ))
    return "";
  return ": it wrote a file beyond the limit of " + std::to_string(settings.file_mb) +
         " MB (tracker.task_file_mb)";
}

}  // namespace weir::tasktracker
