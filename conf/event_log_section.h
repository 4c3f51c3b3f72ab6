// `event_log:` of weir.yaml, {path, rotate, keep} or `off`, and back to words for `conf diff`. It
// stood in the `fair:` section once, and is still read there, with a notice. Pure functions, any
// thread.
#pragma once

#include <optional>
#include <string>

#include "conf/yaml_reader.h"
#include "jobqueue/model/settings.h"

namespace weir {

void read_event_log(const MapReader& root, std::optional<EventLogSettings>& target);
std::string format_event_log(const std::optional<EventLogSettings>& log);

}  // namespace weir
