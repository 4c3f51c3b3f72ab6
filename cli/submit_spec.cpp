// From the options of `weir submit` to a JobSpec.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/paths.h"
#include "cli/shipped_files.h"
#include "cli/submit_command.h"
#include "conf/values.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/ok_exits.h"
#include "jobqueue/model/submission_limits.h"
#include "thrift/spec_check.h"
#include "tracker/splits/splits.h"

namespace weir::cli {
namespace {

using Limits = SubmissionLimits;

std::map<std::string, std::string> key_values(const char* option,
                                              const std::vector<std::string>& texts) {
  std::map<std::string, std::string> values;
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw wrong_use(fmt::format("{} '{}': write KEY=VALUE", option, printable(text)));
    }
    if (!values.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      throw wrong_use(fmt::format("{} {}: given twice", option, printable(text.substr(0, equals))));
    }
  }
  return values;
}

// What is said twice counts as said last: here, and not in the spec as it was.
void put_over(std::map<std::string, std::string> changes,
              std::map<std::string, std::string>& values) {
  for (auto& [key, value] : changes) values.insert_or_assign(key, std::move(value));
}

// In the words of whoever typed it; the JobTracker would refuse the field of the spec.
std::int64_t within(const char* option, std::int64_t value, std::int64_t least,
                    std::int64_t most) {
  if (value >= least && value <= most) return value;
  throw wrong_use(fmt::format("{} {}: write {} to {}", option, value, least, most));
}

std::int64_t memory(const char* option, const std::string& text, std::int64_t least,
                    std::int64_t most) {
  const std::int64_t megabytes = size_in_mb(option, text);
  if (megabytes >= least && megabytes <= most) return megabytes;
  throw wrong_use(
      fmt::format("{} '{}': write {}M to {}M", option, printable(text), least, most));
}

// 0: never.
DurationMs duration(const char* option, const std::string& text, DurationMs least,
                    DurationMs most) {
  const auto value = parse_duration(text);
  if (value == kNever) return 0;
  if (value && *value >= least && *value <= most) return *value;
  throw wrong_use(fmt::format("{} '{}': write a duration like 90s, 30m, 2h, from {}ms to {}h, or "
                              "never",
                              option, printable(text), least, most / 3'600'000));
}

void set_priority(const SubmitOptions& options, wire::JobSpec& spec) {
  if (!options.priority.empty()) {
    const auto priority = parse_priority(options.priority);
    if (!priority) {
      throw wrong_use(
          fmt::format("--priority '{}': must be VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW",
                      printable(options.priority)));
    }
    spec.__set_priority(name(*priority));
  }
}

void set_tasks(const SubmitOptions& options, wire::JobSpec& spec) {
  const std::vector<std::string> shipped = shipped_paths(options.files);
  if (!shipped.empty()) {
    if (!options.working_directory.empty() || !spec.working_directory.empty()) {
      throw wrong_use(
          "--files and --working-directory: files go into each attempt's own directory; leave one "
          "of the two");
    }
    spec.__set_files(read_shipped(shipped));
  }
  if (!options.mapper.empty()) spec.mapper = with_absolute_program(options.mapper, shipped);
  const std::int64_t reduces = options.reduces.value_or(spec.reduces);
  within("--reduces", reduces, 0, Limits::kReduces);
  if (reduces > 0 && options.reducer.empty() && spec.reducer.empty()) {
    throw wrong_use("--reducer is missing; give one, or say --reduces 0 for a job of maps alone");
  }
  spec.__set_reduces(static_cast<std::int32_t>(reduces));
  if (!options.reducer.empty()) spec.__set_reducer(with_absolute_program(options.reducer, shipped));
  if (!options.combiner.empty())
    spec.__set_combiner(with_absolute_program(options.combiner, shipped));
  if (!options.working_directory.empty())
    spec.__set_working_directory(absolute_path(options.working_directory));
}

// Of an application, too.
void set_life(const SubmitOptions& options, wire::JobSpec& spec) {
  if (options.hold) spec.__set_hold(true);
  if (options.time_limit.empty()) return;
  spec.__set_time_limit_ms(time_limit_of(options.time_limit));
}

void set_sizes(const SubmitOptions& o, wire::JobSpec& spec) {
  if (!o.map_memory.empty())
    spec.__set_map_memory_mb(memory("--map-memory", o.map_memory, 0, Limits::kTaskMemoryMb));
  if (!o.reduce_memory.empty()) {
    spec.__set_reduce_memory_mb(
        memory("--reduce-memory", o.reduce_memory, 0, Limits::kTaskMemoryMb));
  }
  if (!o.sort_memory.empty())
    spec.__set_sort_memory_mb(memory("--sort-memory", o.sort_memory, 1, Limits::kSortMemoryMb));
  const auto vcores = [](const char* option, std::int64_t value) {
    return within(option, value, 0, Limits::kVcoresPerTask);
  };
  if (o.map_vcores) spec.__set_map_vcores(vcores("--map-vcores", *o.map_vcores));
  if (o.reduce_vcores) spec.__set_reduce_vcores(vcores("--reduce-vcores", *o.reduce_vcores));
  const auto slots = [](const char* option, std::int64_t value) {
    return within(option, value, 1, Limits::kSlotsPerTask);
  };
  if (o.slots_per_map)
    spec.__set_slots_per_map(slots("--map-slots-per-task", *o.slots_per_map));
  if (o.slots_per_reduce)
    spec.__set_slots_per_reduce(slots("--reduce-slots-per-task", *o.slots_per_reduce));
}

void set_limits(const SubmitOptions& options, wire::JobSpec& spec) {
  if (options.max_attempts) {
    spec.__set_max_attempts(static_cast<std::int32_t>(
        within("--max-attempts", *options.max_attempts, 1, Limits::kAttemptsPerTask)));
  }
  if (!options.task_timeout.empty()) {
    spec.__set_task_timeout_ms(
        duration("--task-timeout", options.task_timeout, 0, Limits::kTaskTimeoutMs));
  }
  if (!options.slowstart.empty()) {
    const auto slowstart = parse_slowstart(options.slowstart);
    if (!slowstart) {
      throw wrong_use(
          fmt::format("--slowstart '{}': write a part of the maps, 0% to 100% or 0 to 1",
                      printable(options.slowstart)));
    }
    spec.__set_slowstart_millionths(static_cast<std::int32_t>(*slowstart));
  }
  set_sizes(options, spec);
}

void set_conf(const SubmitOptions& options, wire::JobSpec& spec) {
  auto conf = key_values("--conf", options.conf);
  if (!options.ok_exit.empty()) {
    if (!OkExits::parse(options.ok_exit)) {
      throw wrong_use(
          fmt::format("--ok-exit '{}': write numbers from 0 to 255, with commas, like 0,1",
                      printable(options.ok_exit)));
    }
    if (!conf.emplace(kOkExitConf, options.ok_exit).second)
      throw wrong_use(fmt::format("--ok-exit and --conf {}: leave one of the two", kOkExitConf));
  }
  put_over(std::move(conf), spec.conf);
  spec.__isset.conf = !spec.conf.empty();
}

// A name that was made of the output is made of the new one.
void set_output(const SubmitOptions& options, wire::JobSpec& spec) {
  const auto last_part = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  if (!options.output.empty()) {
    if (spec.name == last_part(spec.output)) spec.name.clear();
    spec.output = absolute_path(options.output);
  }
  if (!options.name.empty()) spec.name = options.name;
  if (spec.name.empty()) spec.name = last_part(spec.output);
}

// As it is looked for, wherever it is asked for again.
void set_origin(const SubmitOptions& options, wire::JobSpec& spec) {
  if (!options.input.empty()) {
    spec.input.clear();
    for (const std::string& path : options.input) {
      if (path.empty()) throw wrong_use("--input is empty; name a file, directory or pattern");
      spec.input.push_back(absolute_path(path));
    }
    spec.__isset.input = true;
  }
  if (!options.split_size.empty())
    spec.__set_split_bytes(size_in_bytes("--split-size", options.split_size, 1));
  if (!options.combine) return;
  if (!options.combine_files.empty())
    spec.__set_combine_bytes(size_in_bytes("--combine-files", options.combine_files, 1));
  else
    spec.__set_combine_bytes(spec.split_bytes > 0 ? spec.split_bytes : kDefaultSplitBytes);
}

}  // namespace

std::optional<std::int64_t> parse_slowstart(const std::string& text) {
  std::optional<std::int64_t> millionths = parse_millionths(text);
  if (text.ends_with('%')) {
    const auto hundredths = parse_percent(text);
    millionths = hundredths ? std::optional<std::int64_t>(*hundredths * 100) : std::nullopt;
  }
  if (!millionths || *millionths < 0 || *millionths > 1'000'000) return std::nullopt;
  return millionths;
}

std::string with_absolute_program(const std::string& command,
                                  const std::vector<std::string>& shipped) {
  const std::size_t end = std::min(command.find_first_of(" \t"), command.size());
  const std::string program = command.substr(0, end);
  if (program.empty() || program[0] == '/' || program.find('/') == std::string::npos)
    return command;
  for (const std::string& path : shipped) {
    if (program == "./" + std::filesystem::path(path).filename().string()) return command;
  }
  // Quoting and shell syntax are left to the shell.
  if (program.find_first_of("\"'\\$`;|&<>()*?[]{}~") != std::string::npos) return command;
  std::error_code error;
  if (!std::filesystem::is_regular_file(program, error)) return command;
  const std::string absolute = absolute_path(program);
  if (absolute.find_first_of(" \t\"'\\$`;|&<>()*?[]{}~\n") != std::string::npos) return command;
  return absolute + command.substr(end);
}

wire::JobSpec job_spec_of(const SubmitOptions& options, wire::JobSpec spec) {
  if (!options.queue.empty()) spec.queue = options.queue;
  if (options.mapper.empty() && spec.mapper.empty())
    throw wrong_use("--mapper is empty; write a command, like --mapper cat");
  set_priority(options, spec);
  set_tasks(options, spec);
  set_limits(options, spec);
  set_life(options, spec);
  set_conf(options, spec);
  put_over(environment_of(options), spec.environment);
  spec.__isset.environment = !spec.environment.empty();
  set_output(options, spec);
  set_origin(options, spec);
  require(check_description(spec));
  return spec;
}

wire::JobSpec application_of(const SubmitOptions& options, wire::JobSpec spec) {
  if (!options.queue.empty()) spec.queue = options.queue;
  if (!options.name.empty()) spec.name = options.name;
  set_priority(options, spec);
  set_life(options, spec);
  set_conf(options, spec);
  for (wire::TaskGroup& group : spec.task_groups) {
    put_over(environment_of(options), group.environment);
    group.__isset.environment = !group.environment.empty();
  }
  require(check_description(spec));
  return spec;
}

std::map<std::string, std::string> environment_of(const SubmitOptions& options) {
  auto environment = key_values("--env", options.environment);
  for (const auto& [name, value] : environment) check_environment_name(name);
  return environment;
}

void check_environment_name(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool good = !name.empty() && is_letter(name[0]) &&
                    std::all_of(name.begin(), name.end(),
                                [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  if (good) return;
  throw wrong_use(fmt::format("--env '{}': no name of an environment variable; write letters, "
                              "digits and _, no digit first",
                              printable(name)));
}

DurationMs time_limit_of(const std::string& text) {
  return duration("--time-limit", text, 1, Limits::kTimeLimitMs);
}

std::map<std::string, std::string> conf_of(const SubmitOptions& options) {
  return key_values("--conf", options.conf);
}

}  // namespace weir::cli
