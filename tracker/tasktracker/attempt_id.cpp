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

std::optional<AttemptKey> to_key(const wire::AttemptId& id) {
  if (id.job < 0 || id.job > INT32_MAX || id.index < 0 || id.attempt < 0) return std::nullopt;
  if (id.kind != wire::TaskKind::MAP && id.kind != wire::TaskKind::REDUCE) return std::nullopt;
  const TaskKind kind = id.kind == wire::TaskKind::MAP ? TaskKind::kMap : TaskKind::kReduce;
  return AttemptKey{
      TaskKey{JobId(static_cast<std::size_t>(id.job)), kind, static_cast<std::uint32_t>(id.index)},
      static_cast<std::uint32_t>(id.attempt)};
}

wire::AttemptId to_wire(const AttemptKey& key) {
  wire::AttemptId id;
  id.__set_job(key.task.job.value);
  id.__set_kind(key.task.kind == TaskKind::kMap ? wire::TaskKind::MAP : wire::TaskKind::REDUCE);
  id.__set_index(static_cast<std::int32_t>(key.task.index));
  id.__set_attempt(static_cast<std::int32_t>(key.attempt));
  return id;
}

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
