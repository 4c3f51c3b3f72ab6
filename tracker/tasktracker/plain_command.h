// Commands that `sh -c` would do nothing with but execute them: a program named by its path, and
// words without any character that means something to a shell. Starting these without one saves an
// exec, half of what a short task costs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::tasktracker {

// Empty: it takes a shell.
std::vector<std::string> words_without_shell(std::string_view command);

// Whether a shell hands this NAME=value on as it is: it drops what cannot be a variable of its own,
// and looks for itself whether PWD is right.
bool shell_keeps(std::string_view variable);

}  // namespace weir::tasktracker
