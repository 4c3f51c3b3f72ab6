#include "cli/policy_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/ask.h"
#include "cli/connection.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/policy_tables.h"
#include "cli/table.h"

namespace weir::cli {
namespace {

int show(Context& context) {
  JobTracker jobtracker(context);
  const PolicyView policy = jobtracker.policy();
  if (context.json()) {
    print_json(context.out, to_json(policy));
    return kExitDone;
  }
  std::string available;
  for (const auto& name : policy.available) available += (available.empty() ? "" : ", ") + name;
  context.out << property_lines({{"policy", policy.current},
                                 {"since", local_time(policy.since_ms)},
                                 {"available", available}});
  for (const auto& notice : policy.notices) context.out << "notice: " << printable(notice) << "\n";
  const std::string table = outlook_table(policy, context.columns());
  if (table.empty()) return kExitDone;
  context.out << "\nWhat each policy would give now\n"
                 "(capacity: guaranteed and allocated slots; fair: shares):\n"
              << table;
  return kExitDone;
}

// Whoever sits at a terminal sees first what comes of it.
bool agreed(Context& context, JobTracker& jobtracker, const std::string& name) {
  const PolicyView policy = jobtracker.policy();
  const auto& all = policy.available;
  if (policy.current == name || std::find(all.begin(), all.end(), name) == all.end()) return true;
  context.err << change_text(policy, name, context.columns());
  return says_yes(context, fmt::format("Switch from {} to {}", printable(policy.current), name));
}

int set(Context& context, const std::string& name, bool yes) {
  JobTracker jobtracker(context);
  if (!yes && context.terminal.in && !agreed(context, jobtracker, name)) {
    context.err << "weir: nothing was changed\n";
    return kExitNotSo;
  }
  const auto version = jobtracker.set_policy(caller(context), name);
  if (context.json()) {
    print_json(context.out, {{"current", name}, {"version", version}});
  } else {
    context.out << fmt::format("policy is {} now; jobs and running tasks go on\n", printable(name));
  }
  return kExitDone;
}

}  // namespace

void add_policy_commands(CLI::App& app, Context& context) {
  auto* group = app.add_subcommand("policy", "see or switch the scheduling policy");
  group->group("Cluster")->require_subcommand(1);

  auto* command = group->add_subcommand("show", "the policy in force, and those there are");
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(
      "Shows what each policy would give every queue and pool right now, to compare before "
      "switching.\n\nExamples:\n  weir policy show\n  weir policy show -o json");
  command->callback([&context] { context.action = [&context] { return show(context); }; });

  const auto name = std::make_shared<std::string>();
  const auto yes = std::make_shared<bool>(false);
  command = group->add_subcommand(
      "set", "switch the running JobTracker; no job and no running task is lost");
  command->add_option("POLICY", *name, "as listed by `weir policy show`")->required();
  command->add_flag("--yes", *yes, "do not ask on a terminal, for scripts");
  add_caller_option(*command, context);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer("Examples:\n  weir policy set fifo\n  weir policy set fair --yes");
  command->callback([&context, name, yes] {
    context.action = [&context, name, yes] { return set(context, *name, *yes); };
  });
}

}  // namespace weir::cli
