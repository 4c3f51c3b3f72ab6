// WEIR_CHECK states what must be so for the program to be right. It stays on in releases: a wrong
// JobTracker must stop and be restarted from its store rather than go on with a corrupt state.
#pragma once

namespace weir {
[[noreturn]] void check_failed(const char* condition, const char* message, const char* file,
                               int line);
}

#define WEIR_CHECK(condition, message)                                               \
  do {                                                                               \
    if (!(condition)) ::weir::check_failed(#condition, message, __FILE__, __LINE__); \
  } while (false)
