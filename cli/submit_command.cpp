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
#include "cli/patience.h"
#include "cli/queue_warnings.h"
#include "cli/submission.h"
#include "conf/values.h"
#include "thrift/wire_job.h"
#include "tracker/splits/splits.h"

namespace weir::cli {
namespace {

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

InputSplits input_of(const wire::JobSpec& spec) {
  const std::int64_t split_bytes = spec.split_bytes > 0 ? spec.split_bytes : kDefaultSplitBytes;
  InputSplits input = require(compute_splits(require(list_inputs(spec.input)), split_bytes));
  if (spec.__isset.combine_bytes) combine_splits(input, spec.combine_bytes);
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

// What was typed of reduces for a job that has none.
void warn_of_reduces(Context& context, const SubmitOptions& o) {
  const std::pair<const char*, bool> given[] = {
      {"--reducer", !o.reducer.empty()},
      {"--combiner", !o.combiner.empty()},
      {"--slowstart", !o.slowstart.empty()},
      {"--reduce-memory", !o.reduce_memory.empty()},
      {"--reduce-vcores", o.reduce_vcores.has_value()},
      {"--reduce-slots-per-task", o.slots_per_reduce.has_value()},
  };
  for (const auto& [option, is_given] : given) {
    if (is_given)
      context.err << "weir: warning: " << option << " has no effect: the job has no reduces\n";
  }
}

}  // namespace

int submit_job(Context& context, JobTracker& jobtracker, const SubmitOptions& options,
               wire::JobSpec spec) {
  wire::SubmitRequest request;
  request.caller = to_wire(caller(context));
  request.spec = std::move(spec);
  std::vector<wire::Split> splits;
  const bool application = !request.spec.task_groups.empty();
  const bool maps_alone = !application && request.spec.reduces == 0;
  if (!application) {
    const std::string& output = request.spec.output;
    if (exists(output, output)) refuse_output(jobtracker, output);
    check_way_to(output);
    InputSplits input = input_of(request.spec);
    request.spec.input_files = std::move(input.files);
    splits.reserve(input.splits.size());
    for (const Split& split : input.splits) splits.push_back(to_wire(split));
  }
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
  if (maps_alone) warn_of_reduces(context, options);
  if (!options.priority.empty()) warn_of_priority(context, jobtracker, reply.queue);
  if (!application) {
    warn_of_width(context, jobtracker, reply.queue, options.slots_per_map.value_or(1),
                  maps_alone ? 1 : options.slots_per_reduce.value_or(1));
  }
  if (!options.wait) return kExitDone;
  return follow_job(context, jobtracker, reply.job, reply.version, OnInterrupt::kAsks);
}

void add_submit_command(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("submit", "run a MapReduce job, Hadoop-streaming style");
  command->group("Jobs");
  const auto options = std::make_shared<SubmitOptions>();
  add_job_options(*command, *options, Needed::kAll);
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
    context.action = [&context, options] {
      wire::JobSpec spec = job_spec_of(*options);
      JobTracker jobtracker(context);
      return submit_job(context, jobtracker, *options, std::move(spec));
    };
  });
}

}  // namespace weir::cli
