#include "lab/sim_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/exit_code.h"
#include "cli/sim_command.h"
#include "conf/policies.h"
#include "lab/sabotage/saboteur.h"

namespace weir::cli {
namespace {

int run_broken(Context& context, const SimOptions& options, const std::string& rule) {
  const auto saboteur = Saboteur::create(rule, 0);
  if (!saboteur) {
    throw wrong_use(
        fmt::format("--break: {}; {}", saboteur.error().message, saboteur.error().hint));
  }
  return run_scenario(context, options, (*saboteur)->wrap(policy_factory()), saboteur->get());
}

}  // namespace

void add_broken_sim_command(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("sim", "run a scenario in which a rule is broken on purpose");
  const auto options = std::make_shared<SimOptions>();
  const auto rule = std::make_shared<std::string>();
  add_sim_options(*command, *options);
  command->get_option("SCENARIO")->required();
  command->add_option("--break", *rule, "which rule (`weir sim --list-rules` has them)")
      ->required();
  add_output_option(*command, context);
  command->footer(
      "Exit codes: 0 nothing was noticed, 1 the check caught it or an expectation was not met, 2 "
      "wrong use.\n\n"
      "Examples:\n"
      "  weir-lab sim --break allocated-sum tests/scenarios/sim/manual.yaml\n"
      "  weir-lab sim --break maximum day.yaml --check full --events -");
  command->callback([&context, options, rule] {
    context.action = [&context, options, rule] { return run_broken(context, *options, *rule); };
  });
}

}  // namespace weir::cli
