#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "cli/bench_command.h"
#include "cli/conf_commands.h"
#include "cli/daemon_commands.h"
#include "cli/frame.h"
#include "cli/job_commands.h"
#include "cli/lab_hand_over.h"
#include "cli/local_command.h"
#include "cli/policy_commands.h"
#include "cli/queue_commands.h"
#include "cli/report_command.h"
#include "cli/run_command.h"
#include "cli/server_commands.h"
#include "cli/shares_command.h"
#include "cli/sim_command.h"
#include "cli/submit_command.h"
#include "cli/top_command.h"
#include "cli/watch_command.h"
#include "tracker/tasktracker/attempt_server.h"

namespace weir::cli {
namespace {

void add_commands(CLI::App& app, Context& context) {
  add_local_command(app, context);
  add_daemon_commands(app, context);
  add_submit_command(app, context);
  add_run_command(app, context);
  add_job_commands(app, context);
  add_watch_command(app, context);
  add_queue_commands(app, context);
  add_policy_commands(app, context);
  add_conf_commands(app, context);
  add_server_commands(app, context);
  add_top_command(app, context);
  add_report_command(app, context);
  add_sim_command(app, context);
  add_shares_command(app, context);
  add_bench_command(app, context);
}

const Program& weir_program() {
  static const Program program = {
      .name = "weir",
      .what =
          "A JobTracker for clusters that several organisations share: each has a queue with a "
          "guaranteed part.",
      .footer =
          "Each command has its own --help with examples (`weir help submit` is the same). "
          "Commands that talk to a\nJobTracker take --jobtracker HOST:PORT "
          "or WEIR_JOBTRACKER (default 127.0.0.1:9090), and -o json for scripts.\n"
          "Exit codes: 0 done, 1 it failed or is not so (a job that is not there, too), 2 wrong "
          "use or refused, 3 no\nJobTracker to be reached, 130 interrupted by ^C.\n\n"
          "Examples:\n"
          "  weir local --trackers 3\n"
          "  weir submit --queue research --input books/ --output /tmp/words "
          "--mapper \"tr -cs A-Za-z '\\n'\" --reducer 'uniq -c' --wait",
      .add_commands = add_commands,
  };
  return program;
}

}  // namespace

int run_cli(std::vector<std::string> arguments, std::ostream& out, std::ostream& err,
            Terminal terminal, std::istream& in) {
  return run_program(weir_program(), std::move(arguments), out, err, terminal, in);
}

int weir_main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.size() == 1 && arguments[0] == "serve-attempts") return serve_attempts_main();
  if (const auto words = words_for_the_lab(arguments)) return hand_over_to_lab(*words, std::cerr);
  return run_cli(std::move(arguments), std::cout, std::cerr, detect_terminal(), std::cin);
}

}  // namespace weir::cli
