#include "cli/local_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/exit_code.h"
#include "cli/interrupt.h"

namespace weir::cli {
namespace {

constexpr std::int64_t kPollEveryMs = 20;

// Between fork and exec: system calls only. Returns only if something went wrong.
void become(const SpawnOptions& options, char* const* argv, const InterruptScope& interrupt,
            pid_t parent) {
  setsid();
  if (!options.keep) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);  // it died before the line above
  }
  const int nothing = open("/dev/null", O_RDONLY);
  const int log = open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (nothing < 0 || log < 0 || chdir(options.directory.c_str()) != 0) return;
  dup2(nothing, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  close_range(3, ~0u, 0);
  interrupt.unblock();
  execv(options.program.c_str(), argv);
}

bool wait_until_gone(const LocalProcess& process, std::int64_t grace_ms) {
  for (std::int64_t waited_ms = 0; alive(process); waited_ms += kPollEveryMs) {
    if (waited_ms >= grace_ms) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollEveryMs));
  }
  return true;
}

}  // namespace

LocalProcess spawn(const SpawnOptions& options, const InterruptScope& interrupt) {
  std::vector<std::string> words = {"weir"};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0)
    throw CliFailure(kExitNotSo,
                     fmt::format("cannot start {}: {}", options.name, std::strerror(errno)));
  if (child == 0) {
    become(options, argv.data(), interrupt, parent);
    _exit(127);
  }
  return {child, process_start_ticks(child).value_or(0), options.name, std::nullopt};
}

std::optional<std::uint64_t> process_start_ticks(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // The name is in parentheses and may hold anything; the fields are counted from its end.
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  std::string state, skipped;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::uint64_t ticks = 0;
  if (!(fields >> ticks)) return std::nullopt;
  return ticks;
}

bool alive(const LocalProcess& process) {
  int status = 0;  // reaps it if it is ours; an error if not
  if (waitpid(process.pid, &status, WNOHANG) == process.pid) process.wait_status = status;
  const auto ticks = process_start_ticks(process.pid);
  return ticks && *ticks == process.start_ticks;
}

std::string how_it_ended(const LocalProcess& process) {
  if (!process.wait_status) return "is gone";
  const int status = *process.wait_status;
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

std::vector<std::string> stop_processes(const std::vector<LocalProcess>& processes,
                                        std::int64_t grace_ms) {
  std::vector<std::string> killed;
  const auto stop = [&](const std::vector<LocalProcess>& group) {
    for (const auto& process : group) {
      if (alive(process)) ::kill(process.pid, SIGTERM);
    }
    for (const auto& process : group) {
      if (wait_until_gone(process, grace_ms)) continue;
      ::kill(process.pid, SIGKILL);
      wait_until_gone(process, grace_ms);
      killed.push_back(process.name);
    }
  };
  if (processes.empty()) return killed;
  stop({processes.begin() + 1, processes.end()});
  stop({processes.front()});
  return killed;
}

bool has_open(pid_t pid, const std::string& path) {
  std::error_code error;
  std::filesystem::directory_iterator file(fmt::format("/proc/{}/fd", pid), error);
  for (; file != std::filesystem::directory_iterator(); file.increment(error)) {
    if (std::filesystem::equivalent(file->path(), path, error)) return true;
  }
  return false;
}

std::string pids_text(const std::vector<LocalProcess>& processes) {
  std::string text;
  for (const auto& process : processes) {
    text += fmt::format("{} {} {}\n", process.pid, process.start_ticks, process.name);
  }
  return text;
}

std::vector<LocalProcess> parse_pids(const std::string& text) {
  std::vector<LocalProcess> processes;
  std::istringstream lines(text);
  LocalProcess process;
  while (lines >> process.pid >> process.start_ticks >> process.name) {
    if (process.pid > 1) processes.push_back(process);
  }
  return processes;
}

}  // namespace weir::cli
