#include "cli/app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/bench_command.h"
#include "cli/conf_commands.h"
#include "cli/connection.h"
#include "cli/daemon_commands.h"
#include "cli/exit_code.h"
#include "cli/experiment_command.h"
#include "cli/format.h"
#include "cli/job_commands.h"
#include "cli/local_command.h"
#include "cli/policy_commands.h"
#include "cli/queue_commands.h"
#include "cli/server_commands.h"
#include "cli/shares_command.h"
#include "cli/sim_command.h"
#include "cli/submit_command.h"
#include "cli/usage.h"
#include "cli/watch_command.h"
#include "conf/values.h"

namespace weir::cli {
namespace {

void build(CLI::App& app, Context& context) {
  app.name("weir");
  app.formatter(std::make_shared<PlainFormatter>());  // commands have that of what they are made in
  app.require_subcommand(1);
  app.set_version_flag("--version", "weir " WEIR_VERSION, "the version of this binary");
  app.set_help_all_flag("--help-all", "the help of each command at the top, in one");
  add_local_command(app, context);
  add_daemon_commands(app, context);
  add_submit_command(app, context);
  add_job_commands(app, context);
  add_watch_command(app, context);
  add_queue_commands(app, context);
  add_policy_commands(app, context);
  add_conf_commands(app, context);
  add_server_commands(app, context);
  add_sim_command(app, context);
  add_experiment_command(app, context);
  add_shares_command(app, context);
  add_bench_command(app, context);
  app.footer(
      "Each command has its own --help with examples. Commands that talk to a JobTracker take "
      "--jobtracker HOST:PORT\n"
      "or WEIR_JOBTRACKER (default 127.0.0.1:9090), and -o json for scripts.\n"
      "Exit codes: 0 done, 1 it failed or is not so (a job that is not there, too), 2 wrong use or "
      "refused, 3 no\nJobTracker to be reached, 130 interrupted by ^C.\n\n"
      "Examples:\n"
      "  weir local --trackers 3\n"
      "  weir submit --queue research --input books/ --output /tmp/words --mapper \"tr -cs A-Za-z "
      "'\\n'\" "
      "--reducer 'uniq -c' --wait");
}

// What the arguments name, "weir job status", and those that are left.
struct Named {
  const CLI::App* command;
  std::string path;
  std::vector<std::string> arguments;
};

// A word that names no command is refused with the nearest one.
Named named_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  Named named{&app, app.get_name(), arguments};
  for (const auto& word : arguments) {
    const auto subcommands = named.command->get_subcommands([](const CLI::App*) { return true; });
    if (word.empty() || word[0] == '-' || subcommands.empty()) break;
    const auto found =
        std::find_if(subcommands.begin(), subcommands.end(),
                     [&](const CLI::App* command) { return command->get_name() == word; });
    if (found == subcommands.end()) {
      std::vector<std::string> names;
      for (const auto* command : subcommands) names.push_back(command->get_name());
      const std::vector<std::string_view> known(names.begin(), names.end());
      const auto near = nearest(word, known);
      const std::string meant = near ? fmt::format(", did you mean '{}'?", *near) : "";
      throw wrong_use(fmt::format("'{}' is no command of `{}`{}; see `{} --help`", printable(word),
                                  named.path, meant, named.path));
    }
    named.command = *found;
    named.path += " " + word;
    named.arguments.erase(named.arguments.begin());
  }
  return named;
}

// True if there is an action to run; otherwise `exit_code` says how it ended.
bool parse(CLI::App& app, std::vector<std::string> arguments, Context& context, int& exit_code) {
  const Named named = named_command(app, arguments);
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(std::move(arguments));
    return static_cast<bool>(context.action);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      exit_code = app.exit(error, context.out, context.err);
      return false;
    }
    const auto unknown = unknown_option(*named.command, named.arguments);
    throw wrong_use(fmt::format("{}; see `{} --help`",
                                unknown ? *unknown : printable(in_words(error.what())),
                                named.path));
  }
}

int fail(Context& context, const CliFailure& failure) {
  bool first = !failure.raw();
  for (const auto& line : failure.lines()) {
    context.err << (first ? "weir: " : "") << printable(line) << "\n";
    first = false;
  }
  return failure.exit_code();
}

}  // namespace

int run_cli(std::vector<std::string> arguments, std::ostream& out, std::ostream& err,
            Terminal terminal, std::istream& in) {
  Context context(in, out, err, terminal);
  CLI::App app(
      "A JobTracker for clusters that several organisations share: each has a queue with a "
      "guaranteed part.");
  try {
    build(app, context);
    if (arguments.empty()) {
      err << app.help();
      return kExitRefused;
    }
    int exit_code = kExitDone;
    if (parse(app, std::move(arguments), context, exit_code)) exit_code = context.action();
    out.flush();
    if (!out) {
      err << "weir: the output could not be written\n";
      return kExitNotSo;
    }
    return exit_code;
  } catch (const CliFailure& failure) {
    return fail(context, failure);
  } catch (const wire::WeirError& error) {
    return fail(context, CliFailure::of(error));
  } catch (const RpcUnreachable& error) {
    return fail(context, unreachable(jobtracker_address(context), error));
  } catch (const std::exception& error) {
    return fail(context, CliFailure(kExitNotSo, error.what()));
  }
}

int weir_main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.size() == 2 && arguments[0] == "run-task") return run_task(arguments[1]);
  return run_cli(std::move(arguments), std::cout, std::cerr, detect_terminal(), std::cin);
}

}  // namespace weir::cli
