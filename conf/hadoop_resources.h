// Amounts of resources as YARN's files say them, `[memory=10240,vcores=12,yarn.io/gpu=2]` or
// `10240 mb, 12 vcores`, how large its containers may be, and both as ours say them. Used by
// conf/hadoop_*.cpp alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conf/hadoop_parts.h"
#include "conf/hadoop_properties.h"
#include "conf/hadoop_xml.h"

namespace weir {

// By our names, `memory_mb`, `vcores`, `gpu`, in the order in which they were said.
using HadoopAmounts = std::vector<std::pair<std::string, std::int64_t>>;

inline bool has_amounts(const HadoopValue& value) { return value.text.starts_with('['); }
// Nothing, and an error: it is none that YARN could read. So are those below.
std::optional<HadoopAmounts> hadoop_amounts(const HadoopValue& value);

// Of the fair scheduler: `memory-mb=10240, vcores=12` or `10240 mb, 12 vcores`.
std::optional<HadoopAmounts> hadoop_fair_amounts(const HadoopValue& value);
// `50% memory, 40% cpu`, `memory-mb=50%, vcores=40%`, in hundredths; of `40%` memory and vcores.
HadoopAmounts hadoop_fair_percentages(const HadoopValue& value);
void add_names_of(const HadoopAmounts& amounts, std::vector<std::string>& names);

// None of what every task takes of: memory or cores. Of others most tasks take none.
bool stops_all(const std::pair<std::string, std::int64_t>& maximum);

// `{memory_mb: 10240, vcores: 12}`
std::string yaml_of_amounts(const HadoopAmounts& amounts);

// Whether the files are about containers: they say how large these may be, or which resources
// there are besides memory and cores; or an allocations file has amounts, or dominant resources.
bool are_of_containers(const HadoopProperties& properties);
bool is_of_containers(const XmlElement& allocations);
// The lines that say that containers are scheduled, with resources of these names and those that
// yarn-site.xml names, and how large tasks are.
std::string yaml_of_containers(HadoopProperties& properties, std::vector<std::string> names);

}  // namespace weir
