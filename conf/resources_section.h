// What is scheduled, slots or containers: the keys `resources` and `containers` at the top of
// weir.yaml. The section is checked also where slots count, so that a file can be made ready before
// the switch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conf/yaml_reader.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/space.h"

namespace weir {

void read_resources(const MapReader& root, ResourceSettings& resources);

// "map slots", "MB of memory", "vcores", "units of gpu": for sentences.
std::string words_of(const Space& space, Dimension dimension);

// The keys of a map that says something for each dimension, and "memory_mb, vcores, gpu" of them.
std::vector<std::string_view> keys_of(const Space& space);
std::string listed_keys(const Space& space);

}  // namespace weir
