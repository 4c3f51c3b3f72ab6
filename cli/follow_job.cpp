#include "cli/follow_job.h"

#include <fmt/format.h>

#include <optional>

#include "cli/ask.h"
#include "cli/format.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/patience.h"
#include "cli/progress_bar.h"
#include "jobqueue/model/counted.h"

namespace weir::cli {
namespace {

constexpr std::int64_t kLineEveryMs = 3000;

// Draws what is new, in the way that suits where stdout goes.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(Context& context) : context_(context) {}

  void show(const JobView& job) {
    if (context_.json()) return;
    if (context_.terminal.out) {
      const ProgressStyle style{context_.terminal.columns - 1, context_.terminal.colours};
      context_.out << "\r\x1b[K" << progress_bar(job, style) << std::flush;
      drawn_ = true;
      return;
    }
    const JobView::Tasks all = job.all_tasks();
    const std::string what =
        fmt::format("{} {} {} {}", job.state, all.progress_millionths,
                    job.reduces.progress_millionths, all.running);
    const std::int64_t now = steady_ms();
    const bool due = !last_line_ms_ || now - *last_line_ms_ >= kLineEveryMs;
    if (what == last_ || (!due && !job.over())) return;
    last_ = what;
    last_line_ms_ = now;
    context_.out << progress_line(job) << std::endl;
  }

  // So that what comes next begins on a line of its own.
  void finish() {
    if (drawn_) context_.out << "\n";
    drawn_ = false;
  }

 private:
  Context& context_;
  bool drawn_ = false;
  std::string last_;
  std::optional<std::int64_t> last_line_ms_;
};

// Of a job of one task, which ends as that does: the status of its command, as shells say it.
std::optional<int> own_status(const JobView& job) {
  if (job.groups.size() != 1 || job.groups.front().tasks.total != 1 || job.state != "FAILED")
    return std::nullopt;
  const std::string why = job.diagnostics.value_or("");
  const auto number_after = [&why](std::string_view words) -> std::optional<int> {
    const std::size_t at = why.find(words);
    if (at == std::string::npos) return std::nullopt;
    return std::atoi(why.c_str() + at + words.size());
  };
  if (const auto status = number_after("command exited with status ")) return status;
  const auto signal = number_after("command was ended by signal ");
  return signal ? std::optional(128 + *signal) : std::nullopt;
}

int show_result(Context& context, const JobView& job) {
  const bool succeeded = job.state == "SUCCEEDED";
  if (context.json()) {
    print_json(context.out, to_json(job));
  } else if (succeeded) {
    const JobView::Tasks all = job.all_tasks();
    const std::string tasks = job.groups.empty()
                                  ? counted(job.maps.total, "map") + ", " +
                                        counted(job.reduces.total, "reduce")
                                  : counted(all.total, "task");
    context.out << fmt::format("{} SUCCEEDED in {}: {}{}\n", job_name(job.id), time_taken(job),
                               tasks,
                               all.failed_attempts > 0
                                   ? ", " + counted(all.failed_attempts, "failed attempt")
                                   : "");
    if (job.counters) context.out << counter_lines(*job.counters);
    if (!job.output.empty()) context.out << fmt::format("output: {}\n", printable(job.output));
  }
  if (succeeded) return kExitDone;
  if (const auto status = own_status(job)) {
    context.err << "weir: " << why_not_succeeded(job) << "\n";
    return *status;
  }
  throw CliFailure(kExitNotSo, why_not_succeeded(job));
}

// Another ^C is the answer that it goes on: it ends this command, as any.
bool is_to_be_killed(Context& context, const InterruptScope& interrupt, const std::string& job) {
  interrupt.unblock();
  const bool yes = says_yes(context, fmt::format("Kill {}", job));
  interrupt.block();
  return yes;
}

}  // namespace

std::string time_taken(const JobView& job) {
  return short_duration(elapsed_ms(job));
}

std::string why_not_succeeded(const JobView& job) {
  const std::string why = job.diagnostics.value_or("");
  const std::string name = job_name(job.id);
  // Of an application the output alone would be shown, which seldom says why.
  return fmt::format("{} {} after {}: {}; look at `weir job logs {}{}`", name, job.state,
                     time_taken(job), why.empty() ? "no cause was given" : printable_line(why),
                     name, job.groups.empty() ? "" : " --stderr");
}

std::string counter_lines(const Counters& counters) {
  if (counters.empty()) return "";
  std::string text = "counters:\n";
  for (const auto& [group, names] : counters) {
    for (const auto& [name, value] : names) {
      text += fmt::format("  {}: {} = {}\n", printable(group), printable(name), value);
    }
  }
  return text;
}

int follow_job(Context& context, JobTracker& jobtracker, std::int64_t job, std::int64_t version,
               OnInterrupt on_interrupt) {
  InterruptScope interrupt;
  ProgressDisplay display(context);
  Patience patience;
  for (;;) {
    try {
      const JobView status = jobtracker.job(job, version);
      version = 0;
      patience.answered();
      display.show(status);
      if (status.over()) {
        display.finish();
        return show_result(context, status);
      }
    } catch (const RpcUnreachable&) {
      patience.no_answer(context, jobtracker, [&] { display.finish(); });
    } catch (const Refused& refused) {
      if (!is_passing(refused)) throw;
      patience.no_answer(context, jobtracker, [&] { display.finish(); });
    }
    if (const int signal = interrupt.wait_ms(patience.pause_ms()); signal != 0) {
      display.finish();
      const std::string name = job_name(JobId(static_cast<std::size_t>(job)));
      const bool asks = on_interrupt == OnInterrupt::kAsks && signal == SIGINT;
      if (asks && context.terminal.in && is_to_be_killed(context, interrupt, name)) {
        jobtracker.kill_job(caller(context), job);
        continue;  // until it is over
      }
      context.err << fmt::format(
          "weir: {} goes on without being watched; see it with `weir job status {}`, end it with "
          "`weir job kill {}`\n",
          name, name, name);
      return kExitInterrupted;
    }
  }
}

}  // namespace weir::cli
