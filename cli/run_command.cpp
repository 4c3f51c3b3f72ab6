#include "cli/run_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "cli/connection.h"
#include "cli/format.h"
#include "cli/paths.h"
#include "cli/submit_command.h"
#include "conf/job_file.h"
#include "conf/task_groups.h"
#include "conf/text_file.h"
#include "conf/values.h"
#include "jobqueue/model/secrets.h"
#include "jobqueue/model/submission_limits.h"
#include "thrift/spec_check.h"
#include "thrift/wire_job.h"

namespace weir::cli {
namespace {

// As typed; empty means not given.
struct RunOptions {
  std::string file, queue, name, memory, time_limit, priority, working_directory;
  std::vector<std::string> resources, require, environment, command;
  std::uint32_t count = 1, retries = 3, ports = 0, gang = 0;
  std::int64_t vcores = 0;
  bool service = false, wait = false, hold = false;
  std::vector<const CLI::Option*> of_groups;  // what a file says of its groups itself
};

constexpr std::size_t kMostFileBytes = 8 << 20;

// A shell reads it again, so that every word is one word there.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::pair<std::string, std::string> name_and_value(const char* option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw wrong_use(fmt::format("{} '{}': write NAME=VALUE", option, printable(text)));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// `rack=!r9,r8`: one ! is for all that follow.
Requirement required(const std::string& text) {
  auto [label, value] = name_and_value("--require", text);
  const bool none_of = value.starts_with('!');
  std::vector<std::string> values;
  std::istringstream words(value);
  for (std::string each; std::getline(words, each, ',');)
    values.push_back(none_of && !each.starts_with('!') ? "!" + each : each);
  if (auto out = requirement_of(label, std::move(values))) return std::move(*out);
  throw wrong_use(fmt::format("--require '{}': write {}", printable(text), kValuesAllowed));
}

// The one group of a command.
TaskGroupSpec group_of(const RunOptions& options) {
  TaskGroupSpec group;
  group.name = "main";
  group.count = options.count;
  group.retries = options.retries;
  group.ports = options.ports;
  group.gang = options.gang;
  for (const std::string& word : options.command)
    group.command += (group.command.empty() ? "" : " ") + quoted(word);
  // One word may be a line of the shell's.
  if (options.command.size() == 1) group.command = options.command.front();
  if (!options.memory.empty()) group.asked.memory_mb = size_in_mb("--memory", options.memory);
  group.asked.vcores = options.vcores;
  for (const std::string& text : options.resources) {
    const auto [resource, amount] = name_and_value("--resource", text);
    const auto units = parse_integer(amount);
    if (!units) throw wrong_use(fmt::format("--resource '{}': write NAME=N", printable(text)));
    if (!group.asked.named.emplace(resource, *units).second)
      throw wrong_use(fmt::format("--resource {}: given twice", printable(resource)));
  }
  for (const std::string& text : options.require) group.require.push_back(required(text));
  for (const std::string& text : options.environment) {
    const auto variable = name_and_value("--env", text);
    check_environment_name(variable.first);
    if (!group.environment.insert(variable).second)
      throw wrong_use(fmt::format("--env {}: given twice", printable(variable.first)));
  }
  return group;
}

std::string text_of(const std::string& path) {
  std::string problem;
  auto text = read_text_file(path, kMostFileBytes, problem);
  if (text && text->size() > kMostFileBytes)
    problem = fmt::format("is larger than {}", short_bytes(kMostFileBytes));
  if (!problem.empty()) throw wrong_use(fmt::format("--file {}: {}", printable(path), problem));
  return std::move(*text);
}

bool is_assignment(std::string_view word) {
  const std::string_view variable = word.substr(0, word.find('='));
  if (variable.empty() || variable.size() == word.size()) return false;
  return std::all_of(variable.begin(), variable.end(), [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// The name of a command whose job has none: its program, without its directory. Assignments before
// it (`PASSWORD=x ./run`) are no part of it: others read names.
std::string name_of_command(std::string_view command) {
  std::string word;
  char quote = '\0';
  for (std::size_t i = 0; i <= command.size(); ++i) {
    const char c = i < command.size() ? command[i] : ' ';
    const bool space = c == ' ' || c == '\t' || c == '\n';
    if (quote == '\0' && space) {
      if (!word.empty() && !is_assignment(word)) break;
      word.clear();
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else {
      word += c;
    }
  }
  if (is_assignment(word)) word.clear();  // with a quote that has no end
  const std::string program = base_name(word.substr(0, word.find_first_of(" \t\n")));
  return program.empty() ? "command" : without_secrets(program);
}

// Else it would be ignored.
void refuse_what_the_file_says(const RunOptions& options) {
  std::vector<std::string> given;
  for (const CLI::Option* option : options.of_groups) {
    if (option->count() > 0) given.push_back(option->get_name());
  }
  if (given.empty()) return;
  throw wrong_use(fmt::format("{}: with -f the file says it; write it there",
                              fmt::join(given, ", ")));
}

JobSpec spec_of(const RunOptions& options) {
  if (options.file.empty() == options.command.empty())
    throw wrong_use("write what is to run: -f FILE, or -- COMMAND; see `weir run --help`");
  if (!options.file.empty()) refuse_what_the_file_says(options);
  JobSpec spec;
  spec.reduces = 0;
  spec.task_timeout_ms = 0;
  if (options.file.empty()) {
    spec.task_groups = {group_of(options)};
    spec.service = options.service;
  } else {
    auto read = read_job_file(options.file, text_of(options.file));
    if (!read) throw CliFailure::findings(kExitRefused, read.error().diagnostics);
    spec = std::move(*read);
  }
  if (!options.queue.empty()) spec.queue = options.queue;
  if (!options.name.empty()) spec.name = options.name;
  if (spec.queue.empty()) throw wrong_use("--queue is missing: which queue is the job to go to?");
  if (spec.name.empty()) {
    spec.name = options.file.empty() ? name_of_command(spec.task_groups.front().command)
                                     : base_name(options.file);
  }
  if (!options.priority.empty()) spec.priority = require(priority_from_wire(options.priority));
  if (!options.time_limit.empty())
    spec.time_limit_ms = time_limit_of(options.time_limit);
  if (!options.working_directory.empty())
    spec.working_directory = absolute_path(options.working_directory);
  spec.hold = spec.hold || options.hold;
  return spec;
}

int run(Context& context, const RunOptions& options) {
  wire::JobSpec spec = to_wire(spec_of(options));
  require(check_description(spec));
  JobTracker jobtracker(context);
  SubmitOptions how;
  how.wait = options.wait;
  return submit_job(context, jobtracker, how, std::move(spec));
}

void add_run_options(CLI::App& command, RunOptions& o) {
  using Limits = SubmissionLimits;
  const auto number = [&](const char* name, auto& value, std::int64_t least, std::int64_t most,
                          const char* what) {
    return command.add_option(name, value, what)
        ->type_name("N")
        ->check(CLI::Range(least, most));
  };
  const auto of_group = [&](const CLI::Option* option) { o.of_groups.push_back(option); };
  command.add_option("-f,--file", o.file, "the application; the options of groups are in it then")
      ->type_name("FILE");
  command.add_option("--queue", o.queue, "its dotted path, or its last part");
  command.add_option("--name", o.name, "for people (default: the program of the command)");
  of_group(number("--count", o.count, 1, Limits::kTasksPerGroup,
                  "tasks that run the command (default 1)"));
  of_group(
      command
          .add_option("--memory", o.memory,
                      "of each task, like 512M, 2G (512 is in MB); default: containers.minimum, "
                      "128 MB unless set")
          ->type_name("SIZE"));
  of_group(number("--vcores", o.vcores, 0, Limits::kVcoresPerTask,
                  "of each task; default: containers.minimum, 1 unless set"));
  of_group(
      command.add_option("--resource", o.resources, "of each task, like gpu=1; repeatable")
          ->type_name("NAME=N"));
  of_group(command
               .add_option("--require", o.require,
                           "of the tracker's labels, like disk=ssd, zone=a,b or rack=!r9; "
                           "repeatable")
               ->type_name("LABEL=VALUE"));
  of_group(number("--ports", o.ports, 0, Limits::kPortsPerTask,
                  "of the tracker's, for each task: WEIR_PORT0 ..."));
  of_group(number("--gang", o.gang, 0, Limits::kTasksPerGroup,
                  "so many tasks start together, or none"));
  of_group(number("--retries", o.retries, 0, Limits::kAttemptsPerTask,
                  "failures of a task that are forgiven (default 3)"));
  of_group(
      command.add_option("--env", o.environment, "an environment variable; repeatable")
          ->type_name("NAME=VALUE"));
  command
      .add_option("--time-limit", o.time_limit,
                  "of the job, after its first task started; or never")
      ->type_name("TIME");
  command.add_option("--priority", o.priority, "VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW")
      ->type_name("P");
  command.add_option("--working-directory", o.working_directory, "default: the attempt's own")
      ->type_name("DIR");
  of_group(command.add_flag("--service", o.service,
                            "runs until it is killed; tasks that end start again"));
  command.add_flag("--hold", o.hold, "nothing of it starts before `weir job release ID`");
  command.add_flag("--wait", o.wait,
                   "show progress until the end (^C asks whether to kill it); of one task, exit "
                   "with the status of its command");
  command.add_option("command", o.command, "after --")->type_name("COMMAND...");
}

}  // namespace

void add_run_command(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("run", "run a command, or an application of several groups");
  command->group("Jobs");
  const auto options = std::make_shared<RunOptions>();
  add_run_options(*command, *options);
  add_caller_option(*command, context);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(
      "Where containers count (`resources: containers`). Each task has WEIR_JOB, WEIR_GROUP, "
      "WEIR_TASK_INDEX,\nWEIR_TASK_COUNT, WEIR_ATTEMPT, WEIR_MEMORY_MB, WEIR_VCORES, WEIR_PORT0 .. "
      "and WEIR_RES_GPU=0,3 in its environment,\na member of a gang WEIR_PEERS, too: a file with "
      "`group index host port0 ..` of each member.\n\n"
      "Examples:\n"
      "  weir run --queue research --wait -- hostname\n"
      "  weir run --queue research --count 100 --memory 2G --vcores 2 -- ./sweep.sh\n"
      "  weir run --queue research --service --ports 1 -- \\\n"
      "      'python3 -m http.server $WEIR_PORT0'\n"
      "  weir run -f train.yaml --wait\n"
      "  weir job logs 7 --task main.3 --stdout");
  command->callback([&context, options] {
    context.action = [&context, options] { return run(context, *options); };
  });
}

}  // namespace weir::cli
