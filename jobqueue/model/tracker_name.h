// What a tracker may be called: asked where its settings are read and where it registers. Any
// thread.
#pragma once

#include <string>

#include "jobqueue/model/result.h"

namespace weir {

// `field` is what the refusal says it of: "name", "tracker.name".
Status check_tracker_name(const std::string& field, const std::string& name);

}  // namespace weir
