#include "cli/local_start.h"

#include <fmt/format.h>

#include <utility>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "conf/values.h"

namespace weir::cli {
namespace {

constexpr std::int64_t kStartMs = 30'000;  // for the JobTracker, and again for the trackers
constexpr std::int64_t kLookEveryMs = 50;

[[noreturn]] void fail(const LocalDirectory& directory, const std::string& cause) {
  throw CliFailure(kExitNotSo, fmt::format("{}; the logs are in {}", cause, directory.path()));
}

}  // namespace

LocalProcess launch(const LocalDirectory& directory, const std::string& name,
                    std::vector<std::string> arguments, bool keep,
                    const InterruptScope& interrupt) {
  return spawn({"/proc/self/exe", name, std::move(arguments), directory.path(),
                directory.file(name + ".log"), keep},
               interrupt);
}

bool wait_until(InterruptScope& interrupt, const LocalDirectory& directory,
                const std::vector<LocalProcess>& processes, const char* what,
                const std::function<bool()>& ready) {
  for (std::int64_t waited_ms = 0; waited_ms < kStartMs; waited_ms += kLookEveryMs) {
    if (ready()) return true;
    for (const auto& process : processes) {
      if (alive(process)) continue;
      fail(directory, fmt::format("{} {} at its start", process.name,
                                  end_of(process, directory.log(process))));
    }
    if (interrupt.wait_ms(kLookEveryMs)) return false;
  }
  fail(directory, fmt::format("{} did not come up within {}", what, short_duration(kStartMs)));
}

std::string local_address(const std::string& listen_host, const LocalPorts& ports) {
  const bool everywhere = listen_host.empty() || listen_host == "0.0.0.0" || listen_host == "::";
  return format_address({everywhere ? "127.0.0.1" : listen_host, ports.client});
}

}  // namespace weir::cli
