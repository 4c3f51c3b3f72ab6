#include "cli/submit_again.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "thrift/wire_job.h"

namespace weir::cli {
namespace {

// The option that says such a field anew, and whether it is given.
std::optional<std::string> option_for(const std::string& field, const SubmitOptions& options) {
  if (field == "mapper") return options.mapper.empty() ? std::optional("--mapper") : std::nullopt;
  if (field == "reducer")
    return options.reducer.empty() ? std::optional("--reducer") : std::nullopt;
  if (field == "combiner")
    return options.combiner.empty() ? std::optional("--combiner") : std::nullopt;
  const auto after = [&field](std::string_view part) -> std::optional<std::string> {
    const std::size_t at = field.find(part);
    return at == std::string::npos ? std::nullopt : std::optional(field.substr(at + part.size()));
  };
  if (const auto key = after("environment."))
    return environment_of(options).contains(*key) ? std::nullopt
                                                  : std::optional("--env " + *key + "=...");
  if (const auto key = after("conf."))
    return conf_of(options).contains(*key) ? std::nullopt
                                           : std::optional("--conf " + *key + "=...");
  return field;  // a group's command
}

void check_told(const AskedView& asked, const SubmitOptions& options) {
  const std::vector<std::string> missing = not_told(asked, options);
  if (missing.empty()) return;
  throw wrong_use(fmt::format(
      "{} cannot be submitted again as it was: what is secret, or too much to keep, is to be said "
      "again: {}",
      job_name(asked.job), printable(fmt::format("{}", fmt::join(missing, ", ")))));
}

// What of the options an application has nothing to do with.
void check_application(const AskedView& asked, const SubmitOptions& options) {
  const SubmitOptions& o = options;
  const bool other = !o.input.empty() || !o.output.empty() || !o.mapper.empty() ||
                     !o.reducer.empty() || !o.combiner.empty() || o.reduces || !o.files.empty() ||
                     !o.split_size.empty() || o.combine || o.max_attempts ||
                     !o.task_timeout.empty() || !o.map_memory.empty() || !o.reduce_memory.empty() ||
                     o.map_vcores || o.reduce_vcores || !o.sort_memory.empty() ||
                     o.slots_per_map || o.slots_per_reduce || !o.slowstart.empty() ||
                     !o.working_directory.empty() || !o.ok_exit.empty();
  if (!other) return;
  throw wrong_use(fmt::format(
      "{} is an application: what can be changed of it here is --queue, --name, --priority, "
      "--conf, --env, --time-limit and --hold; anything else by `weir run -f FILE`",
      job_name(asked.job)));
}

wire::JobSpec spec_again(const AskedView& asked, const SubmitOptions& options) {
  check_told(asked, options);
  wire::JobSpec spec = to_wire_without_splits(asked.spec);
  origin_to_wire(asked.spec.origin, spec);
  spec.__set_hold(false);
  if (asked.spec.application()) {
    check_application(asked, options);
    return application_of(options, std::move(spec));
  }
  if (spec.input.empty()) spec.__set_input(spec.input_files);
  if (!options.files.empty()) spec.files.clear();
  return job_spec_of(options, std::move(spec));
}

}  // namespace

std::vector<std::string> not_told(const AskedView& asked, const SubmitOptions& options) {
  std::vector<std::string> missing;
  for (const std::string& field : asked.masked) {
    if (auto option = option_for(field, options)) missing.push_back(std::move(*option));
  }
  const JobSpec& spec = asked.spec;
  const bool files = std::any_of(spec.files.begin(), spec.files.end(),
                                 [](const JobFile& file) { return file.left_out > 0; });
  if (files && options.files.empty()) missing.emplace_back("--files");
  const bool input = spec.origin.input.empty() && spec.input_files.size() < spec.origin.files;
  if (input && options.input.empty()) missing.emplace_back("--input");
  return missing;
}

void add_submit_again(CLI::App& group, Context& context) {
  auto* command = group.add_subcommand(
      "submit-again",
      "a new job like an earlier one, with what is given here in place of what it had");
  const auto options = std::make_shared<SubmitOptions>();
  const auto id = std::make_shared<std::string>();
  command->add_option("ID", *id, "job_0007 or 7")->required();
  add_job_options(*command, *options, Needed::kNothing);
  add_limit_options(*command, *options);
  add_caller_option(*command, context);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(
      "Its input is looked for again, its output must not exist any more, or be another one. It is "
      "not held,\nunless --hold says so. --conf and --env are put beside those that it had.\n\n"
      "Examples:\n"
      "  weir job submit-again 7 --output /data/words-2 --wait\n"
      "  weir job submit-again 7 --output /data/words-3 --queue production --reduces 8 \\\n"
      "      --env THRESHOLD=5");
  command->callback([&context, options, id] {
    context.action = [&context, options, id] {
      const std::int64_t job = job_argument(*id).value;
      JobTracker jobtracker(context);
      const AskedView asked = jobtracker.asked(caller(context).user, job);
      return submit_job(context, jobtracker, *options, spec_again(asked, *options));
    };
  });
}

}  // namespace weir::cli
