#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>

#include "cli/format.h"
#include "conf/values.h"

namespace weir::cli {
namespace {

std::string option_name(const std::string& argument) {
  return argument.substr(0, argument.find('='));
}

// A number or the dash that stands for standard input, not a name.
bool is_value(const std::string& argument) {
  return argument.size() < 2 || argument[0] != '-' || (argument[1] >= '0' && argument[1] <= '9');
}

}  // namespace

std::optional<std::string> unknown_option(const CLI::App& command,
                                          const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") return std::nullopt;  // what follows is no option
    if (is_value(argument)) continue;
    const std::string name = option_name(argument);
    if (const CLI::Option* option = command.get_option_no_throw(name)) {
      const bool takes_next = option->get_items_expected_max() > 0 && name == argument;
      if (takes_next) ++i;
      continue;
    }
    // Several short ones in one word, or one with its value.
    if (argument[1] != '-' && command.get_option_no_throw(argument.substr(0, 2)) != nullptr) {
      continue;
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    const auto near = nearest(name, known);
    return fmt::format("there is no option '{}'{}", printable(name),
                       near ? fmt::format(", did you mean '{}'?", *near) : "");
  }
  return std::nullopt;
}

std::optional<std::string> missing_options(const CLI::App& command, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) return std::nullopt;
  std::vector<std::string> missing;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_required() && option->count() == 0) missing.push_back(option->get_name());
  }
  if (missing.empty()) return std::nullopt;
  if (missing.size() == 1) return missing.front() + " is required";
  const std::string last = std::move(missing.back());
  missing.pop_back();
  return fmt::format("{} and {} are required", fmt::join(missing, ", "), last);
}

std::string in_words(std::string message) {
  while (message.ends_with('.') || message.ends_with('?')) message.pop_back();
  static const std::regex range(R"(Value (\S+) not in range (\S+) to (\S+))");
  static const std::regex extra(R"(The following arguments? (?:was|were) not expected: (.*))");
  message = std::regex_replace(message, range, "$1 is not within $2 to $3");
  return std::regex_replace(message, extra, "too much is said: $1");
}

std::string PlainFormatter::make_option_opts(const CLI::Option* option) const {
  static const std::regex range(R"(:?(?:U?INT|FLOAT) in \[(\S+) - ([^\]]+)\])");
  return std::regex_replace(CLI::Formatter::make_option_opts(option), range, " ($1 to $2)");
}

}  // namespace weir::cli
