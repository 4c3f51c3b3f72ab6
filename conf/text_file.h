// A text that somebody names by its file: settings, allocations, an application. What is no regular
// file has no end, or holds up whoever opens it. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace weir {

// The text, or nothing with the reason in `problem`: "is no regular file". One that is longer than
// `most` bytes is cut behind one more, so that it is seen.
std::optional<std::string> read_text_file(const std::string& file, std::size_t most,
                                          std::string& problem);

}  // namespace weir
