#include "cli/submit_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/connection.h"
#include "cli/exit_code.h"
#include "cli/follow_job.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/paths.h"
#include "cli/patience.h"
#include "cli/queue_warnings.h"
#include "cli/shipped_files.h"
#include "cli/submission.h"
#include "conf/values.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/ok_exits.h"
#include "thrift/spec_check.h"
#include "thrift/wire_job.h"
#include "tracker/splits/splits.h"

namespace weir::cli {
namespace {

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

void set_tasks(const SubmitOptions& options, wire::JobSpec& spec) {
  const std::vector<std::string> shipped = shipped_paths(options.files);
  if (!shipped.empty()) {
    if (!options.working_directory.empty()) {
      throw wrong_use(
          "--files and --working-directory: files go into each attempt's own directory; leave one "
          "of the two");
    }
    spec.__set_files(read_shipped(shipped));
  }
  spec.mapper = with_absolute_program(options.mapper, shipped);
  const std::int64_t reduces = options.reduces.value_or(1);
  require(check_reduces(reduces));
  if (reduces > 0 && options.reducer.empty()) {
    throw wrong_use("--reducer is missing; give one, or say --reduces 0 for a job of maps alone");
  }
  spec.__set_reduces(static_cast<std::int32_t>(reduces));
  if (!options.reducer.empty()) spec.__set_reducer(with_absolute_program(options.reducer, shipped));
  if (!options.combiner.empty())
    spec.__set_combiner(with_absolute_program(options.combiner, shipped));
  if (!options.priority.empty()) {
    const auto priority = parse_priority(options.priority);
    if (!priority) {
      throw wrong_use(
          fmt::format("--priority '{}': must be VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW",
                      printable(options.priority)));
    }
    spec.__set_priority(name(*priority));
  }
  if (!options.working_directory.empty())
    spec.__set_working_directory(absolute_path(options.working_directory));
}

void set_limits(const SubmitOptions& options, wire::JobSpec& spec) {
  if (options.max_attempts) {
    require(check_max_attempts(*options.max_attempts));
    spec.__set_max_attempts(static_cast<std::int32_t>(*options.max_attempts));
  }
  if (!options.task_timeout.empty()) {
    auto timeout = parse_duration(options.task_timeout);
    if (timeout == kNever) timeout = 0;
    if (!timeout || *timeout < 0) {
      throw wrong_use(
          fmt::format("--task-timeout '{}': write a duration like 300ms, 5s, 2m, 1h, or never",
                      printable(options.task_timeout)));
    }
    spec.__set_task_timeout_ms(*timeout);
  }
  if (options.hold) spec.__set_hold(true);
  if (!options.time_limit.empty()) {
    const auto limit = parse_duration(options.time_limit);
    if (!limit || *limit < 1 || *limit == kNever) {
      throw wrong_use(fmt::format("--time-limit '{}': write a duration like 90s, 30m, 2h",
                                  printable(options.time_limit)));
    }
    spec.__set_time_limit_ms(*limit);
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
  if (!options.map_memory.empty())
    spec.__set_map_memory_mb(size_in_mb("--map-memory", options.map_memory));
  if (!options.reduce_memory.empty())
    spec.__set_reduce_memory_mb(size_in_mb("--reduce-memory", options.reduce_memory));
  if (!options.sort_memory.empty())
    spec.__set_sort_memory_mb(size_in_mb("--sort-memory", options.sort_memory));
  if (options.slots_per_map) spec.__set_slots_per_map(*options.slots_per_map);
  if (options.slots_per_reduce) spec.__set_slots_per_reduce(*options.slots_per_reduce);
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
  if (!conf.empty()) spec.__set_conf(std::move(conf));
}

// What cannot be reached may be there or not: nothing can be written there in any case.
bool exists(const std::string& path, const std::string& output) {
  std::error_code error;
  const auto type = std::filesystem::symlink_status(path, error).type();
  if (type == std::filesystem::file_type::none)
    throw wrong_use(fmt::format("--output {}: {} cannot be reached: {}", printable(output),
                                printable(path), error.message()));
  return type != std::filesystem::file_type::not_found;
}

// An output that exists because a job is writing it deserves to be told so.
[[noreturn]] void refuse_output(JobTracker& jobtracker, const std::string& path) {
  std::vector<JobView> jobs;
  try {
    jobs = jobtracker.unfinished_jobs();
  } catch (const RpcUnreachable&) {
    // The output exists all the same, and that is what the user has to mend first.
  }
  for (const auto& job : jobs) {
    if (job.output != path) continue;
    throw wrong_use(fmt::format(
        "--output {} is being written by {}; name another directory, or wait for that job's end",
        printable(path), job_name(job.id)));
  }
  throw wrong_use(
      fmt::format("--output {} exists already; name a directory that does not, or remove it first",
                  printable(path)));
}

// Directories are made as far as they are missing; below a file none can be.
void check_way_to(const std::string& output) {
  std::filesystem::path above = std::filesystem::path(output).parent_path();
  while (above.has_relative_path() && !exists(above.string(), output)) above = above.parent_path();
  std::error_code error;
  if (std::filesystem::is_directory(above, error)) return;
  throw wrong_use(fmt::format("--output {}: {} is no directory, so none can be made below it",
                              printable(output), printable(above.string())));
}

InputSplits input_of(const SubmitOptions& options) {
  std::int64_t split_bytes = kDefaultSplitBytes;
  if (!options.split_size.empty())
    split_bytes = size_in_bytes("--split-size", options.split_size, 1);
  std::int64_t combined_bytes = split_bytes;
  if (!options.combine_files.empty())
    combined_bytes = size_in_bytes("--combine-files", options.combine_files, 1);
  InputSplits input = require(compute_splits(require(list_inputs(options.input)), split_bytes));
  if (options.combine) combine_splits(input, combined_bytes);
  return input;
}

std::optional<std::int64_t> retry_ms(const SubmitOptions& options) {
  if (options.retry.empty())
    return options.wait ? std::optional(Patience::kPatienceMs) : std::nullopt;
  const auto retry = parse_duration(options.retry);
  if (!retry || *retry < 0) {
    throw wrong_use(fmt::format("--retry '{}': write a duration like 0s, 5s, 2m, 1h",
                                printable(options.retry)));
  }
  return retry;
}

int submit(Context& context, const SubmitOptions& options) {
  wire::SubmitRequest request;
  request.caller = to_wire(caller(context));
  request.spec = job_spec_of(options);
  JobTracker jobtracker(context);
  const std::string& output = request.spec.output;
  if (exists(output, output)) refuse_output(jobtracker, output);
  check_way_to(request.spec.output);
  InputSplits input = input_of(options);
  request.spec.input_files = std::move(input.files);
  std::vector<wire::Split> splits;
  splits.reserve(input.splits.size());
  for (const Split& split : input.splits) splits.push_back(to_wire(split));
  const auto reply = send_submission(context, jobtracker, std::move(request), std::move(splits),
                                     retry_ms(options));
  if (context.json() && !options.wait) {
    const JobId job(static_cast<std::size_t>(reply.job));
    const SubmittedView submitted{job, reply.queue, reply.version, reply.warnings};
    print_json(context.out, to_json(submitted));
  } else if (!context.json()) {
    context.out << fmt::format("{} submitted to queue {}", reply.job_name, printable(reply.queue))
                << std::endl;
  }
  for (const std::string& warning : reply.warnings)
    context.err << "weir: warning: " << printable(warning) << "\n";
  if (!options.priority.empty()) warn_of_priority(context, jobtracker, reply.queue);
  warn_of_width(context, jobtracker, reply.queue, options.slots_per_map.value_or(1),
                options.slots_per_reduce.value_or(1));
  if (!options.wait) return kExitDone;
  return follow_job(context, jobtracker, reply.job, reply.version, OnInterrupt::kAsks);
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

wire::JobSpec job_spec_of(const SubmitOptions& options) {
  wire::JobSpec spec;
  spec.queue = options.queue;
  if (options.mapper.empty())
    throw wrong_use("--mapper is empty; write a command, like --mapper cat");
  set_tasks(options, spec);
  set_limits(options, spec);
  set_conf(options, spec);
  if (!options.environment.empty())
    spec.__set_environment(key_values("--env", options.environment));
  spec.output = absolute_path(options.output);
  spec.name =
      options.name.empty() ? std::filesystem::path(spec.output).filename().string() : options.name;
  require(check_description(spec));
  return spec;
}

void add_submit_command(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("submit", "run a MapReduce job, Hadoop-streaming style");
  command->group("Jobs");
  const auto options = std::make_shared<SubmitOptions>();
  add_job_options(*command, *options);
  add_limit_options(*command, *options);
  add_caller_option(*command, context);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(
      "Who you are is self-declared: the JobTracker believes the user and groups of this process, "
      "or --user,\n"
      "WEIR_USER and WEIR_GROUPS (a,b), and checks the queues' access lists against them.\n\n"
      "Examples:\n"
      "  weir submit --queue research --input books/ --output /data/words --reduces 4 --wait \\\n"
      "      --mapper \"tr -cs A-Za-z '\\\\n'\" --reducer 'uniq -c'\n"
      "  weir submit --queue production --input 'logs/2024-1?/*.gz' --combine-files 256M \\\n"
      "      --output /data/errors --mapper 'grep ERROR' --ok-exit 0,1 --reduces 0\n"
      "  weir submit --queue research --input books/ --output /data/index --files map.py,stop.txt "
      "\\\n"
      "      --mapper './map.py stop.txt' --reducer 'sort -u' --hold --time-limit 2h");
  command->callback([&context, options] {
    context.action = [&context, options] { return submit(context, *options); };
  });
}

}  // namespace weir::cli
