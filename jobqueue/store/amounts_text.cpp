#include "jobqueue/store/amounts_text.h"

#include <charconv>

namespace weir {

std::string amounts_text(const Resources& amounts) {
  std::size_t last = kDimensionCount;
  while (last > 0 && amounts.amount[last - 1] == 0) --last;
  std::string out;
  for (std::size_t i = 0; i < last; ++i)
    out += (i == 0 ? "" : " ") + std::to_string(amounts.amount[i]);
  return out;
}

std::optional<Resources> parse_amounts(std::string_view text) {
  Resources out;
  std::size_t place = 0;
  while (!text.empty()) {
    if (place == kDimensionCount) return std::nullopt;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), out.amount[place++]);
    if (error != std::errc() || out.amount[place - 1] < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != ' ' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace weir
