// Amounts of resources as YARN's files say them, `[memory=10240,vcores=12,yarn.io/gpu=2]`, and as
// ours do. Used by conf/hadoop_*.cpp alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conf/hadoop_parts.h"

namespace weir {

// By our names, `memory_mb`, `vcores`, `gpu`, in the order in which they were said.
using HadoopAmounts = std::vector<std::pair<std::string, std::int64_t>>;

inline bool has_amounts(const HadoopValue& value) { return value.text.starts_with('['); }
// Nothing, and a warning: it is none that we can take over.
std::optional<HadoopAmounts> hadoop_amounts(const HadoopValue& value);

// `{memory_mb: 10240, vcores: 12}`
std::string yaml_of_amounts(const HadoopAmounts& amounts);
// The lines that say that containers are scheduled, with resources of these names; empty for none.
std::string yaml_of_resources(std::vector<std::string> names);

}  // namespace weir
