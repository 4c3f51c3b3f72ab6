// Text of users, programs and peers as it may be shown: on a terminal, in a log, in a message. What
// is no valid UTF-8 and what steers instead of being seen becomes '?': control characters (also
// those of 8 bits), marks that turn the direction of text about, end a line, or take no place. No
// output of ours shows such text but by this function, or as JSON escapes it. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

struct Shown {
  std::size_t most_bytes = std::string::npos;
  bool newlines = false;  // stay as they are
  bool tabs = false;
};
std::string plain_text(std::string_view text, Shown shown = {});
// Of a text of several lines, as what a task printed last: "one | two", or "one: two".
std::string one_line(std::string_view text, Shown shown = {});

// Length of the valid UTF-8 sequence at the front of `text` (not empty); 0 if there is none.
std::size_t utf8_length(std::string_view text);
// The character that this sequence encodes; of a byte that encodes none, the byte.
char32_t code_point(std::string_view sequence);
// As JSON escapes it: "\u202e"; two of these beyond U+FFFF.
std::string json_escape(char32_t character);
// Whether a character steers, or is not to be seen although it is there.
bool is_hidden(char32_t character);

}  // namespace weir
