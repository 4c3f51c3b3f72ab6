// How many columns UTF-8 text takes on a terminal: wide characters (Chinese, Japanese, Korean,
// emoji) take two, combining marks none, all others one. By tables of our own, because wcwidth()
// depends on the locale of whoever runs the command. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

std::size_t display_width(std::string_view text);
// At most `columns` wide; what is cut off is shown by a last "…".
std::string truncated(std::string_view text, std::size_t columns);

}  // namespace weir
