#include "cli/job_logs.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/connection.h"
#include "cli/format.h"
#include "cli/interrupt.h"
#include "cli/job_tables.h"
#include "cli/json.h"
#include "cli/patience.h"
#include "cli/progress_bar.h"
#include "conf/values.h"
#include "jobqueue/model/counted.h"
#include "jobqueue/model/plain_text.h"
#include "tracker/tasktracker/shuffle_client.h"

namespace weir::cli {
namespace {

using tasktracker::LogPiece;

constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;  // that can be asked for

struct LogOptions {
  std::string id, attempt, task;
  bool list = false, out = false, error = false, system = false, follow = false, raw = false;
  std::int64_t most_bytes = 1 << 20;

  // An application's tasks have their output there, those of maps and reduces theirs elsewhere.
  std::vector<std::string> logs(bool application) const {
    std::vector<std::string> logs;
    const bool none = !error && !out && !system;
    if (none && application) return {"stdout"};
    if (error || none) logs.emplace_back("stderr");
    if (out) logs.emplace_back("stdout");
    if (system) logs.emplace_back("syslog");
    return logs;
  }
};

// Of the task that is asked for: main.3, as the job has its groups.
std::vector<AttemptView> asked_for(std::vector<AttemptView> attempts, const JobView& job,
                                   const std::string& task) {
  if (task.empty()) return attempts;
  const std::size_t dot = task.rfind('.');
  const auto index = dot == std::string::npos ? std::nullopt : parse_integer(task.substr(dot + 1));
  const auto group =
      std::find_if(job.groups.begin(), job.groups.end(),
                   [&](const auto& each) { return each.name == task.substr(0, dot); });
  if (!index || group == job.groups.end()) {
    std::string groups;
    for (const auto& each : job.groups) groups += (groups.empty() ? "" : ", ") + each.name;
    throw wrong_use(fmt::format("--task '{}': write GROUP.INDEX{}", printable(task),
                                groups.empty() ? "; the job has no groups"
                                               : "; its groups are " + groups));
  }
  if (*index < 0 || *index >= group->tasks.total)
    throw wrong_use(fmt::format("--task '{}': group {} has {}, from {}.0 on", printable(task),
                                group->name, counted(group->tasks.total, "task"), group->name));
  const TaskKind kind = group_kind(static_cast<std::size_t>(group - job.groups.begin()));
  std::erase_if(attempts, [&](const AttemptView& attempt) {
    return attempt.id.task.kind != kind || attempt.id.task.index != *index;
  });
  return attempts;
}

// What has become of a tracker that gives no logs.
std::string whereabouts(JobTracker& jobtracker, const std::string& name) {
  for (const auto& tracker : jobtracker.trackers()) {
    if (tracker.name != name) continue;
    const auto silent = short_duration(tracker.last_heartbeat_ms_ago);
    if (tracker.state == "AWAITED")
      return fmt::format("is AWAITED: not heard of since the JobTracker started, {} ago", silent);
    const std::string why =
        tracker.lost_why ? fmt::format(" ({})", printable(*tracker.lost_why)) : "";
    return fmt::format("is {}{}, heard of {} ago", tracker.state, why, silent);
  }
  return "has left the cluster, and the logs with it";
}

LogPiece fetch(JobTracker& jobtracker, const AttemptView& attempt, const std::string& log,
               std::int64_t most_bytes, std::int64_t from = 0) {
  std::string problem;
  if (attempt.log_host && attempt.log_port) {
    auto piece =
        tasktracker::fetch_log(*attempt.log_host, static_cast<std::uint16_t>(*attempt.log_port),
                               attempt.id, log, most_bytes, from);
    if (piece) return std::move(*piece);
    problem = ": " + piece.error().message;
  }
  throw CliFailure(kExitNotSo,
                   fmt::format("no {} of {}{}; tracker {}, where it ran, {}", log,
                               attempt_name(attempt.id), problem, printable(attempt.tracker),
                               whereabouts(jobtracker, attempt.tracker)));
}

// What a program wrote must not steer the terminal of who reads it, now or from a file later.
void print_piece(Context& context, const std::string& text, bool raw) {
  context.out << (raw ? text : plain_text(text, {.newlines = true, .tabs = true}));
}

// Without the beginning of a last character whose other bytes are still to be written.
std::size_t whole_characters(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(text.size(), 3); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

// Of a log that is cut: from the beginning of a line, if there is one.
void begin_with_line(LogPiece& piece) {
  if (piece.begin == 0) return;
  const std::size_t end = piece.text.find('\n');
  if (end == std::string::npos || end + 1 == piece.text.size()) return;
  piece.text.erase(0, end + 1);
  piece.begin += static_cast<std::int64_t>(end + 1);
}

// Nobody must take the end for all of it.
void say_if_cut(Context& context, const LogPiece& piece, const std::string& log,
                std::int64_t most_bytes) {
  if (piece.begin == 0) return;
  const auto size = static_cast<std::int64_t>(piece.text.size());
  context.err << fmt::format("== {}: the last {} of {} bytes{}\n", log, size, piece.begin + size,
                             most_bytes < kMostBytes ? "; --bytes N for more" : "");
}

// The heading is for people: what goes to a pipe is the log alone.
void print_heading(Context& context, const AttemptView& attempt, const std::string& log) {
  context.err << fmt::format("== {} of {} ({}, tracker {})\n", log, attempt_name(attempt.id),
                             attempt.state, printable(attempt.tracker));
}

bool is_under_way(const AttemptView& attempt) {
  return attempt.state != "SUCCEEDED" && attempt.state != "FAILED" && attempt.state != "KILLED";
}

CliFailure no_attempt(JobTracker& jobtracker, JobId job, const std::string& name) {
  if (const JobView status = jobtracker.job(job.value); name.empty() && status.over()) {
    return {kExitNotSo,
            fmt::format("{} has ended, and where its attempts ran is not known (any more)",
                        job_name(job))};
  }
  const std::string cause =
      name.empty() ? "has no attempts yet" : fmt::format("has no attempt '{}'", printable(name));
  return {kExitNotSo,
          fmt::format("{} {}; see `weir job logs {} --list`", job_name(job), cause, job_name(job))};
}

// Null: there is none.
const AttemptView* newest(const std::vector<AttemptView>& attempts,
                          bool (*counts)(const AttemptView&)) {
  const AttemptView* found = nullptr;
  for (const auto& attempt : attempts) {
    if (!counts(attempt)) continue;
    if (found == nullptr || attempt.launched_at_ms > found->launched_at_ms) found = &attempt;
  }
  return found;
}

// The attempt to follow: as it was named, or the newest that runs.
const AttemptView* to_follow(const std::vector<AttemptView>& attempts, const std::string& name) {
  if (!name.empty()) return choose_attempt(attempts, name);
  return newest(attempts, is_under_way);
}

// The attempt to show. Of one task the newest: what comes after a failure is looked for there.
const AttemptView* to_show(const std::vector<AttemptView>& attempts, const std::string& name,
                           const std::string& task) {
  if (!name.empty() || task.empty()) return choose_attempt(attempts, name);
  return newest(attempts, [](const AttemptView&) { return true; });
}

// One attempt's log from where it was last read on.
class Follower {
 public:
  Follower(Context& context, const LogOptions& options)
      : context_(context),
        job_(job_argument(options.id)),
        options_(options),
        most_bytes_(options.most_bytes),
        raw_(options.raw),
        name_(options.attempt) {}

  // Prints what is new. False: the attempt is over, and all of its log was printed.
  bool look(JobTracker& jobtracker) {
    const JobView job = jobtracker.job(job_.value);
    log_ = options_.logs(!job.groups.empty()).front();
    const auto attempts = asked_for(jobtracker.attempts(job_.value), job, options_.task);
    const auto* attempt = to_follow(attempts, name_);
    if (attempt == nullptr && job.over()) attempt = to_show(attempts, name_, options_.task);
    if (attempt == nullptr && (job.over() || !name_.empty()))
      throw no_attempt(jobtracker, job_, name_);
    if (attempt == nullptr) return true;
    if (!headed_) print_heading(context_, *attempt, log_);
    headed_ = true;
    name_ = attempt_name(attempt->id);
    // Its state was asked for before: once that is final, so is the log.
    LogPiece piece = fetch(jobtracker, *attempt, log_, most_bytes_, from_);
    if (from_ > 0 && piece.begin > from_) {
      context_.err << fmt::format("== {} bytes are left out\n", piece.begin - from_);
    } else if (from_ == 0) {
      begin_with_line(piece);
      say_if_cut(context_, piece, log_, most_bytes_);
    }
    if (is_under_way(*attempt)) piece.text.resize(whole_characters(piece.text));
    from_ = piece.begin + static_cast<std::int64_t>(piece.text.size());
    print_piece(context_, piece.text, raw_);
    context_.out << std::flush;
    if (is_under_way(*attempt)) return true;
    context_.err << fmt::format("== {} {}\n", name_, attempt->state);
    return false;
  }

 private:
  Context& context_;
  const JobId job_;
  const LogOptions& options_;
  std::string log_;
  const std::int64_t most_bytes_;
  const bool raw_;
  std::string name_;  // of the attempt; empty: none has been seen yet
  std::int64_t from_ = 0;
  bool headed_ = false;
};

// What is there, and what comes, until the attempt is over. A job of which nothing runs yet is
// waited for.
int follow(Context& context, const LogOptions& options) {
  JobTracker jobtracker(context);
  Follower follower(context, options);
  Patience patience;
  InterruptScope interrupt;
  for (;;) {
    try {
      if (!follower.look(jobtracker)) return kExitDone;
      patience.answered();
    } catch (const RpcUnreachable&) {
      patience.no_answer(context, jobtracker, [] {});
    } catch (const Refused& refused) {
      if (!is_passing(refused)) throw;
      patience.no_answer(context, jobtracker, [] {});
    }
    if (interrupt.wait_ms(patience.pause_ms())) return kExitInterrupted;
  }
}

int logs(Context& context, const LogOptions& options) {
  const JobId job = job_argument(options.id);
  JobTracker jobtracker(context);
  const JobView status = jobtracker.job(job.value);
  const auto attempts = asked_for(jobtracker.attempts(job.value), status, options.task);
  if (options.list) {
    if (context.json()) {
      print_json(context.out, to_json(attempts));
    } else {
      context.out << attempt_table(attempts).render(context.columns());
    }
    return kExitDone;
  }
  const auto* attempt = to_show(attempts, options.attempt, options.task);
  if (attempt == nullptr) throw no_attempt(jobtracker, job, options.attempt);
  const auto names = options.logs(!status.groups.empty());
  Json texts = Json::object();
  for (const auto& log : names) {
    LogPiece piece = fetch(jobtracker, *attempt, log, options.most_bytes);
    begin_with_line(piece);
    if (!context.json()) print_heading(context, *attempt, log);
    say_if_cut(context, piece, log, options.most_bytes);
    const std::string& text = piece.text;
    if (context.json()) {
      texts[log] = text;
    } else if (text.empty()) {
      context.err << fmt::format("({} is empty)\n", log);
    } else {
      print_piece(context, text, options.raw);
      if (text.back() != '\n') context.out << "\n";
    }
  }
  if (context.json()) {
    Json json = to_json(*attempt);
    json["logs"] = texts;
    print_json(context.out, json);
  }
  return kExitDone;
}

}  // namespace

const AttemptView* choose_attempt(const std::vector<AttemptView>& attempts,
                                        const std::string& name) {
  const AttemptView* chosen = nullptr;
  const auto rank = [](const AttemptView& attempt) {
    const int state = attempt.state == "FAILED" ? 2 : attempt.state == "KILLED" ? 0 : 1;
    return std::pair(state, attempt.launched_at_ms);
  };
  for (const auto& attempt : attempts) {
    if (!name.empty()) {
      if (attempt_name(attempt.id) == name) return &attempt;
    } else if (chosen == nullptr || rank(attempt) > rank(*chosen)) {
      chosen = &attempt;
    }
  }
  return chosen;
}

void add_job_logs(CLI::App& job_command, Context& context) {
  auto* command = job_command.add_subcommand(
      "logs", "what an attempt's program wrote, from the tracker that keeps it");
  const auto options = std::make_shared<LogOptions>();
  command->add_option("ID", options->id, "job_0007 or 7")->required();
  command
      ->add_option("--attempt", options->attempt,
                   "attempt_0007_m_000012_0 (default: the newest that failed, else the newest "
                   "that was not killed)")
      ->type_name("NAME");
  command
      ->add_option("--task", options->task, "of an application: the newest attempt of main.3")
      ->type_name("GROUP.INDEX");
  command->add_flag("--list", options->list, "the job's attempts instead of a log");
  command->add_flag("--stderr", options->error, "what the program wrote to stderr (the default)");
  command->add_flag("--stdout", options->out,
                    "its stdout, where that is kept (the default of an application)");
  command->add_flag("--syslog", options->system, "what the tracker noted about the attempt");
  command->add_flag("--raw", options->raw,
                    "bytes as the program wrote them (default: what steers a terminal or is no "
                    "UTF-8 is shown as ?)");
  auto* follow_flag =
      command->add_flag("-f,--follow", options->follow,
                        "what comes, too, until the attempt ends (default: the newest that runs; "
                        "it is waited for)");
  follow_flag->excludes("--list");
  command
      ->add_option("--bytes", options->most_bytes, "at most so many from the end (default 1048576)")
      ->check(CLI::Range(std::int64_t{1}, kMostBytes));
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(
      "Examples:\n  weir job logs job_0007\n  weir job logs 7 --list\n"
      "  weir job logs 7 -f\n"
      "  weir job logs 8 --task worker.3 --stderr\n"
      "  weir job logs 7 --attempt attempt_0007_m_000012_0 --stderr --syslog");
  command->callback([&context, options] {
    if (options->follow && (context.json() || options->logs(false).size() > 1))
      throw wrong_use("--follow shows one log, as it is written; allowed: one of --stderr, "
                      "--stdout, --syslog, and no -o json");
    context.action = [&context, options] {
      return options->follow ? follow(context, *options) : logs(context, *options);
    };
  });
}

}  // namespace weir::cli
