#include "cli/lab_hand_over.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "cli/exit_code.h"

namespace weir::cli {
namespace {

bool is_option(const std::string& word, const std::string& name) {
  return word == name || word.starts_with(name + "=");
}

}  // namespace

std::optional<std::vector<std::string>> words_for_the_lab(std::vector<std::string> arguments) {
  if (arguments.empty()) return std::nullopt;
  if (arguments[0] == "experiment") return arguments;
  if (arguments[0] != "sim") return std::nullopt;
  if (std::erase(arguments, "--fuzz") > 0) {
    arguments[0] = "fuzz";
    return arguments;
  }
  const bool sabotage = std::any_of(arguments.begin(), arguments.end(), [](const auto& word) {
    return is_option(word, "--break") || is_option(word, "--plant");
  });
  return sabotage ? std::optional(arguments) : std::nullopt;
}

int hand_over_to_lab(const std::vector<std::string>& words, std::ostream& err) {
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/exe", error).replace_filename("weir-lab");
  std::string program = path.string();
  std::vector<std::string> arguments = words;
  std::vector<char*> argv = {program.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  const std::string cause = std::strerror(errno);
  err << "weir: this is a part of the development build: " << program << ": " << cause << "\n";
  return kExitRefused;
}

}  // namespace weir::cli
