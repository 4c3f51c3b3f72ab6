#include "tracker/tasktracker/attempt_id.h"

#include <charconv>

namespace weir::tasktracker {
namespace {

// A decimal number up to the next `_` or the end, which is taken off `text` too.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value > INT32_MAX) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty()) {
    if (text[0] != '_') return std::nullopt;
    text.remove_prefix(1);
  }
  return value;
}

}  // namespace

std::optional<AttemptKey> parse_attempt_name(std::string_view text) {
  const std::string_view original = text;
  if (!text.starts_with("attempt_")) return std::nullopt;
  text.remove_prefix(8);
  const auto job = take_number(text);
  if (!job || text.size() < 2 || (text[0] != 'm' && text[0] != 'r') || text[1] != '_')
    return std::nullopt;
  const TaskKind kind = text[0] == 'm' ? TaskKind::kMap : TaskKind::kReduce;
  text.remove_prefix(2);
  const auto task = take_number(text);
  if (!task || text.empty()) return std::nullopt;
  const auto attempt = take_number(text);
  if (!attempt || !text.empty()) return std::nullopt;
  const AttemptKey key{TaskKey{JobId(std::size_t{*job}), kind, *task}, *attempt};
  // Only the one spelling: names are used as file names.
  if (attempt_name(key) != original) return std::nullopt;
  return key;
}

}  // namespace weir::tasktracker
