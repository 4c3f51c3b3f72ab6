// The process: as the client libraries of other languages tell it.
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "tracker/metrics/daemon_figures.h"
#include "web/metrics/families.h"

namespace weir {
namespace {

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::int64_t resident_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"),
                                                             &std::fclose);
  long long size = 0;
  long long resident = 0;
  if (!file || std::fscanf(file.get(), "%lld %lld", &size, &resident) != 2) return 0;
  return resident * ::sysconf(_SC_PAGESIZE);
}

std::int64_t open_files() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), &::closedir);
  if (!folder) return 0;
  std::int64_t count = -3;  // `.`, `..`, and the folder itself
  while (::readdir(folder.get()) != nullptr) ++count;
  return count;
}

}  // namespace

void add_process(Families& families, const DaemonFigures& daemon) {
  families.gauge("weir_build_info", "1; the label is the version of the JobTracker.")
      .add(1.0, {{"version", daemon.version}});
  families
      .gauge("process_start_time_seconds",
             "When the JobTracker started, in seconds since 1970. Counters begin at 0 then, but "
             "for the totals of queues.")
      .add(daemon.started_at);
  families.counter("process_cpu_seconds_total", "Processor time that it has used.")
      .add(cpu_seconds());
  families.gauge("process_resident_memory_bytes", "Memory that it occupies.")
      .add(resident_bytes());
  families.gauge("process_open_fds", "Files and connections that it has open.").add(open_files());
}

}  // namespace weir
