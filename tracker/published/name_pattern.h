// Patterns of names as shells have them: `*` any text, `?` any byte, `[a-z]` and `[!a-z]` one byte
// of a set, `\x` the byte x itself; anything else stands for itself, and so does a `[` without its
// `]`. The time is bounded by pattern times text, whatever they are. Pure function, any thread.
#pragma once

#include <string_view>

namespace weir {

bool matches_pattern(std::string_view pattern, std::string_view text);

}  // namespace weir
