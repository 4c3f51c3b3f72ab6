// `locality_delay:` of a policy's section: `auto`, `off`, `adaptive`, one duration for both levels,
// or {node: 5s, rack: 10s}, where what is absent is 0s. Pure functions, any thread.
#pragma once

#include <string>

#include "conf/yaml_reader.h"
#include "jobqueue/policy/locality_delay.h"

namespace weir {

void read_locality_delay(const MapReader& section, LocalityDelaySettings& target);
std::string format_locality_delay(const LocalityDelaySettings& settings);

}  // namespace weir
