// `1 map`, `2 maps`: numbers of things in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

inline std::string counted(std::int64_t n, std::string_view thing) {
  return std::to_string(n) + " " + std::string(thing) + (n == 1 ? "" : "s");
}

}  // namespace weir
