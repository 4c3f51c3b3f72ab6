#include "cli/job_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

#include "cli/asked_lines.h"
#include "cli/connection.h"
#include "cli/follow_job.h"
#include "cli/format.h"
#include "cli/job_logs.h"
#include "cli/job_selection.h"
#include "cli/job_steering.h"
#include "cli/job_tables.h"
#include "cli/json.h"
#include "cli/progress_bar.h"
#include "cli/submit_again.h"
#include "conf/values.h"
#include "jobqueue/model/counted.h"

namespace weir::cli {
namespace {

struct JobOptions {
  std::string id, queue, user, name, states, since, before, columns;
  std::int32_t limit = 0;
  bool all = false;
  bool me = false;
  bool history = false;
  bool tasks = false;
  const CLI::Option* state = nullptr;
};
using Options = std::shared_ptr<JobOptions>;

std::int64_t number(const JobOptions& options) {
  return job_argument(options.id).value;
}

std::string user_of(const Context& context, const JobOptions& options) {
  return options.me ? caller(context).user : options.user;
}

// `state,job`: of job_column_names(), in letters of any size.
std::vector<std::string_view> columns_of(const Context& context, const JobOptions& options) {
  const std::vector<std::string_view> known = job_column_names();
  if (options.columns.empty()) return context.wide() ? known : std::vector<std::string_view>();
  if (context.format != "table")
    throw wrong_use(fmt::format("--columns and -o {}: leave one of the two", context.format));
  std::vector<std::string_view> names;
  std::stringstream words(options.columns);
  for (std::string word; std::getline(words, word, ',');) {
    const std::string name = upper_case(word);
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      const auto near = nearest(name, known);
      throw wrong_use(fmt::format("--columns '{}': {}; write one or more of {}, with commas",
                                  printable(word),
                                  near ? fmt::format("did you mean {}?", *near)
                                       : std::string("is no column"),
                                  fmt::join(known, ", ")));
    }
    names.push_back(*found);
  }
  return names;
}

void print_jobs(Context& context, const std::vector<JobView>& jobs,
                const std::vector<std::string_view>& columns,
                Table (*usual)(const std::vector<JobView>&)) {
  const Table table = columns.empty() ? usual(jobs) : job_table(jobs, columns);
  context.out << table.render(context.wide() ? kUncut : context.columns());
}

int list_history(Context& context, const JobOptions& options) {
  const auto columns = columns_of(context, options);
  JobTracker jobtracker(context);
  HistoryWanted wanted{.queue = options.queue,
                       .user = user_of(context, options),
                       .name = options.name,
                       .limit = options.limit};
  if (options.state->count() > 0) wanted.states = states_of(options.states, JobStates::kOver);
  // Times are those of the JobTracker, which stands still while it is down.
  const auto now = [&jobtracker] { return jobtracker.server().now_ms; };
  if (!options.since.empty()) wanted.since_ms = point_in_time("--since", options.since, now);
  if (!options.before.empty()) wanted.before_ms = point_in_time("--before", options.before, now);
  const auto jobs = jobtracker.history(wanted);
  if (context.json()) {
    print_json(context.out, to_json(jobs));
  } else if (jobs.empty()) {
    context.out << "no such jobs have ended\n";
  } else {
    print_jobs(context, jobs, columns, history_table);
  }
  return kExitDone;
}

int list(Context& context, const JobOptions& options) {
  if (options.history) return list_history(context, options);
  const auto columns = columns_of(context, options);
  JobsWanted wanted{.queue = options.queue,
                    .user = user_of(context, options),
                    .name = options.name,
                    .unfinished_only = !options.all,
                    .limit = options.limit};
  if (options.state->count() > 0) {
    wanted.states = states_of(options.states, JobStates::kAny);
    wanted.unfinished_only = false;
  }
  JobTracker jobtracker(context);
  const auto jobs = jobtracker.jobs(wanted);
  if (context.json()) {
    print_json(context.out, to_json(jobs));
  } else if (jobs.empty()) {
    context.out << (options.state->count() > 0
                        ? "no jobs in state " + printable(options.states) + "\n"
                    : options.all ? "no jobs\n"
                                  : "no unfinished jobs; --all shows those that ended too\n");
  } else {
    print_jobs(context, jobs, columns, job_table);
  }
  return kExitDone;
}

// None: it is not kept any more, or the JobTracker is older than the question.
std::optional<AskedView> asked_of(JobTracker& jobtracker, std::int64_t job) {
  try {
    AskedView asked = jobtracker.asked("", job);
    return asked;
  } catch (const Refused& refused) {
    if (refused.error().code != ErrorCode::kUnknownJob) throw;
    return std::nullopt;
  }
}

int status(Context& context, const JobOptions& options) {
  JobTracker jobtracker(context);
  const JobView job = jobtracker.job(number(options));
  const std::optional<AskedView> asked = asked_of(jobtracker, number(options));
  std::vector<AttemptView> attempts;
  if (options.tasks) attempts = jobtracker.attempts(number(options));
  if (context.json()) {
    Json json = to_json(job);
    json["submission"] = asked ? to_json(*asked) : Json();
    if (options.tasks) json["attempts"] = to_json(attempts);
    print_json(context.out, json);
    return kExitDone;
  }
  context.out << job_details(job) << "\n" << asked_lines(asked, context.columns());
  if (job.counters) context.out << counter_lines(*job.counters);
  if (options.tasks && attempts.empty()) context.out << "\nno attempts are known\n";
  if (options.tasks && !attempts.empty())
    context.out << "\n" << attempt_table(attempts).render(context.columns());
  return kExitDone;
}

int explain(Context& context, const JobOptions& options) {
  JobTracker jobtracker(context);
  const ExplanationView explanation = jobtracker.explain(number(options));
  if (context.json()) {
    print_json(context.out, to_json(explanation));
    return kExitDone;
  }
  const JobView& job = explanation.job;
  const std::string pending = job.groups.empty()
                                  ? counted(job.maps.pending, "map") + " and " +
                                        counted(job.reduces.pending, "reduce")
                                  : counted(job.all_tasks().pending, "task");
  context.out << fmt::format("{} ({}) in queue {} is {}: {} pending\n", job_name(job.id),
                             printable(job.name), printable(job.queue), job.state, pending);
  for (const auto& reason : explanation.reasons) {
    context.out << fmt::format("  {}: {}\n", reason.code, printable_line(reason.message));
  }
  if (!explanation.reasons.empty()) return kExitDone;
  if (job.over()) {
    context.out << "  it has ended"
                << (job.diagnostics ? ": " + printable_line(*job.diagnostics) : "") << "\n";
  } else {
    context.out << "  nothing holds it back: all its tasks that may run are running\n";
  }
  return kExitDone;
}

CLI::App* add(CLI::App& group, Context& context, const Options& options, const char* name,
              const char* what, int (*run)(Context&, const JobOptions&), const char* examples) {
  auto* command = group.add_subcommand(name, what);
  if (run == list) {
    add_wide_output_option(*command, context);
  } else {
    add_output_option(*command, context);
  }
  add_connection_options(*command, context);
  command->footer(std::string("Examples:\n") + examples);
  command->callback([&context, options, run] {
    // A wrong ID is wrong use, whether or not there is a JobTracker.
    context.action = [&context, options, run] {
      if (!options->id.empty()) job_argument(options->id);
      return run(context, *options);
    };
  });
  return command;
}

void add_id(CLI::App* command, const Options& options) {
  command->add_option("ID", options->id, "job_0007 or 7")->required();
}

void add_reading(CLI::App& group, Context& context, const Options& options) {
  auto* command =
      add(group, context, options, "list", "unfinished jobs, newest first", list,
          "  weir job list --queue research\n  weir job list --all --user alice -o json\n"
          "  weir job list --state RUNNING,FAILED\n"
          "  weir job list --me --columns job,state,reason\n"
          "  weir job list --history --since 2d --state FAILED --name 'daily-*'");
  command->add_option("--queue", options->queue, "only this queue's");
  add_user_option(*command, "--user", options->user, "only this user's");
  command->add_flag("--me", options->me, "only your own")->excludes("--user");
  command
      ->add_option("--columns", options->columns,
                   "only these columns, in this order, of those that -o wide has")
      ->type_name("NAME,...");
  command->add_option("--limit", options->limit, "at most so many, up to 10000 (default 1000)")
      ->check(CLI::Range(0, 10'000));
  auto* all = command->add_flag("--all", options->all, "those that ended lately, too");
  auto* history = command->add_flag(
      "--history", options->history,
      "all that ended and are still on record (history.keep), the last to end first");
  history->excludes(all);
  options->state = command
                       ->add_option("--state", options->states,
                                    "only those in any of these states, with commas: HELD, "
                                    "WAITING, PENDING, RUNNING, and of those that ended lately "
                                    "SUCCEEDED, FAILED, KILLED")
                       ->type_name("STATE,...");
  command
      ->add_option("--name", options->name,
                   "only those whose name is like this: * any text, ? any letter, [a-z]; in quotes")
      ->type_name("PATTERN");
  command
      ->add_option("--since", options->since,
                   "with --history: ended in the last 30m, 12h, 2d..., or since "
                   "2024-11-21 or '2024-11-21 04:25'")
      ->needs(history);
  command->add_option("--before", options->before, "with --history: ended before that")
      ->needs(history);

  command = add(group, context, options, "status",
                "one job: progress, counters, why it failed, what it runs",
                status, "  weir job status job_0007\n  weir job status 7 --tasks -o json");
  add_id(command, options);
  command->add_flag("--tasks", options->tasks, "with every attempt of its tasks");

  add_id(add(group, context, options, "explain", "why a job waits, with the numbers behind it",
             explain, "  weir job explain job_0007"),
         options);
}

}  // namespace

void add_job_commands(CLI::App& app, Context& context) {
  auto* group = app.add_subcommand("job", "list, follow and steer jobs");
  group->group("Jobs")->require_subcommand(1);
  group->footer(
      "Examples:\n  weir job list\n  weir job explain job_0007\n  weir job logs job_0007\n"
      "  weir job kill --user alice --queue research");
  const auto options = std::make_shared<JobOptions>();
  add_reading(*group, context, options);
  add_job_steering(*group, context);
  add_submit_again(*group, context);
  add_job_logs(*group, context);
}

}  // namespace weir::cli
