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

// m, r, or the number of a group: g2.
std::optional<TaskKind> take_kind(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const char letter = text[0];
  text.remove_prefix(1);
  if (letter == 'g') {
    const auto group = take_number(text);
    if (!group || *group >= kGroupsAtMost || text.empty()) return std::nullopt;
    return group_kind(*group);
  }
  if ((letter != 'm' && letter != 'r') || !text.starts_with('_')) return std::nullopt;
  text.remove_prefix(1);
  return letter == 'm' ? TaskKind::kMap : TaskKind::kReduce;
}

}  // namespace

std::optional<AttemptKey> parse_attempt_name(std::string_view text) {
  const std::string_view original = text;
  if (!text.starts_with("attempt_")) return std::nullopt;
  text.remove_prefix(8);
  const auto job = take_number(text);
  const auto kind = job ? take_kind(text) : std::nullopt;
  if (!kind) return std::nullopt;
  const auto task = take_number(text);
  if (!task || text.empty()) return std::nullopt;
  const auto attempt = take_number(text);
  if (!attempt || !text.empty()) return std::nullopt;
  const AttemptKey key{TaskKey{JobId(std::size_t{*job}), *kind, *task}, *attempt};
  // Only the one spelling: names are used as file names.
  if (attempt_name(key) != original) return std::nullopt;
  return key;
}

}  // namespace weir::tasktracker
