// What a tracker offers where containers count, as settings and command lines say it: `tracker:`,
// keys `offer labels port_range`. Pure functions, any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conf/daemon_settings.h"
#include "conf/yaml_reader.h"
#include "jobqueue/model/result.h"

namespace weir {

// Whether a resource that is called so was to be memory_mb or vcores: neither offered nor declared.
std::optional<std::string_view> resource_meant(std::string_view name);

void read_offer(const MapReader& tracker, TrackerSettings& settings);

// "memory_mb=4096,vcores=auto,gpu=2"; "auto" alone: all that the machine has.
Result<OfferSettings> parse_offer(const std::string& text);
// Of "disk=ssd" each.
Result<std::map<std::string, std::string>> parse_labels(const std::vector<std::string>& texts);

}  // namespace weir
