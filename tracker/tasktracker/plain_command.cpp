#include "tracker/tasktracker/plain_command.h"

#include <algorithm>

namespace weir::tasktracker {
namespace {

// Plain wherever they stand in a word. No `~` (a home), `=` is looked at apart (an assignment), and
// everything beyond ASCII is the shell's to read.
bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/._-+,:@%= \t").find(c) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> words_without_shell(std::string_view command) {
  if (!std::all_of(command.begin(), command.end(), plain)) return {};
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = command.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(command.find_first_of(" \t", at), command.size());
    words.emplace_back(command.substr(at, end - at));
    at = end;
  }
  // Without a slash it may be a word of the shell's own, and is looked for along PATH.
  if (words.empty() || words[0].find('/') == std::string::npos ||
      words[0].find('=') != std::string::npos)
    return {};
  return words;
}

bool shell_keeps(std::string_view variable) {
  const std::size_t equals = variable.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  const std::string_view name = variable.substr(0, equals);
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return name != "PWD" && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
           return letter(c) || (c >= '0' && c <= '9');
         });
}

}  // namespace weir::tasktracker
