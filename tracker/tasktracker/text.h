// Bytes of users' programs on their way into messages: cut to a length and made valid UTF-8 without
// control characters, so that no terminal, log or client in another language stumbles over them.
// Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace weir::tasktracker {

// At most `limit` bytes; what is not printable becomes '?'. Newlines are kept if asked.
std::string printable(std::string_view bytes, std::size_t limit, bool keep_newlines = false);

}  // namespace weir::tasktracker
