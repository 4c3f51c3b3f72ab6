// How many columns UTF-8 text takes on a terminal: wide characters (Chinese, Japanese, Korean,
// emoji) take two, combining marks none, all others one. By tables of our own, because wcwidth()
// depends on the locale of whoever runs the command. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

std::size_t display_width(std::string_view text);
// At most `columns` wide; what is cut off is shown by a last "…".
std::string truncated(std::string_view text, std::size_t columns);
// A dotted path, of which the end distinguishes: "…speech" of research.speech. Whole parts where
// the last one fits.
std::string truncated_path(std::string_view path, std::size_t columns);
// The beginning and the end of a name: "language-u…erstanding".
std::string truncated_middle(std::string_view text, std::size_t columns);
// In lines at most `columns` wide, broken at spaces where there are some; those that go on begin
// as far to the right as the first, and two columns more.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

}  // namespace weir
