#include "bench/tasks/slot_gaps.h"

#include <algorithm>
#include <sstream>

namespace weir::bench {

std::optional<CommandSpan> parse_span(const std::string& text) {
  std::istringstream lines(text);
  CommandSpan span;
  if (!(lines >> span.begin_ns >> span.end_ns) || span.end_ns < span.begin_ns) return std::nullopt;
  return span;
}

std::vector<double> slot_gaps_ms(const std::vector<CommandSpan>& spans, std::size_t slots) {
  std::vector<std::int64_t> begins, ends;
  for (const CommandSpan& span : spans) {
    begins.push_back(span.begin_ns);
    ends.push_back(span.end_ns);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  std::vector<double> gaps;
  for (std::size_t k = 0; slots + k < begins.size(); ++k)
    gaps.push_back(static_cast<double>(begins[slots + k] - ends[k]) / 1e6);
  std::sort(gaps.begin(), gaps.end());
  return gaps;
}

}  // namespace weir::bench
