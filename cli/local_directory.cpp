#include "cli/local_directory.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/paths.h"
#include "jobqueue/store/store_lock.h"

namespace weir::cli {
namespace {

// What a process complained of last. Its log goes on to the end of its work: a line of ordinary
// information is no cause of anything.
std::string last_complaint(const std::string& path) {
  std::istringstream lines(read_file(path));
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    const bool ordinary =
        line.find("] [info] ") != std::string::npos || line.find("] [debug] ") != std::string::npos;
    if (!line.empty() && !ordinary) last = line;
  }
  return truncated(printable(last), 400);
}

}  // namespace

std::optional<LocalPorts> parse_port_file(const std::string& text) {
  std::istringstream stream(text);
  unsigned client = 0;
  unsigned tracker = 0;
  if (!text.ends_with('\n') || !(stream >> client >> tracker)) return std::nullopt;
  if (client == 0 || client > 65535 || tracker == 0 || tracker > 65535) return std::nullopt;
  unsigned http = 0;
  if (!(stream >> http) || http > 65535) http = 0;
  return LocalPorts{static_cast<std::uint16_t>(client), static_cast<std::uint16_t>(tracker),
                    static_cast<std::uint16_t>(http)};
}

std::string arguments_text(const std::vector<std::string>& arguments) {
  std::string text;
  for (const auto& argument : arguments) text += argument + '\0';
  return text;
}

std::vector<std::string> parse_arguments(const std::string& text) {
  std::vector<std::string> arguments;
  std::istringstream stream(text);
  for (std::string argument; std::getline(stream, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

std::string argument_of(const std::vector<std::string>& arguments, const std::string& option) {
  const auto found = std::find(arguments.begin(), arguments.end(), option);
  return found == arguments.end() || found + 1 == arguments.end() ? "" : *(found + 1);
}

std::vector<std::string> with_argument(std::vector<std::string> arguments,
                                       const std::string& option, const std::string& value) {
  const auto found = std::find(arguments.begin(), arguments.end(), option);
  if (found != arguments.end()) arguments.erase(found, std::min(found + 2, arguments.end()));
  arguments.insert(arguments.end(), {option, value});
  return arguments;
}

LocalDirectory::LocalDirectory(const std::string& path) : path_(absolute_path(path)) {}

bool LocalDirectory::kept() const {
  std::error_code ignored;
  return std::filesystem::exists(file("pids"), ignored);
}

std::optional<LocalPorts> LocalDirectory::ports() const {
  return parse_port_file(read_file(file("ports")));
}

std::vector<std::string> LocalDirectory::arguments() const {
  return parse_arguments(read_file(file("jobtracker.arguments")));
}

std::vector<LocalProcess> LocalDirectory::processes() const {
  auto processes = parse_pids(read_file(file("pids")));
  std::erase_if(processes, [](const LocalProcess& process) { return !alive(process); });
  const std::string store = argument_of(arguments(), "--store");
  const auto holder = store.empty() ? std::nullopt : StoreLock::holder(store);
  if (!holder || !has_open(*holder, StoreLock::file_of(store))) return processes;
  const LocalProcess jobtracker{*holder, process_start_ticks(*holder).value_or(0),
                                kLocalJobTracker, std::nullopt};
  const bool known = std::any_of(processes.begin(), processes.end(),
                                 [&](const auto& one) { return one.pid == jobtracker.pid; });
  if (!known && alive(jobtracker)) processes.insert(processes.begin(), jobtracker);
  return processes;
}

void LocalDirectory::write_processes(const std::vector<LocalProcess>& processes) const {
  write_file(file("pids"), pids_text(processes));
}

void LocalDirectory::write_arguments(const std::vector<std::string>& arguments) const {
  write_file(file("jobtracker.arguments"), arguments_text(arguments));
}

void LocalDirectory::remove(const std::string& name) const {
  std::error_code ignored;
  std::filesystem::remove(file(name), ignored);
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& text) {
  const std::string aside = path + ".tmp";
  std::ofstream stream(aside, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream || std::rename(aside.c_str(), path.c_str()) != 0)
    throw CliFailure(kExitNotSo, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

std::string end_of(const LocalProcess& process, const std::string& log) {
  std::string text = how_it_ended(process);
  const bool failed = process.wait_status && WIFEXITED(*process.wait_status) &&
                      WEXITSTATUS(*process.wait_status) != 0;
  const std::string complaint = failed ? last_complaint(log) : "";
  return complaint.empty() ? text : text + ": " + complaint;
}

}  // namespace weir::cli
