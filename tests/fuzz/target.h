// What every fuzz target has: one function that takes the bytes as they come from outside. It
// returns for any bytes; what it must not do is crash, hang, use a lot of memory, or break what it
// checks with WEIR_CHECK. entry.cpp calls it for libFuzzer (preset `fuzz`) and, in every other
// preset, for the files of the corpus (replay_main.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::fuzz {

inline constexpr std::size_t kMostInputBytes = 64 * 1024;

void run(std::string_view input);

// The first byte as a choice among `choices`, taken off the input; 0 when there is none.
inline std::size_t take_choice(std::string_view& input, std::size_t choices) {
  if (input.empty()) return 0;
  const std::size_t choice = static_cast<unsigned char>(input[0]) % choices;
  input.remove_prefix(1);
  return choice;
}

}  // namespace weir::fuzz
