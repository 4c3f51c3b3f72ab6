#include "cli/frame.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/connection.h"
#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/usage.h"
#include "conf/values.h"

namespace weir::cli {
namespace {

void build(CLI::App& app, const Program& program, Context& context) {
  app.name(program.name);
  app.formatter(std::make_shared<PlainFormatter>());  // commands have that of what they are made in
  app.require_subcommand(1);
  app.set_version_flag("--version", program.name + " " WEIR_VERSION, "the version of this binary");
  app.set_help_all_flag("--help-all", "the help of each command at the top, in one");
  program.add_commands(app, context);
  app.footer(program.footer);
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

// `weir help job list` is `weir job list --help`.
void understand_help(std::vector<std::string>& arguments) {
  if (arguments.front() != "help") return;
  arguments.erase(arguments.begin());
  arguments.push_back("--help");
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
    auto wrong = unknown_option(*named.command, named.arguments);
    if (!wrong) wrong = missing_options(*named.command, error);
    throw wrong_use(fmt::format("{}; see `{} --help`",
                                wrong ? *wrong : printable(in_words(error.what())), named.path));
  }
}

int fail(const Program& program, Context& context, const CliFailure& failure) {
  bool first = !failure.raw();
  for (const auto& line : failure.lines()) {
    context.err << (first ? program.name + ": " : "") << printable(line) << "\n";
    first = false;
  }
  return failure.exit_code();
}

}  // namespace

int run_program(const Program& program, std::vector<std::string> arguments, std::ostream& out,
                std::ostream& err, Terminal terminal, std::istream& in) {
  Context context(in, out, err, terminal);
  CLI::App app(program.what);
  try {
    build(app, program, context);
    if (arguments.empty()) {
      err << app.help();
      return kExitRefused;
    }
    understand_help(arguments);
    int exit_code = kExitDone;
    if (parse(app, std::move(arguments), context, exit_code)) exit_code = context.action();
    out.flush();
    if (!out) {
      err << program.name << ": the output could not be written\n";
      return kExitNotSo;
    }
    return exit_code;
  } catch (const CliFailure& failure) {
    return fail(program, context, failure);
  } catch (const Refused& refused) {
    return fail(program, context, CliFailure::of(refused.error()));
  } catch (const RpcUnreachable& error) {
    return fail(program, context, unreachable(jobtracker_address(context), error));
  } catch (const std::exception& error) {
    return fail(program, context, CliFailure(kExitNotSo, error.what()));
  }
}

}  // namespace weir::cli
