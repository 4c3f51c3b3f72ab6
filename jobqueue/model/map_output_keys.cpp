#include "jobqueue/model/map_output_keys.h"

#include <charconv>
#include <optional>

namespace weir {
namespace {

constexpr std::uint32_t kFieldsAtMost = 1000;

using Conf = std::map<std::string, std::string>;

const Conf::value_type* find(const Conf& conf, const char* name) {
  const auto found = conf.find(name);
  return found == conf.end() ? nullptr : &*found;
}

Error refusal(const Conf::value_type& entry, const std::string& allowed) {
  return {ErrorCode::kBadRequest, entry.first + " is '" + entry.second + "'",
          "allowed: " + allowed};
}

// By today's name or that of Hadoop 1, of which neither may be in vain.
Result<const Conf::value_type*> find(const Conf& conf, const char* name, const char* old_name) {
  const auto *found = find(conf, name), *old = find(conf, old_name);
  if (found && old && found->second != old->second)
    return refusal(*old, "what " + std::string(name) + " says, or one of the two");
  return found ? found : old;
}

Status read_separator(const Conf::value_type* entry, char& separator) {
  if (entry == nullptr) return Ok{};
  if (entry->second.size() != 1 || entry->second[0] == '\n')
    return refusal(*entry, "one character of one byte");
  separator = entry->second[0];
  return Ok{};
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number >= 1 && number <= kFieldsAtMost ? std::optional(number) : std::nullopt;
}

// `-k1,2`, or `-k2` to the end of the key.
bool read_parts(std::string_view text, MapOutputKeys& keys) {
  if (!text.starts_with("-k")) return false;
  text.remove_prefix(2);
  const auto comma = text.find(',');
  const auto first = number_of(text.substr(0, comma));
  if (!first) return false;
  keys.first_part = *first;
  if (comma == std::string_view::npos) return true;
  const auto last = number_of(text.substr(comma + 1));
  keys.last_part = last.value_or(0);
  return last && *last >= *first;
}

Status read_partition(const Conf& conf, MapOutputKeys& keys) {
  const auto separator = find(conf, "mapreduce.map.output.key.field.separator",
                              "map.output.key.field.separator");
  if (!separator) return separator.error();
  if (auto read = read_separator(*separator, keys.part_separator); !read) return read;
  const auto parts = find(conf, "mapreduce.partition.keypartitioner.options",
                          "mapred.text.key.partitioner.options");
  if (!parts) return parts.error();
  if (*parts != nullptr && !read_parts((*parts)->second, keys))
    return refusal(**parts, "whole fields of the key: -k1,2, or -k2 to its end");
  const auto* first_fields = find(conf, "num.key.fields.for.partition");
  if (first_fields == nullptr) return Ok{};
  const auto number = number_of(first_fields->second);
  if (!number) return refusal(*first_fields, "1 to " + std::to_string(kFieldsAtMost));
  if (*parts != nullptr && (keys.first_part != 1 || keys.last_part != *number))
    return refusal(*first_fields, "what " + (*parts)->first + " says, or one of the two");
  keys.first_part = 1;
  keys.last_part = *number;
  return Ok{};
}

}  // namespace

Result<MapOutputKeys> MapOutputKeys::of(const Conf& conf) {
  MapOutputKeys keys;
  const auto* separator = find(conf, "stream.map.output.field.separator");
  if (auto read = read_separator(separator, keys.separator); !read) return read.error();
  if (const auto* fields = find(conf, "stream.num.map.output.key.fields")) {
    const auto number = number_of(fields->second);
    if (!number) return refusal(*fields, "1 to " + std::to_string(kFieldsAtMost));
    keys.fields = *number;
  }
  if (auto read = read_partition(conf, keys); !read) return read.error();
  return keys;
}

MapOutputKeys MapOutputKeys::stored() const {
  MapOutputKeys out = *this;
  out.separator = '\t';
  out.fields = stored_fields();
  return out;
}

std::string_view MapOutputKeys::part(std::string_view key) const {
  if (first_part == 0) return key;
  if (last_part > 0) key = key.substr(0, length_of_fields(key, part_separator, last_part));
  if (first_part == 1) return key;
  const std::size_t before = length_of_fields(key, part_separator, first_part - 1);
  return before < key.size() ? key.substr(before + 1) : std::string_view{};
}

std::size_t length_of_fields(std::string_view text, char separator, std::uint32_t fields) {
  std::size_t end = text.find(separator);
  while (--fields > 0 && end != std::string_view::npos) end = text.find(separator, end + 1);
  return end == std::string_view::npos ? text.size() : end;
}

}  // namespace weir
