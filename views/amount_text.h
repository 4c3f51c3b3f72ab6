// An amount of a dimension of containers as people read it. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jobqueue/model/counted.h"

namespace weir {

// "3072 MB", "1 vcore", "2 gpu".
inline std::string amount_text(std::string_view dimension, std::int64_t amount) {
  if (dimension == "memory_mb") return std::to_string(amount) + " MB";
  if (dimension == "vcores") return counted(amount, "vcore");
  return std::to_string(amount) + " " + std::string(dimension);
}

}  // namespace weir
