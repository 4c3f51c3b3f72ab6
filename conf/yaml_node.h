// A YAML document as a plain tree that keeps positions and duplicate keys, built from yaml-cpp's
// events. It is bounded against hostile input while it is built: depth, and the number of nodes
// after aliases are expanded (every node knows its expanded weight, so a bomb is found at the alias
// that sets it off and nothing is ever copied). Input must be UTF-8 without control characters.
// Scalars stay text: what `40%` or `on` means is the reader's to say.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conf/diagnostics.h"

namespace weir {

struct YamlNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };
  using Ptr = std::shared_ptr<const YamlNode>;
  Kind kind = Kind::kNull;
  Mark at;
  std::string text;                          // kScalar
  std::vector<Ptr> items;                    // kList
  std::vector<std::pair<Ptr, Ptr>> entries;  // kMap, in file order, duplicates and all
  std::int64_t weight = 1;                   // nodes below and with this one, aliases expanded
};

inline constexpr int kMaxYamlDepth = 200;
inline constexpr std::int64_t kMaxYamlNodes = 1'000'000;

// The only document of `text`; null with findings in `out` if it is not acceptable. An empty
// document is a kNull node.
YamlNode::Ptr parse_yaml(std::string_view text, Diagnostics& out);

// The first value of that key; null: there is none, or `map` is no map.
const YamlNode* value_of(const YamlNode& map, std::string_view name);

// Whether text fits on one line of a message: UTF-8 without control characters.
bool is_plain_line(std::string_view text);

}  // namespace weir
