#include "lab/sim_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/exit_code.h"
#include "cli/sim_command.h"
#include "conf/policies.h"
#include "lab/compared_policies.h"
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

int run_compared(Context& context, const SimOptions& options) {
  const Comparison comparison;
  const int code =
      run_scenario(context, options, comparison.wrap(policy_factory()), nullptr);
  std::string wrong = comparison.difference();
  if (code == kExitDone && comparison.choices() == 0)
    wrong = "no choice was compared: only capacity and fair on containers keep such orders";
  if (wrong.empty()) return code;
  context.err << options.scenario << ": " << wrong << '\n';
  return kExitNotSo;
}

}  // namespace

void add_broken_sim_command(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "sim", "run a scenario with a rule broken on purpose, or with choices compared");
  const auto options = std::make_shared<SimOptions>();
  const auto rule = std::make_shared<std::string>();
  const auto compare = std::make_shared<bool>(false);
  add_sim_options(*command, *options);
  command->get_option("SCENARIO")->required();
  auto* broken =
      command->add_option("--break", *rule, "which rule (`weir sim --list-rules` has them)");
  command
      ->add_flag("--compare", *compare,
                 "each choice with what looking at all queues, pools and jobs finds, on containers")
      ->excludes(broken);
  add_output_option(*command, context);
  command->footer(
      "Exit codes: 0 nothing was noticed, 1 the check caught it, a choice was another one, none "
      "was compared or an expectation was not met, 2 wrong use.\n\n"
      "Examples:\n"
      "  weir-lab sim --break allocated-sum tests/scenarios/sim/manual.yaml\n"
      "  weir-lab sim --break maximum day.yaml --check full --events -\n"
      "  weir-lab sim --compare day.yaml --check off");
  command->callback([&context, options, rule, compare] {
    if (!*compare && rule->empty()) throw wrong_use("one of --break and --compare is required");
    context.action = [&context, options, rule, compare] {
      return *compare ? run_compared(context, *options) : run_broken(context, *options, *rule);
    };
  });
}

}  // namespace weir::cli
