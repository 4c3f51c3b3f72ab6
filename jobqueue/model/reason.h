// Why something waits: a stable code, one sentence, and the numbers in it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weir {

struct Reason {
  std::string code;
  std::string message;
  std::vector<std::pair<std::string, std::int64_t>> numbers;
};

}  // namespace weir
