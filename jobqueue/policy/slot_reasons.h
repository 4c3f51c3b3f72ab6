// What policies of slots say alike of a job that waits.
#pragma once

#include <cstdint>
#include <string>

#include "jobqueue/model/terms.h"
#include "jobqueue/policy/policy.h"

namespace weir {

std::string slots_text(std::int64_t slots, TaskKind kind);  // "2 map slots"

// Its tasks take `width` slots, and `whose` ("queue a"), by the maximums on the way, may never have
// more than `widest`.
Reason wider_than_maximum(const std::string& whose, TaskKind kind, std::int64_t width,
                          std::int64_t widest);

}  // namespace weir
