#include "cli/context.h"

#include <grp.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace weir::cli {
namespace {

constexpr const char* kDefaultJobTracker = "127.0.0.1:9090";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string process_user() {
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? std::string(entry->pw_name) : std::to_string(geteuid());
}

std::string group_name(gid_t id) {
  const group* entry = getgrgid(id);
  return entry != nullptr ? std::string(entry->gr_name) : std::to_string(id);
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::vector<std::string> groups_of_process() {
  std::vector<gid_t> ids(static_cast<std::size_t>(std::max(getgroups(0, nullptr), 0)));
  const int count = getgroups(static_cast<int>(ids.size()), ids.data());
  ids.resize(static_cast<std::size_t>(std::max(count, 0)));
  if (std::find(ids.begin(), ids.end(), getegid()) == ids.end()) ids.push_back(getegid());
  std::vector<std::string> names;
  for (const gid_t id : ids) names.push_back(group_name(id));
  return names;
}

// The groups this machine knows the user to be in; none if it does not know him.
std::vector<std::string> groups_of(const std::string& user) {
  const passwd* entry = getpwnam(user.c_str());
  if (entry == nullptr) return {};
  std::vector<gid_t> ids(256);
  int count = static_cast<int>(ids.size());
  if (getgrouplist(user.c_str(), entry->pw_gid, ids.data(), &count) < 0) {
    ids.resize(static_cast<std::size_t>(count));
    getgrouplist(user.c_str(), entry->pw_gid, ids.data(), &count);
  }
  ids.resize(static_cast<std::size_t>(std::max(count, 0)));
  std::vector<std::string> names;
  for (const gid_t id : ids) names.push_back(group_name(id));
  return names;
}

}  // namespace

Terminal detect_terminal() {
  Terminal terminal;
  terminal.out = isatty(STDOUT_FILENO) == 1;
  terminal.err = isatty(STDERR_FILENO) == 1;
  terminal.in = terminal.err && isatty(STDIN_FILENO) == 1;
  terminal.colours =
      terminal.out && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  winsize size{};
  if (!terminal.out || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size.ws_col = 0;
  terminal.columns = terminal_columns(environment("COLUMNS"), size.ws_col);
  return terminal;
}

std::size_t terminal_columns(const std::string& environment, std::size_t said) {
  const bool number = !environment.empty() && environment.size() <= 5 &&
                      environment.find_first_not_of("0123456789") == std::string::npos;
  const std::size_t wanted = number ? std::stoul(environment) : 0;
  if (wanted > 0) return wanted;
  return said > 0 ? said : Terminal().columns;
}

void add_connection_options(CLI::App& command, Context& context) {
  command
      .add_option("--jobtracker", context.jobtracker,
                  "the JobTracker's client port (default: $WEIR_JOBTRACKER, else 127.0.0.1:9090)")
      ->type_name("HOST:PORT");
}

void add_output_option(CLI::App& command, Context& context) {
  command.add_option("-o,--output-format", context.format, "table for people, json for scripts")
      ->type_name("table|json")
      ->check(CLI::IsMember({"table", "json"}));
}

void add_wide_output_option(CLI::App& command, Context& context) {
  command
      .add_option("-o,--output-format", context.format,
                  "table for people, wide: all columns and none cut, json for scripts")
      ->type_name("table|wide|json")
      ->check(CLI::IsMember({"table", "wide", "json"}));
}

void add_user_option(CLI::App& command, const std::string& names, std::string& user,
                     const std::string& what) {
  const auto refuse_empty = [](const std::string& name) {
    return name.empty() ? "a user's name is wanted, and this one is empty" : "";
  };
  command.add_option(names, user, what)->type_name("NAME")->check(refuse_empty);
}

void add_caller_option(CLI::App& command, Context& context, const std::string& names) {
  add_user_option(command, names, context.user,
                  "act as this user (default: $WEIR_USER, else the process' user); self-declared");
}

std::string jobtracker_address(const Context& context) {
  if (!context.jobtracker.empty()) return context.jobtracker;
  const std::string from_environment = environment("WEIR_JOBTRACKER");
  return from_environment.empty() ? kDefaultJobTracker : from_environment;
}

Caller caller(const Context& context) {
  Caller caller;
  caller.user = !context.user.empty() ? context.user : environment("WEIR_USER");
  const std::string self = process_user();
  if (caller.user.empty()) caller.user = self;
  const std::string declared = environment("WEIR_GROUPS");
  if (!declared.empty()) {
    caller.groups = split_list(declared);
  } else {
    caller.groups = caller.user == self ? groups_of_process() : groups_of(caller.user);
  }
  return caller;
}

}  // namespace weir::cli
