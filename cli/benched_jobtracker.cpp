#include "cli/benched_jobtracker.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/exit_code.h"

namespace weir::cli {

namespace fs = std::filesystem;
namespace {
constexpr std::int64_t kStartWithinMs = 300'000;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}
}  // namespace

BenchedJobTracker::BenchedJobTracker(const std::string& parent, const std::string& settings,
                                     InterruptScope& interrupt)
    : interrupt_(interrupt) {
  std::string pattern = fs::absolute(parent).string() + "/weir-bench-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr)
    throw CliFailure(kExitNotSo, fmt::format("cannot make a directory in {}", parent));
  directory_ = pattern;
  std::ofstream(file("weir.yaml"))
      << "listen: {thrift: '127.0.0.1:0', http: '127.0.0.1:0'}\nstore: {sqlite: " << store()
      << "}\n"
      << settings;
}

BenchedJobTracker::~BenchedJobTracker() {
  if (process_) stop_processes({*process_}, 20'000);
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

void BenchedJobTracker::start() {
  process_ = spawn({"/proc/self/exe",
                    "jobtracker",
                    {"jobtracker", "--conf", file("weir.yaml"), "--port-file", file("ports")},
                    directory_,
                    file("log")},
                   interrupt_);
  std::optional<LocalPorts> ports;
  for (std::int64_t waited_ms = 0; !ports; waited_ms += 5) {
    if (!alive(*process_) || waited_ms > kStartWithinMs)
      throw CliFailure(kExitNotSo, "the JobTracker did not start: " + log());
    if (interrupt_.wait_ms(5)) throw CliFailure(kExitInterrupted, "interrupted");
    ports = parse_port_file(text_of(file("ports")));
  }
  ports_ = *ports;
}

std::string BenchedJobTracker::log() const {
  return text_of(file("log"));
}

double BenchedJobTracker::resident_mb() const {
  std::ifstream statm(fmt::format("/proc/{}/statm", process_->pid));
  std::int64_t size = 0, resident = 0;
  statm >> size >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / 1e6;
}

double cpu_seconds_of(pid_t process, bool with_children) {
  // Fields 14 to 17, after the name in brackets, which may hold anything.
  const std::string stat = text_of(fmt::format("/proc/{}/stat", process));
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  std::int64_t user = 0, system = 0, children_user = 0, children_system = 0;
  fields >> user >> system >> children_user >> children_system;
  if (with_children) user += children_user + children_system;
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace weir::cli
