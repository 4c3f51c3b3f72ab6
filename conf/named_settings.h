// Which settings a text names, whatever value it gives them. Pure, any thread.
#pragma once

#include <string_view>

#include "conf/yaml_node.h"

namespace weir {

// `name` as of a SettingValue: keys, and in lists the `name` of an item; a queue's children are in
// its `queues`. What is said of a whole is said of its parts (`reclaim_after: 5m`).
bool names_setting(const YamlNode& document, std::string_view name);

}  // namespace weir
