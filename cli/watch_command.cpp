#include "cli/watch_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>

#include "cli/connection.h"
#include "cli/format.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/patience.h"
#include "cli/progress_bar.h"
#include "cli/queue_tables.h"

namespace weir::cli {
namespace {

constexpr std::int64_t kLinesEveryMs = 3000;
constexpr std::size_t kMostBars = 12;  // the block must fit a small terminal

struct View {
  std::vector<JobView> jobs;
  std::vector<QueueView> queues;
};

class WatchDisplay {
 public:
  explicit WatchDisplay(Context& context) : context_(context) {}

  void show(const View& view, bool last) {
    if (context_.json()) return;
    if (context_.terminal.out) {
      draw(view);
    } else {
      print(view, last);
    }
  }
  // The next drawing begins below.
  void leave() { lines_drawn_ = 0; }

 private:
  void draw(const View& view) {
    std::string block;
    if (lines_drawn_ > 0) block += fmt::format("\x1b[{}A", lines_drawn_);
    lines_drawn_ = 0;
    const auto add = [&](const std::string& line) {
      block += "\x1b[K" + line + "\n";
      ++lines_drawn_;
    };
    const ProgressStyle style{context_.terminal.columns - 1, context_.terminal.colours};
    const std::size_t bars = std::min(view.jobs.size(), kMostBars);
    for (std::size_t i = 0; i < bars; ++i) add(progress_bar(view.jobs[i], style));
    if (bars < view.jobs.size()) add(fmt::format("and {} more jobs", view.jobs.size() - bars));
    add("");
    std::istringstream table(queue_table(view.queues).render(style.columns) +
                             lending_lines(view.queues));
    for (std::string line; std::getline(table, line);) add(truncated(line, style.columns));
    context_.out << block << "\x1b[J" << std::flush;
  }

  void print(const View& view, bool last) {
    std::string key, text;
    for (const auto& job : view.jobs) {
      key += fmt::format("{} {} {} {} ", job.state, job.maps.progress_millionths,
                         job.reduces.progress_millionths, job.all_tasks().running);
      text += progress_line(job) + "\n";
    }
    for (const auto& queue : view.queues) text += queue_line(queue) + "\n";
    const std::int64_t now = steady_ms();
    if (key == key_ || (!last && printed_ms_ != 0 && now - printed_ms_ < kLinesEveryMs)) return;
    key_ = key;
    printed_ms_ = now;
    context_.out << text << std::flush;
  }

  Context& context_;
  std::size_t lines_drawn_ = 0;
  std::string key_;
  std::int64_t printed_ms_ = 0;
};

std::vector<std::int64_t> jobs_to_watch(JobTracker& jobtracker,
                                        const std::vector<std::string>& ids) {
  std::vector<std::int64_t> numbers;
  for (const auto& id : ids) numbers.push_back(job_argument(id).value);
  if (ids.empty()) {
    for (const auto& job : jobtracker.unfinished_jobs()) numbers.push_back(job.id.value);
    std::sort(numbers.begin(), numbers.end());
  }
  return numbers;
}

void refresh(JobTracker& jobtracker, const std::vector<std::int64_t>& numbers, View& view) {
  if (view.jobs.empty()) view.jobs.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (view.jobs[i].over()) continue;
    view.jobs[i] = jobtracker.job(numbers[i]);
  }
  view.queues = jobtracker.queues();
}

int result(Context& context, const View& view) {
  std::vector<std::string> failures;
  for (const auto& job : view.jobs) {
    const std::string took = short_duration(elapsed_ms(job));
    if (job.state == "SUCCEEDED") {
      if (!context.json()) {
        context.out << fmt::format("{} SUCCEEDED in {}; output: {}\n", job_name(job.id), took,
                                   printable(job.output));
      }
    } else {
      failures.push_back(fmt::format("weir: {} {} after {}: {}", job_name(job.id), job.state, took,
                                     printable_line(job.diagnostics.value_or(""))));
    }
  }
  if (context.json()) print_json(context.out, to_json(view.jobs));
  if (!failures.empty()) throw CliFailure::findings(kExitNotSo, failures);
  return kExitDone;
}

int watch(Context& context, const std::vector<std::string>& ids) {
  JobTracker jobtracker(context);
  const auto numbers = jobs_to_watch(jobtracker, ids);
  if (numbers.empty()) {
    if (context.json()) {
      print_json(context.out, Json::array());
    } else {
      context.out << "no unfinished jobs to watch\n";
    }
    return kExitDone;
  }
  InterruptScope interrupt;
  WatchDisplay display(context);
  Patience patience;
  View view;
  for (;;) {
    try {
      refresh(jobtracker, numbers, view);
      patience.answered();
      const bool over = std::all_of(view.jobs.begin(), view.jobs.end(),
                                    [](const JobView& job) { return job.over(); });
      display.show(view, over);
      if (over) return result(context, view);
    } catch (const RpcUnreachable&) {
      patience.no_answer(context, jobtracker, [&] { display.leave(); });
    } catch (const Refused& refused) {
      if (!is_passing(refused)) throw;
      patience.no_answer(context, jobtracker, [&] { display.leave(); });
    }
    if (interrupt.wait_ms(patience.pause_ms())) {
      context.err << "weir: the jobs go on without being watched\n";
      return kExitInterrupted;
    }
  }
}

// What the ruling policy has for queues: guarantees, shares, or neither.
std::string figures_text(const QueueView::Slots& slots) {
  std::string text;
  if (slots.lends)
    text = fmt::format("{} guaranteed, {} allocated, ", slots.guaranteed, slots.allocated);
  if (slots.share_thousandths) text = share_text(*slots.share_thousandths) + " share, ";
  return text + fmt::format("{} running, {} pending", slots.running, slots.pending);
}

}  // namespace

std::string queue_line(const QueueView& queue) {
  std::string text = fmt::format("queue {}: ", printable(queue.name));
  if (queue.amounts.empty()) {
    text += fmt::format("maps {}; reduces {}", figures_text(queue.maps),
                        figures_text(queue.reduces));
  }
  for (const QueueView::Amounts& each : queue.amounts) {
    text += fmt::format("{}{} {}", &each == &queue.amounts.front() ? "" : "; ",
                        printable(each.dimension), figures_text(each.figures));
  }
  for (const auto& claim : queue.claims) text += "; claim: " + claim_text(claim);
  return text;
}

void add_watch_command(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("watch", "follow jobs, and what queues run, until the jobs end");
  command->group("Jobs");
  const auto ids = std::make_shared<std::vector<std::string>>();
  const auto all = std::make_shared<bool>(false);
  auto* option = command->add_option("ID", *ids, "jobs (default: all that are unfinished)");
  command->add_flag("--all", *all, "all that are unfinished")->excludes(option);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(
      "Exit code 0 only if all of them SUCCEEDED.\n\nExamples:\n  weir watch --all\n  weir watch "
      "job_0007 8");
  command->callback(
      [&context, ids, all] { context.action = [&context, ids] { return watch(context, *ids); }; });
}

}  // namespace weir::cli
