// So much of a dimension of containers, or of that times milliseconds.
#pragma once

#include <cstdint>
#include <string>

namespace weir {

struct Amount {
  std::string dimension;  // memory_mb, vcores, or as the settings name it
  std::int64_t amount = 0;
  friend bool operator==(const Amount&, const Amount&) = default;
};

}  // namespace weir
