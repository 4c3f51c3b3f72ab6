#include "tracker/jobtracker/bus_error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <iterator>

namespace weir {
namespace {

constexpr int kExitCode = 1;

// Made before, for a handler of signals must not allocate.
char g_rest[8192];
std::size_t g_rest_size = 0;
std::chrono::seconds g_offset{0};  // of local time

// The time as in the log's other lines, without the C library's clock and its locks.
extern "C" void on_bus_error(int) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::chrono::sys_seconds local{std::chrono::seconds(now.tv_sec) + g_offset};
  const auto day = std::chrono::floor<std::chrono::days>(local);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{local - day};
  char stamp[64];
  const auto end = fmt::format_to_n(
      stamp, std::size(stamp), "[{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}] ", int{date.year()},
      unsigned{date.month()}, unsigned{date.day()}, time.hours().count(), time.minutes().count(),
      time.seconds().count(), now.tv_nsec / 1'000'000);
  const auto size = static_cast<std::size_t>(end.out - stamp);
  if (::write(STDERR_FILENO, stamp, size) >= 0 && ::write(STDERR_FILENO, g_rest, g_rest_size) >= 0)
    ::_exit(kExitCode);
  ::_exit(kExitCode);
}

}  // namespace

void report_bus_errors(const std::string& store) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  if (::localtime_r(&now, &local) != nullptr) g_offset = std::chrono::seconds(local.tm_gmtoff);
  const auto end = fmt::format_to_n(
      g_rest, std::size(g_rest),
      "[error] store: {}-shm, which is mapped into memory, lost its end or its disk fails "
      "(SIGBUS); the JobTracker ends; what it acknowledged is on disk. Look at the disk (df, "
      "dmesg) and start it again\n",
      store);
  g_rest_size = static_cast<std::size_t>(end.out - g_rest);
  struct sigaction action {};
  action.sa_handler = on_bus_error;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace weir
