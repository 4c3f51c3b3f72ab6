// One line that says what an input was, for the report of a breach. Pure function.
#pragma once

#include <string>

#include "jobqueue/model/input.h"

namespace weir::check {

std::string describe(const Input& input);  // "heartbeat of tt3, 2 attempts: m4 succeeded"

}  // namespace weir::check
