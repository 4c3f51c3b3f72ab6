#include "conf/yaml_reader.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir {
namespace {

void report(const YamlNode& node, std::string_view path, std::string_view allowed,
            Diagnostics& out) {
  out.error(node.at, fmt::format("{} is {}, allowed: {}", path, shown(node), allowed));
}

std::string allowed_durations(const DurationRange& range) {
  return fmt::format("a duration (300ms 5s 2m 1h) from {} to {}{}", format_duration(range.least_ms),
                     format_duration(range.most_ms), range.never ? ", or never" : "");
}

bool within(std::int64_t value, IntegerRange range) {
  return value >= range.least && value <= range.most;
}

constexpr std::string_view kAllowedText = "text that is not empty";

}  // namespace

std::string shown(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "empty";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kScalar:
      break;
  }
  // What is shown stays on one line and on a screen.
  constexpr std::size_t kMost = 60;
  std::string text;
  for (const char c : node.text) {
    const bool cut = text.size() >= kMost && (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (cut) {
      text += "...";
      break;
    }
    text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return "\"" + text + "\"";
}

MapReader::MapReader(const YamlNode* node, std::string path, Diagnostics& out,
                     std::span<const std::string_view> known)
    : path_(std::move(path)), out_(out) {
  if (node == nullptr) return;
  at_ = node->at;
  if (node->kind == YamlNode::Kind::kNull) return;
  if (node->kind != YamlNode::Kind::kMap) {
    report(*node, path_.empty() ? "the file" : path_,
           fmt::format("a map with the keys {}", fmt::join(known, ", ")), out_);
    return;
  }
  check_keys(*node, known);
}

bool MapReader::first_time(const YamlNode& key, Seen& seen, const std::string& where) const {
  const auto [first, fresh] = seen.emplace(key.text, key.at);
  if (!fresh) {
    out_.error(key.at, fmt::format("duplicate key {}{}, first at {}, allowed: each key once",
                                   shown(key), where, to_string(first->second)));
  }
  return fresh;
}

void MapReader::check_keys(const YamlNode& node, std::span<const std::string_view> known) {
  Seen seen;
  for (const auto& [key, value] : node.entries) {
    if (key->kind != YamlNode::Kind::kScalar) {
      out_.error(key->at,
                 fmt::format("{}a key is {}, allowed: {}", path_.empty() ? "" : path_ + ": ",
                             shown(*key), fmt::join(known, ", ")));
      continue;
    }
    if (!first_time(*key, seen, "")) continue;
    const auto match = std::find(known.begin(), known.end(), key->text);
    if (match != known.end()) {
      found_.emplace_back(*match, value.get());
      continue;
    }
    if (out_.excuses_key(key->text)) continue;
    const auto meant = nearest(key->text, known);
    out_.error(key->at, fmt::format("unknown key {}{}{}, allowed: {}", shown(*key),
                                    path_.empty() ? "" : " in " + path_,
                                    meant ? fmt::format(", did you mean \"{}\"?", *meant) : "",
                                    fmt::join(known, ", ")));
  }
}

const YamlNode* MapReader::find(std::string_view key) const {
  for (const auto& [name, node] : found_) {
    if (name == key) return node;
  }
  return nullptr;
}

std::vector<MapReader::NamedValue> MapReader::named_values(std::string_view key,
                                                          std::string_view allowed) const {
  std::vector<NamedValue> values;
  const YamlNode* node = find(key);
  if (node == nullptr || node->kind == YamlNode::Kind::kNull) return values;
  if (node->kind != YamlNode::Kind::kMap) {
    wrong(*node, key, allowed);
    return values;
  }
  Seen seen;
  for (const auto& [name, value] : node->entries) {
    if (name->kind != YamlNode::Kind::kScalar || name->text.empty()) {
      out_.error(name->at, fmt::format("{}: a name is {}, allowed: {}", path(key), shown(*name),
                                       allowed));
      continue;
    }
    if (first_time(*name, seen, " in " + path(key))) values.emplace_back(name->text, value.get());
  }
  return values;
}

Mark MapReader::at(std::string_view key) const {
  const YamlNode* node = find(key);
  return node != nullptr ? node->at : at_;
}

std::string MapReader::path(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void MapReader::wrong(const YamlNode& node, std::string_view key, std::string_view allowed) const {
  report(node, path(key), allowed, out_);
}

const std::string* MapReader::scalar(std::string_view key, std::string_view allowed) const {
  const YamlNode* node = find(key);
  if (node == nullptr) return nullptr;
  if (node->kind == YamlNode::Kind::kScalar) return &node->text;
  wrong(*node, key, allowed);
  return nullptr;
}

bool MapReader::read_integer(std::string_view key, std::int64_t& target, IntegerRange range) const {
  const std::string allowed = fmt::format("an integer from {} to {}", range.least, range.most);
  const std::string* text = scalar(key, allowed);
  if (text == nullptr) return false;
  const auto value = parse_integer(*text);
  if (!value || !within(*value, range)) {
    wrong(*find(key), key, allowed);
    return false;
  }
  target = *value;
  return true;
}

bool MapReader::read_limit(std::string_view key, std::optional<std::int64_t>& target) const {
  const YamlNode* node = find(key);
  if (node == nullptr) return false;
  if (node->kind == YamlNode::Kind::kScalar && node->text == "unlimited") {
    target.reset();
    return true;
  }
  const IntegerRange range;
  const auto value =
      node->kind == YamlNode::Kind::kScalar ? parse_integer(node->text) : std::nullopt;
  if (!value || !within(*value, range)) {
    wrong(*node, key,
          fmt::format("an integer from {} to {}, or unlimited", range.least, range.most));
    return false;
  }
  target = value;
  return true;
}

bool MapReader::read_limit(std::string_view key, std::optional<std::int64_t>& target,
                           std::string_view nothing) const {
  if (!read_limit(key, target)) return false;
  if (target == 0) {
    out_.warning(at(key), fmt::format("{} is 0, with which {} ever runs", path(key), nothing));
  }
  return true;
}

bool MapReader::read_duration(std::string_view key, DurationMs& target, DurationRange range) const {
  const YamlNode* node = find(key);
  if (node == nullptr) return false;
  const auto value = duration_of(*node, path(key), range, out_);
  if (value) target = *value;
  return value.has_value();
}

bool MapReader::read_percent(std::string_view key, std::int64_t& hundredths,
                             IntegerRange range) const {
  const std::string allowed = fmt::format("a percentage from {} to {} with at most two decimals",
                                          format_percent(range.least), format_percent(range.most));
  const std::string* text = scalar(key, allowed);
  if (text == nullptr) return false;
  const auto value = parse_percent(*text);
  if (!value || !within(*value, range)) {
    wrong(*find(key), key, allowed);
    return false;
  }
  hundredths = *value;
  return true;
}

bool MapReader::read_byte_size(std::string_view key, std::int64_t& bytes,
                               IntegerRange range) const {
  const std::string allowed =
      fmt::format("a size (64KiB 16MiB 1GiB) from {} to {}", format_byte_size(range.least),
                  format_byte_size(range.most));
  const std::string* text = scalar(key, allowed);
  if (text == nullptr) return false;
  const auto value = parse_byte_size(*text);
  if (!value || !within(*value, range)) {
    wrong(*find(key), key, allowed);
    return false;
  }
  bytes = *value;
  return true;
}

bool MapReader::read_address(std::string_view key, HostPort& target) const {
  constexpr std::string_view kAllowed = "HOST:PORT with a port from 0 (any free one) to 65535";
  const std::string* text = scalar(key, kAllowed);
  if (text == nullptr) return false;
  auto value = parse_address(*text);
  if (!value) {
    wrong(*find(key), key, kAllowed);
    return false;
  }
  target = std::move(*value);
  return true;
}

bool MapReader::read_bool(std::string_view key, bool& target) const {
  constexpr std::string_view kAllowed[] = {"true", "false"};
  const auto index = read_enum(key, kAllowed);
  if (index) target = *index == 0;
  return index.has_value();
}

bool MapReader::read_string(std::string_view key, std::string& target) const {
  const std::string* text = scalar(key, kAllowedText);
  if (text == nullptr) return false;
  if (text->empty()) {
    wrong(*find(key), key, kAllowedText);
    return false;
  }
  target = *text;
  return true;
}

bool MapReader::read_strings(std::string_view key, std::vector<std::string>& target) const {
  const YamlNode* node = find(key);
  if (node == nullptr) return false;
  auto value = strings_of(*node, path(key), out_);
  if (value) target = std::move(*value);
  return value.has_value();
}

std::optional<std::size_t> MapReader::read_enum(std::string_view key,
                                                std::span<const std::string_view> allowed) const {
  const std::string words = fmt::format("{}", fmt::join(allowed, ", "));
  const std::string* text = scalar(key, words);
  if (text == nullptr) return std::nullopt;
  const auto match = std::find(allowed.begin(), allowed.end(), *text);
  if (match == allowed.end()) {
    wrong(*find(key), key, words);
    return std::nullopt;
  }
  return static_cast<std::size_t>(match - allowed.begin());
}

std::optional<DurationMs> duration_of(const YamlNode& node, const std::string& path,
                                      DurationRange range, Diagnostics& out) {
  const auto value =
      node.kind == YamlNode::Kind::kScalar ? parse_duration(node.text) : std::nullopt;
  const bool good =
      value && (*value == kNever ? range.never : within(*value, {range.least_ms, range.most_ms}));
  if (good) return value;
  report(node, path, allowed_durations(range), out);
  return std::nullopt;
}

std::optional<std::vector<std::string>> strings_of(const YamlNode& node, const std::string& path,
                                                   Diagnostics& out) {
  const auto text_of = [&](const YamlNode& item) {
    const bool good = item.kind == YamlNode::Kind::kScalar && !item.text.empty();
    if (!good) report(item, path, "texts that are not empty, in a list or one alone", out);
    return good;
  };
  std::vector<std::string> result;
  bool good = true;
  if (node.kind == YamlNode::Kind::kList) {
    for (const auto& item : node.items) {
      if (text_of(*item)) {
        result.push_back(item->text);
      } else {
        good = false;
      }
    }
  } else if (text_of(node)) {
    result.push_back(node.text);
  } else {
    good = false;
  }
  return good ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace weir
