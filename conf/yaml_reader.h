// Typed reading of a YAML map whose keys are known. The constructor reports every unknown key (with
// the nearest known one) and every duplicate; each read_...() leaves its target alone if the key is
// absent, reports a wrong value with position, path and what is allowed, and goes on: so one load
// reports everything. A section that is written but empty
// (`limits:` with all keys commented out) is an empty map. No thread of its own: one load, one
// thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "conf/diagnostics.h"
#include "conf/values.h"
#include "conf/yaml_node.h"

namespace weir {

struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t most = 1'000'000'000;
};

struct DurationRange {
  DurationMs least_ms = 0;
  DurationMs most_ms = 24LL * 365 * 3600 * 1000;
  bool never = false;
};

class MapReader {
 public:
  // `path` names the map in messages (`queues.research`; empty at the top). `node` may be null:
  // then all is absent.
  MapReader(const YamlNode* node, std::string path, Diagnostics& out,
            std::span<const std::string_view> known);
  MapReader(const YamlNode* node, std::string path, Diagnostics& out,
            std::initializer_list<std::string_view> known)
      : MapReader(node, std::move(path), out, std::span(known.begin(), known.size())) {}

  const YamlNode* find(std::string_view key) const;  // null if absent
  bool has(std::string_view key) const { return find(key) != nullptr; }
  Mark at() const { return at_; }
  Mark at(std::string_view key) const;  // the value's; the map's if absent
  std::string path(std::string_view key) const;
  Diagnostics& out() const { return out_; }

  // The map at `key`, whose own keys are names that the file makes up: each once, with its value.
  // Empty if absent; what is no such map is reported.
  using NamedValue = std::pair<std::string, const YamlNode*>;
  std::vector<NamedValue> named_values(std::string_view key, std::string_view allowed) const;

  // Each returns whether a good value was read.
  bool read_integer(std::string_view key, std::int64_t& target, IntegerRange range) const;
  bool read_limit(std::string_view key,
                  std::optional<std::int64_t>& target) const;  // 0 or more, or `unlimited`
  // With a warning of 0, by which `nothing` (`no job`) runs: it may be meant, but seldom is.
  bool read_limit(std::string_view key, std::optional<std::int64_t>& target,
                  std::string_view nothing) const;
  bool read_duration(std::string_view key, DurationMs& target, DurationRange range) const;
  bool read_percent(std::string_view key, std::int64_t& hundredths, IntegerRange range) const;
  bool read_byte_size(std::string_view key, std::int64_t& bytes, IntegerRange range) const;
  bool read_address(std::string_view key, HostPort& target) const;
  bool read_bool(std::string_view key, bool& target) const;
  bool read_string(std::string_view key, std::string& target) const;  // not empty
  bool read_strings(std::string_view key,
                    std::vector<std::string>& target) const;  // a list, or one alone
  // The index of the value in `allowed`.
  std::optional<std::size_t> read_enum(std::string_view key,
                                       std::span<const std::string_view> allowed) const;

  void wrong(const YamlNode& node, std::string_view key, std::string_view allowed) const;

 private:
  const std::string* scalar(std::string_view key, std::string_view allowed) const;
  void check_keys(const YamlNode& node, std::span<const std::string_view> known);
  using Seen = std::unordered_map<std::string_view, Mark>;
  // Reports a key that was there before. `where`: " in queues", or nothing.
  bool first_time(const YamlNode& key, Seen& seen, const std::string& where) const;

  std::string path_;
  Mark at_;
  Diagnostics& out_;
  std::vector<std::pair<std::string_view, const YamlNode*>> found_;
};

// Values that stand alone, as in lists and `x: scalar | map`. They report as the methods of
// MapReader do.
std::optional<DurationMs> duration_of(const YamlNode& node, const std::string& path,
                                      DurationRange range, Diagnostics& out);
std::optional<std::vector<std::string>> strings_of(const YamlNode& node, const std::string& path,
                                                   Diagnostics& out);

// What a wrong value is called in a message: its text in quotes, `empty`, `a list`, `a map`.
std::string shown(const YamlNode& node);

}  // namespace weir
