#include "cli/job_steering.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "cli/connection.h"
#include "cli/follow_job.h"
#include "cli/format.h"
#include "cli/job_selection.h"
#include "cli/json.h"
#include "cli/queue_warnings.h"
#include "cli/wait_for_jobs.h"
#include "jobqueue/model/job_spec.h"

namespace weir::cli {
namespace {

struct SteeringOptions {
  JobSelection selection;
  std::string to;        // move: where to
  std::string priority;  // the last word
};
using SharedSteering = std::shared_ptr<SteeringOptions>;

// What became of one job: "killed", and what scripts get besides its name and number.
struct Outcome {
  std::string sentence;
  Json details;
};
using Act = std::function<Outcome(JobTracker&, std::int64_t job)>;

std::string name_of(std::int64_t job) {
  return job_name(JobId(static_cast<std::size_t>(job)));
}

Json json_of(std::int64_t job, const Json& details) {
  Json json = {{"job", name_of(job)}, {"number", job}};
  json.update(details);
  return json;
}

// Collects what became of each of several jobs.
class Outcomes {
 public:
  explicit Outcomes(Context& context) : context_(context) {}

  void done(std::int64_t job, const Outcome& outcome) {
    any_done_ = true;
    if (context_.json()) return list_.push_back(json_of(job, outcome.details));
    context_.out << name_of(job) << " " << outcome.sentence << std::endl;
  }
  void refused(std::int64_t job, const Refused& refused) {
    const CliFailure failure = CliFailure::of(refused.error());
    const int code = failure.exit_code();
    exit_code_ = !exit_code_ || *exit_code_ == code ? code : kExitNotSo;
    if (context_.json()) list_.push_back(refusal_json(name_of(job), job, refused));
    std::string what = failure.what();
    if (what.find(name_of(job)) == std::string::npos) what = name_of(job) + ": " + what;
    context_.err << fmt::format("weir: {}\n", printable(what));
  }
  int finish() {
    if (context_.json()) print_json(context_.out, list_);
    if (!exit_code_) return kExitDone;
    return any_done_ ? kExitNotSo : *exit_code_;
  }

 private:
  Context& context_;
  Json list_ = Json::array();
  std::optional<int> exit_code_;
  bool any_done_ = false;
};

int act_on_one(Context& context, std::int64_t job, const Act& act) {
  JobTracker jobtracker(context);
  const Outcome outcome = act(jobtracker, job);
  if (context.json()) {
    print_json(context.out, json_of(job, outcome.details));
  } else {
    context.out << name_of(job) << " " << outcome.sentence << "\n";
  }
  return kExitDone;
}

int act_on(Context& context, const JobSelection& selection, const std::string& verb,
           const Act& act) {
  std::vector<std::int64_t> numbers = numbers_given(selection);
  if (!selection.states.empty()) states_of(selection.states, JobStates::kUnfinished);
  if (selection.ids.size() == 1) return act_on_one(context, numbers.front(), act);
  JobTracker jobtracker(context);
  if (numbers.empty()) {
    const auto jobs = find_selected(jobtracker, selection);
    if (!agreed(context, selection, verb, jobs))
      throw CliFailure(kExitNotSo, "nothing was done, as was answered");
    for (const auto& job : jobs) numbers.push_back(job.id.value);
  }
  Outcomes outcomes(context);
  for (const std::int64_t job : numbers) {
    try {
      outcomes.done(job, act(jobtracker, job));
    } catch (const Refused& refused) {
      outcomes.refused(job, refused);
    } catch (const RpcUnreachable&) {
      outcomes.finish();  // what was done until then
      throw;
    }
  }
  return outcomes.finish();
}

// With IDs --user says who asks, as in every command that changes something.
JobSelection selection_of(Context& context, const SteeringOptions& options) {
  JobSelection selection = options.selection;
  if (selection.ids.empty() || selection.user.empty()) return selection;
  if (!context.user.empty()) {
    throw wrong_use(fmt::format("--user {} and --as {}: with IDs both say who asks; give one",
                                printable(selection.user), printable(context.user)));
  }
  context.user = std::move(selection.user);
  selection.user.clear();
  return selection;
}

int kill(Context& context, const SteeringOptions& options) {
  return act_on(context, selection_of(context, options), "kill",
                [&context](JobTracker& jobtracker, std::int64_t job) {
                  const auto version = jobtracker.kill_job(caller(context), job);
                  return Outcome{"killed", {{"version", version}}};
                });
}

int move(Context& context, const SteeringOptions& options) {
  JobSelection selection = selection_of(context, options);
  std::string to = options.to;
  auto& words = selection.ids;
  if (to.empty() && selection.queue.empty() && !words.empty() && !parse_job_name(words.back())) {
    to = std::move(words.back());
    words.pop_back();
  }
  if (!words.empty() && to.empty()) to = std::exchange(selection.queue, {});
  if (to.empty()) {
    throw wrong_use(selection.ids.empty() && selection.selects()
                        ? "where to is not said; with a selection write --to QUEUE"
                        : "where to is not said; write the queue last, or --to QUEUE");
  }
  return act_on(
      context, selection, fmt::format("move to queue {}", printable(to)),
      [&context, to](JobTracker& jobtracker, std::int64_t number) {
        const auto version = jobtracker.move_job(caller(context), number, to);
        const JobView job = jobtracker.job(number, version);
        const std::string pool = job.pool ? ", pool " + printable(*job.pool) : "";
        return Outcome{"moved to queue " + printable(job.queue) + pool,
                       {{"queue", job.queue}, {"version", version}}};
      });
}

// Empty if that cannot be found out.
std::string queue_of(JobTracker& jobtracker, std::int64_t job) {
  try {
    return jobtracker.job(job).queue;
  } catch (const Refused&) {
    return "";
  } catch (const RpcUnreachable&) {
    return "";
  }
}

int set_priority(Context& context, const SteeringOptions& options) {
  constexpr const char* kAllowed = "VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW";
  SteeringOptions split = options;
  auto& words = split.selection.ids;
  if (words.empty())
    throw wrong_use(fmt::format("no priority is given; write it last: {}", kAllowed));
  const auto priority = parse_priority(words.back());
  if (!priority) {
    throw wrong_use(
        fmt::format("priority '{}': must be {}", printable(words.back()), kAllowed));
  }
  words.pop_back();
  const auto queues = std::make_shared<std::set<std::string>>();  // each is looked at once
  return act_on(context, selection_of(context, split),
                fmt::format("give priority {} to", name(*priority)),
                [&context, priority, queues](JobTracker& jobtracker, std::int64_t job) {
                  const auto version =
                      jobtracker.set_priority(caller(context), job, name(*priority));
                  const std::string queue = queue_of(jobtracker, job);
                  if (queues->insert(queue).second) warn_of_priority(context, jobtracker, queue);
                  return Outcome{fmt::format("now has priority {}", name(*priority)),
                                 {{"priority", name(*priority)}, {"version", version}}};
                });
}

int release(Context& context, const SteeringOptions& options) {
  JobSelection selection = selection_of(context, options);
  if (selection.selects() && selection.states.empty()) selection.states = "HELD";
  return act_on(context, selection, "release",
                [&context](JobTracker& jobtracker, std::int64_t job) {
                  const auto version = jobtracker.release_job(caller(context), job);
                  return Outcome{"released", {{"version", version}}};
                });
}

int wait(Context& context, const SteeringOptions& options) {
  const JobSelection& selection = options.selection;
  std::vector<std::int64_t> numbers = numbers_given(selection);
  if (!selection.states.empty()) states_of(selection.states, JobStates::kUnfinished);
  JobTracker jobtracker(context);
  if (selection.ids.size() == 1)
    return follow_job(context, jobtracker, numbers.front(), 0, OnInterrupt::kGoesOn);
  if (numbers.empty()) {
    JobSelection asked_nobody = selection;
    asked_nobody.yes = true;  // waiting changes nothing
    const auto jobs = find_selected(jobtracker, selection);
    agreed(context, asked_nobody, "wait for", jobs);
    for (const auto& job : jobs) numbers.push_back(job.id.value);
  }
  return wait_for_jobs(context, jobtracker, numbers);
}

CLI::App* add(CLI::App& group, Context& context, const SharedSteering& options, const char* name,
              const char* what, int (*run)(Context&, const SteeringOptions&),
              const char* examples) {
  auto* command = group.add_subcommand(name, what);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  add_selection_options(*command, options->selection);
  command->footer(std::string("Examples:\n") + examples);
  command->callback([&context, options, run] {
    context.action = [&context, options, run] { return run(context, *options); };
  });
  return command;
}

void add_ids(CLI::App& command, JobSelection& selection, const char* what) {
  command.add_option("ID", selection.ids, what);
}

// Of the commands that change something.
void add_asking(CLI::App& command, Context& context, JobSelection& selection) {
  add_user_option(command, "--user", selection.user,
                  "jobs of this user; with IDs: act as this user, like --as");
  add_caller_option(command, context, "--as");
  command.add_flag("--yes", selection.yes, "do not ask on a terminal, for scripts");
}

constexpr const char* kQueueSelects = "jobs in this queue and all below it";
constexpr const char* kIds = "jobs: job_0007 or 7; several, or a selection by options";

}  // namespace

void add_job_steering(CLI::App& group, Context& context) {
  auto options = std::make_shared<SteeringOptions>();
  auto* command = add(group, context, options, "wait",
                      "follow jobs to their end; exit 0 only if all SUCCEEDED", wait,
                      "  weir job wait job_0007\n  weir job wait 7 8 9\n"
                      "  weir job wait --queue research --name 'etl-*'");
  add_ids(*command, options->selection, kIds);
  add_user_option(*command, "--user", options->selection.user, "jobs of this user");
  command->add_option("--queue", options->selection.queue, kQueueSelects);

  options = std::make_shared<SteeringOptions>();
  command = add(group, context, options, "kill", "end jobs; their running tasks are killed", kill,
                "  weir job kill job_0007\n  weir job kill 7 8 9\n"
                "  weir job kill --user alice --name 'test-*' --state WAITING,PENDING --yes");
  add_ids(*command, options->selection, kIds);
  command->add_option("--queue", options->selection.queue, kQueueSelects);
  add_asking(*command, context, options->selection);

  options = std::make_shared<SteeringOptions>();
  command = add(group, context, options, "move", "move jobs to another queue", move,
                "  weir job move job_0007 --queue production\n"
                "  weir job move 7 8 9 production\n"
                "  weir job move --user alice --queue research --to production");
  add_ids(*command, options->selection,
          "jobs: job_0007 or 7; several, or a selection by options; and last the queue, unless "
          "an option names it");
  command->add_option("--to", options->to, "where to")->type_name("QUEUE");
  command->add_option("--queue", options->selection.queue,
                      "with IDs alone: where to; with --to: jobs in this queue and all below it");
  add_asking(*command, context, options->selection);

  options = std::make_shared<SteeringOptions>();
  command = add(group, context, options, "priority", "change the priority of jobs", set_priority,
                "  weir job priority job_0007 HIGH\n  weir job priority 7 8 9 HIGH\n"
                "  weir job priority --queue research --state WAITING LOW");
  add_ids(*command, options->selection,
          "jobs: job_0007 or 7; several, or a selection by options; and last the PRIORITY: "
          "VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW");
  command->add_option("--queue", options->selection.queue, kQueueSelects);
  add_asking(*command, context, options->selection);

  options = std::make_shared<SteeringOptions>();
  command = add(group, context, options, "release",
                "let jobs start that were submitted with --hold", release,
                "  weir job release job_0007\n  weir job release --name 'etl-*'");
  add_ids(*command, options->selection, kIds);
  command->add_option("--queue", options->selection.queue, kQueueSelects);
  add_asking(*command, context, options->selection);
}

}  // namespace weir::cli
