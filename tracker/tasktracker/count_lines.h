// How many newlines are in some bytes. Groups of a fixed size are counted into bytes first, which
// compilers make vector instructions of also without -O3: all input and output of a task goes
// through here. Pure, any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace weir::tasktracker {

inline std::int64_t count_lines(std::string_view bytes) {
  constexpr std::size_t kGroup = 128;  // a sum of them fits into a byte
  std::int64_t lines = 0;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  for (; end - at >= static_cast<std::ptrdiff_t>(kGroup); at += kGroup) {
    unsigned char here = 0;
    for (std::size_t i = 0; i < kGroup; ++i) here += static_cast<unsigned char>(at[i] == '\n');
    lines += here;
  }
  return lines + std::count(at, end, '\n');
}

}  // namespace weir::tasktracker
