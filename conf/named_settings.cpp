#include "conf/named_settings.h"

#include <algorithm>
#include <optional>

namespace weir {
namespace {

// What of `name` comes after `part`; nothing if it does not begin with that.
std::optional<std::string_view> rest_after(std::string_view name, std::string_view part) {
  if (part.empty() || !name.starts_with(part)) return std::nullopt;
  if (name.size() == part.size()) return std::string_view();
  if (name[part.size()] != '.') return std::nullopt;
  return name.substr(part.size() + 1);
}

bool names_item(const YamlNode& list, std::string_view name) {
  return std::any_of(list.items.begin(), list.items.end(), [&](const YamlNode::Ptr& item) {
    const YamlNode* called = value_of(*item, "name");
    const auto rest = rest_after(name, called != nullptr ? called->text : "");
    if (!rest) return false;
    const YamlNode* children = value_of(*item, "queues");
    return rest->empty() || names_setting(*item, *rest) ||
           (children != nullptr && names_item(*children, *rest));
  });
}

}  // namespace

bool names_setting(const YamlNode& node, std::string_view name) {
  using Kind = YamlNode::Kind;
  if (node.kind == Kind::kList) return names_item(node, name);
  if (node.kind != Kind::kMap) return node.kind == Kind::kScalar;
  for (const auto& [key, value] : node.entries) {
    const auto rest = rest_after(name, key->text);
    if (rest && (rest->empty() || names_setting(*value, *rest))) return true;
  }
  return false;
}

}  // namespace weir
