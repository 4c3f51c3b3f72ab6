// Random stories, planted errors and experiments are in a binary of their own, `weir-lab`, which
// users do not install. Who types what `weir` once had (`weir sim --fuzz`, `weir sim --break RULE`,
// `weir experiment`) is handed over to the one beside this executable.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace weir::cli {

// What weir-lab is to be called with; nothing if the arguments are for `weir` itself.
std::optional<std::vector<std::string>> words_for_the_lab(std::vector<std::string> arguments);
// Becomes weir-lab; comes back, with an exit code, only if there is none.
int hand_over_to_lab(const std::vector<std::string>& words, std::ostream& err);

}  // namespace weir::cli
