#include "bench/sort/sort_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace weir::bench {
namespace {

using Clock = std::chrono::steady_clock;

double passed_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}
double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}
std::runtime_error failure(const std::string& what, int number) {
  return std::runtime_error(what + ": " + std::strerror(number));
}

void sync_file(const std::string& path, int (*sync)(int)) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && sync(fd) == 0;
  const int problem = errno;
  if (fd >= 0) ::close(fd);
  if (!synced) throw failure(path, problem);
}

pid_t start_sort(const SortProgram& sort) {
  std::vector<std::string> words = {"sort",    "--parallel=" + std::to_string(sort.threads),
                                    "-S",      std::to_string(sort.memory_mb) + "M",
                                    "-T",      sort.directory,
                                    "-o",      sort.output,
                                    sort.input};
  std::vector<char*> arguments, environment;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string bytes = "LC_ALL=C";
  environment.push_back(bytes.data());
  for (char** entry = environ; *entry; ++entry) {
    if (std::strncmp(*entry, "LC_ALL=", 7) != 0) environment.push_back(*entry);
  }
  environment.push_back(nullptr);
  pid_t child = -1;
  const int problem =
      ::posix_spawnp(&child, "sort", nullptr, nullptr, arguments.data(), environment.data());
  if (problem != 0) throw failure("sort", problem);
  return child;
}

}  // namespace

SortProgramTimes run_sort_program(const SortProgram& sort, const std::function<bool()>& stopped) {
  const auto start = Clock::now();
  const pid_t child = start_sort(sort);
  SortProgramTimes times;
  rusage usage{};
  int status = 0;
  bool ended_by_us = false;
  for (pid_t ended; (ended = ::wait4(child, &status, WNOHANG, &usage)) != child;) {
    if (ended < 0 && errno != EINTR) throw failure("sort", errno);
    if (stopped() && !ended_by_us) ended_by_us = ::kill(child, SIGTERM) == 0;
  }
  times.seconds = passed_since(start);
  times.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  if (status != 0) throw std::runtime_error(ended_by_us ? "interrupted" : "sort failed");
  sync_file(sort.output, ::fsync);
  times.synced_seconds = passed_since(start);
  return times;
}

void settle_disk(const std::string& path) {
  sync_file(path, ::syncfs);
}

}  // namespace weir::bench
