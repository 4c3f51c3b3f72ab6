// `weir submit`: from options to a JobSpec, and off to the JobTracker. Everything that can be found
// wrong here is refused here with the option's name (exit code 2); queues, permissions and limits
// are the JobTracker's to judge. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/connection.h"
#include "cli/context.h"
#include "common_types.h"

namespace weir::cli {

// As typed; empty means not given.
struct SubmitOptions {
  std::string queue, name, priority, output, mapper, reducer, combiner, working_directory;
  std::vector<std::string> input, conf, environment, files;
  std::optional<std::int64_t> reduces, max_attempts, slots_per_map, slots_per_reduce,
      map_vcores, reduce_vcores;
  std::string map_memory, reduce_memory, sort_memory, split_size, task_timeout, slowstart, retry;
  std::string ok_exit;
  bool combine = false;
  std::string combine_files;  // up to this size; empty: the split size
  std::string time_limit;
  bool hold = false;
  bool wait = false;
};

// Pure but for the current directory, against which relative paths are read. The input and the
// splits are not in it yet. `spec`: what the options change; of a job that is submitted again.
wire::JobSpec job_spec_of(const SubmitOptions& options, wire::JobSpec spec = {});
// Likewise of an application: what of the options it can have.
wire::JobSpec application_of(const SubmitOptions& options, wire::JobSpec spec);
std::map<std::string, std::string> environment_of(const SubmitOptions& options);
std::map<std::string, std::string> conf_of(const SubmitOptions& options);
// --env of `weir run`, too: the shell that runs the programs would drop other names.
void check_environment_name(const std::string& name);
// Of --time-limit; 0: never.
DurationMs time_limit_of(const std::string& text);
// A relative program that exists here is named by its absolute path, as attempts run in directories
// of their own; but one that is shipped with the job (by these paths) is found there as ./NAME.
std::string with_absolute_program(const std::string& command,
                                  const std::vector<std::string>& shipped = {});
// `5%` or `0.05`, in millionths.
std::optional<std::int64_t> parse_slowstart(const std::string& text);

// submit_options.cpp
// Queue, input, output and mapper; a change has no need of them.
enum class Needed { kAll, kNothing };
void add_job_options(CLI::App& command, SubmitOptions& options, Needed needed);
void add_limit_options(CLI::App& command, SubmitOptions& options);

// Looks for the input, sends the job, and follows it if that is asked for.
int submit_job(Context& context, JobTracker& jobtracker, const SubmitOptions& options,
               wire::JobSpec spec);

void add_submit_command(CLI::App& app, Context& context);

}  // namespace weir::cli
