#include "lab/app.h"

#include <CLI/CLI.hpp>

#include "cli/frame.h"
#include "lab/experiment_command.h"
#include "lab/fuzz_command.h"
#include "lab/life_cycles_command.h"
#include "lab/sim_command.h"

namespace weir::cli {
namespace {

void add_lab_commands(CLI::App& app, Context& context) {
  add_fuzz_command(app, context);
  add_broken_sim_command(app, context);
  add_experiment_command(app, context);
  add_life_cycles_command(app, context);
}

const Program& lab_program() {
  static const Program program = {
      .name = "weir-lab",
      .what = "Weir tried out: random stories, errors put in on purpose, faults, experiments. Not "
              "for users.",
      .footer =
          "Each command has its own --help with examples, and -o json for scripts. What users run "
          "is `weir`.\n"
          "Exit codes: 0 done, 1 something was found or is not so, 2 wrong use.\n\n"
          "Examples:\n"
          "  weir-lab fuzz --seeds 100\n"
          "  weir-lab sim --break allocated-sum tests/scenarios/sim/manual.yaml\n"
          "  weir-lab experiment small-jobs",
      .add_commands = add_lab_commands,
  };
  return program;
}

}  // namespace

int run_lab(std::vector<std::string> arguments, std::ostream& out, std::ostream& err,
            Terminal terminal, std::istream& in) {
  return run_program(lab_program(), std::move(arguments), out, err, terminal, in);
}

}  // namespace weir::cli
