// How long freed slots wait, from what the tasks themselves wrote down: when each one's command
// began and ended. While more tasks wait than there are slots, the k-th end frees the slot that the
// (slots + k)-th start fills; that pairing has the true mean, whichever slot really was whose. Pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir::bench {

struct CommandSpan {
  std::int64_t begin_ns = 0, end_ns = 0;
};

// What a task printed: two numbers, each on a line. Nothing: it printed something else.
std::optional<CommandSpan> parse_span(const std::string& text);

// In milliseconds, ascending; empty if there are no more tasks than slots.
std::vector<double> slot_gaps_ms(const std::vector<CommandSpan>& spans, std::size_t slots);

}  // namespace weir::bench
