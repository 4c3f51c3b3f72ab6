#include "cli/job_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/connection.h"
#include "cli/follow_job.h"
#include "cli/format.h"
#include "cli/job_logs.h"
#include "cli/job_tables.h"
#include "cli/json.h"
#include "cli/progress_bar.h"
#include "jobqueue/job_spec.h"

namespace weir::cli {
namespace {

struct JobOptions {
  std::string id, queue, user, priority, since, before;
  std::int32_t limit = 0;
  bool all = false;
  bool history = false;
  bool tasks = false;
};
using Options = std::shared_ptr<JobOptions>;

std::int64_t number(const JobOptions& options) {
  return job_argument(options.id).value;
}

int list_history(Context& context, const JobOptions& options) {
  JobTracker jobtracker(context);
  wire::HistoryFilter filter;
  if (!options.queue.empty()) filter.__set_queue(options.queue);
  if (!options.user.empty()) filter.__set_user(options.user);
  if (options.limit > 0) filter.__set_limit(options.limit);
  // Times are those of the JobTracker, which stands still while it is down.
  const auto now = [&jobtracker] {
    wire::ServerInfo server;
    jobtracker.admin([&](auto& admin) { admin.info(server); });
    return server.now_ms;
  };
  if (!options.since.empty()) filter.__set_since_ms(point_in_time("--since", options.since, now));
  if (!options.before.empty())
    filter.__set_before_ms(point_in_time("--before", options.before, now));
  std::vector<wire::JobStatus> jobs;
  jobtracker.client([&](auto& client) { client.list_history(jobs, filter); });
  if (context.json()) {
    print_json(context.out, to_json(jobs));
  } else if (jobs.empty()) {
    context.out << "no such jobs have ended\n";
  } else {
    context.out << history_table(jobs).render(context.columns());
  }
  return kExitDone;
}

int list(Context& context, const JobOptions& options) {
  if (options.history) return list_history(context, options);
  JobTracker jobtracker(context);
  std::vector<wire::JobStatus> jobs;
  jobtracker.client([&](auto& client) {
    client.list_jobs(jobs, options.queue, options.user, !options.all, options.limit, 0);
  });
  if (context.json()) {
    print_json(context.out, to_json(jobs));
  } else if (jobs.empty()) {
    context.out << (options.all ? "no jobs\n"
                                : "no unfinished jobs; --all shows those that ended too\n");
  } else {
    context.out << job_table(jobs).render(context.columns());
  }
  return kExitDone;
}

int status(Context& context, const JobOptions& options) {
  JobTracker jobtracker(context);
  wire::JobStatus job;
  jobtracker.client([&](auto& client) { client.job_status(job, number(options), 0); });
  std::vector<wire::AttemptInfo> attempts;
  if (options.tasks) {
    jobtracker.client([&](auto& client) { client.attempts(attempts, number(options)); });
  }
  if (context.json()) {
    Json json = to_json(job);
    if (options.tasks) json["attempts"] = to_json(attempts);
    print_json(context.out, json);
    return kExitDone;
  }
  context.out << job_details(job);
  if (job.__isset.counters) context.out << counter_lines(job.counters);
  if (options.tasks) context.out << "\n" << attempt_table(attempts).render(context.columns());
  return kExitDone;
}

int explain(Context& context, const JobOptions& options) {
  JobTracker jobtracker(context);
  wire::JobExplanation explanation;
  jobtracker.client([&](auto& client) { client.explain(explanation, number(options)); });
  if (context.json()) {
    print_json(context.out, to_json(explanation));
    return kExitDone;
  }
  const auto& job = explanation.status;
  context.out << fmt::format("{} ({}) in queue {} is {}: {} maps and {} reduces pending\n",
                             job.job_name, printable(job.name), printable(job.queue), job.state,
                             job.maps.pending, job.reduces.pending);
  for (const auto& reason : explanation.reasons) {
    context.out << fmt::format("  {}: {}\n", reason.code, printable(reason.message));
  }
  if (!explanation.reasons.empty()) return kExitDone;
  if (job_over(job)) {
    context.out << "  it has ended"
                << (job.diagnostics.empty() ? "" : ": " + printable(job.diagnostics)) << "\n";
  } else {
    context.out << "  nothing holds it back: all its tasks that may run are running\n";
  }
  return kExitDone;
}

// One line, or {"job", "number", ...} for scripts.
int report(Context& context, const JobOptions& options, const std::string& sentence, Json more) {
  if (context.json()) {
    Json json = {{"job", job_name(job_argument(options.id))}, {"number", number(options)}};
    json.update(more);
    print_json(context.out, json);
  } else {
    context.out << job_name(job_argument(options.id)) << " " << sentence << "\n";
  }
  return kExitDone;
}

int kill(Context& context, const JobOptions& options) {
  JobTracker jobtracker(context);
  wire::Done done;
  jobtracker.client([&](auto& client) { client.kill_job(done, caller(context), number(options)); });
  return report(context, options, "killed", {{"version", done.version}});
}

int move(Context& context, const JobOptions& options) {
  JobTracker jobtracker(context);
  wire::Done done;
  wire::JobStatus job;
  jobtracker.client([&](auto& client) {
    client.move_job(done, caller(context), number(options), options.queue);
  });
  jobtracker.client([&](auto& client) { client.job_status(job, number(options), done.version); });
  return report(context, options, "moved to queue " + printable(job.queue),
                {{"queue", job.queue}, {"version", done.version}});
}

int set_priority(Context& context, const JobOptions& options) {
  const auto priority = parse_priority(options.priority);
  if (!priority) {
    throw wrong_use(fmt::format("priority '{}': must be VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW",
                                printable(options.priority)));
  }
  JobTracker jobtracker(context);
  wire::Done done;
  jobtracker.client([&](auto& client) {
    client.set_priority(done, caller(context), number(options), name(*priority));
  });
  return report(context, options, fmt::format("now has priority {}", name(*priority)),
                {{"priority", name(*priority)}, {"version", done.version}});
}

int wait(Context& context, const JobOptions& options) {
  JobTracker jobtracker(context);
  return follow_job(context, jobtracker, number(options), 0);
}

CLI::App* add(CLI::App& group, Context& context, const Options& options, const char* name,
              const char* what, int (*run)(Context&, const JobOptions&), const char* examples) {
  auto* command = group.add_subcommand(name, what);
  add_output_option(*command, context);
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
          "  weir job list --history --since 2d");
  command->add_option("--queue", options->queue, "only this queue's");
  command->add_option("--user", options->user, "only this user's");
  command->add_option("--limit", options->limit, "at most so many (default 1000)")
      ->check(CLI::NonNegativeNumber);
  auto* all = command->add_flag("--all", options->all, "those that ended lately, too");
  auto* history = command->add_flag(
      "--history", options->history,
      "all that ended and are still on record (history.keep), the last to end first");
  history->excludes(all);
  command
      ->add_option("--since", options->since,
                   "with --history: ended in the last 30m, 12h, 2d..., or since "
                   "2024-11-21 or '2024-11-21 04:25'")
      ->needs(history);
  command->add_option("--before", options->before, "with --history: ended before that")
      ->needs(history);

  command = add(group, context, options, "status", "one job: progress, counters, why it failed",
                status, "  weir job status job_0007\n  weir job status 7 --tasks -o json");
  add_id(command, options);
  command->add_flag("--tasks", options->tasks, "with every attempt of its tasks");

  add_id(add(group, context, options, "explain", "why a job waits, with the numbers behind it",
             explain, "  weir job explain job_0007"),
         options);
  add_id(
      add(group, context, options, "wait", "follow a job to its end; exit 0 only if it SUCCEEDED",
          wait, "  weir job wait job_0007"),
      options);
}

void add_changing(CLI::App& group, Context& context, const Options& options) {
  auto* command = add(group, context, options, "kill", "end a job; its running tasks are killed",
                      kill, "  weir job kill job_0007");
  add_id(command, options);
  add_caller_option(*command, context);

  command = add(group, context, options, "move", "move a job to another queue", move,
                "  weir job move job_0007 --queue production");
  add_id(command, options);
  command->add_option("--queue", options->queue, "where to")->required();
  add_caller_option(*command, context);

  command = add(group, context, options, "priority", "change a job's priority", set_priority,
                "  weir job priority job_0007 HIGH");
  add_id(command, options);
  command->add_option("PRIORITY", options->priority, "VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW")
      ->required();
  add_caller_option(*command, context);
}

}  // namespace

void add_job_commands(CLI::App& app, Context& context) {
  auto* group = app.add_subcommand("job", "list, follow and steer jobs");
  group->group("Jobs")->require_subcommand(1);
  const auto options = std::make_shared<JobOptions>();
  add_reading(*group, context, options);
  add_changing(*group, context, options);
  add_job_logs(*group, context);
}

}  // namespace weir::cli
