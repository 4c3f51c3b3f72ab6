#include "cli/job_logs.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/connection.h"
#include "cli/format.h"
#include "cli/job_tables.h"
#include "cli/json.h"
#include "tracker/tasktracker/shuffle_client.h"

namespace weir::cli {
namespace {

struct LogOptions {
  std::string id, attempt;
  bool list = false, out = false, error = false, system = false;
  std::int64_t most_bytes = 1 << 20;

  std::vector<std::string> logs() const {
    std::vector<std::string> logs;
    if (error || (!out && !system)) logs.emplace_back("stderr");
    if (out) logs.emplace_back("stdout");
    if (system) logs.emplace_back("syslog");
    return logs;
  }
};

AttemptKey key_of(const wire::AttemptId& id) {
  AttemptKey key;
  key.task.job = JobId(static_cast<std::size_t>(id.job));
  key.task.kind = id.kind == wire::TaskKind::MAP ? TaskKind::kMap : TaskKind::kReduce;
  key.task.index = static_cast<std::uint32_t>(id.index);
  key.attempt = static_cast<std::uint32_t>(id.attempt);
  return key;
}

std::string fetch(const wire::AttemptInfo& attempt, const std::string& log,
                  std::int64_t most_bytes) {
  if (!attempt.__isset.log_host || !attempt.__isset.log_port) {
    throw CliFailure(
        kExitNotSo,
        fmt::format("{} ran on tracker {}, which is not there to give its logs; see 'weir "
                    "tracker list'",
                    attempt.name, printable(attempt.tracker)));
  }
  auto text = tasktracker::fetch_log(attempt.log_host, static_cast<std::uint16_t>(attempt.log_port),
                                     key_of(attempt.id), log, most_bytes);
  if (!text) {
    throw CliFailure(kExitNotSo, fmt::format("{} of {} on tracker {}: {}", log, attempt.name,
                                             printable(attempt.tracker), text.error().message));
  }
  return std::move(*text);
}

// What a program wrote must not steer the terminal of who reads it; a file or pipe gets the bytes
// as they are.
void print_log(Context& context, const std::string& text) {
  if (!context.terminal.out) {
    context.out << text;
  } else {
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find_first_of("\n\t", begin), text.size());
      context.out << printable(std::string_view(text).substr(begin, end - begin));
      if (end < text.size()) context.out << text[end];
      begin = end + 1;
    }
  }
  if (!text.empty() && text.back() != '\n') context.out << "\n";
}

int logs(Context& context, const LogOptions& options) {
  const JobId job = job_argument(options.id);
  JobTracker jobtracker(context);
  std::vector<wire::AttemptInfo> attempts;
  jobtracker.client([&](auto& client) { client.attempts(attempts, job.value); });
  if (options.list) {
    if (context.json()) {
      print_json(context.out, to_json(attempts));
    } else {
      context.out << attempt_table(attempts).render(context.columns());
    }
    return kExitDone;
  }
  const auto* attempt = choose_attempt(attempts, options.attempt);
  if (attempt == nullptr) {
    const std::string cause = options.attempt.empty()
                                  ? "has no attempts yet"
                                  : fmt::format("has no attempt '{}'", printable(options.attempt));
    throw CliFailure(kExitNotSo, fmt::format("{} {}; see 'weir job logs {} --list'", job_name(job),
                                             cause, job_name(job)));
  }
  const auto names = options.logs();
  Json texts = Json::object();
  for (const auto& log : names) {
    const std::string text = fetch(*attempt, log, options.most_bytes);
    if (context.json()) {
      texts[log] = text;
      continue;
    }
    // The heading is for people: what goes to a pipe is the log alone.
    context.err << fmt::format("== {} of {} ({}, tracker {})\n", log, attempt->name, attempt->state,
                               printable(attempt->tracker));
    if (text.empty()) {
      context.err << fmt::format("({} is empty)\n", log);
    } else {
      print_log(context, text);
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

const wire::AttemptInfo* choose_attempt(const std::vector<wire::AttemptInfo>& attempts,
                                        const std::string& name) {
  const wire::AttemptInfo* chosen = nullptr;
  const auto rank = [](const wire::AttemptInfo& attempt) {
    const int state = attempt.state == "FAILED" ? 2 : attempt.state == "KILLED" ? 0 : 1;
    return std::pair(state, attempt.launched_at_ms);
  };
  for (const auto& attempt : attempts) {
    if (!name.empty()) {
      if (attempt.name == name) return &attempt;
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
  command->add_flag("--list", options->list, "the job's attempts instead of a log");
  command->add_flag("--stderr", options->error, "what the program wrote to stderr (the default)");
  command->add_flag("--stdout", options->out, "its stdout, where that is kept");
  command->add_flag("--syslog", options->system, "what the tracker noted about the attempt");
  command
      ->add_option("--bytes", options->most_bytes, "at most so many from the end (default 1048576)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{64} << 20));
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(
      "Examples:\n  weir job logs job_0007\n  weir job logs 7 --list\n"
      "  weir job logs 7 --attempt attempt_0007_m_000012_0 --stderr --syslog");
  command->callback([&context, options] {
    context.action = [&context, options] { return logs(context, *options); };
  });
}

}  // namespace weir::cli
