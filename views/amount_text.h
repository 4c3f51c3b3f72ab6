// An amount of a dimension of containers as people read it. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/counted.h"
#include "views/amount.h"

namespace weir {

// "3072 MB", "1 vcore", "2 gpu".
inline std::string amount_text(std::string_view dimension, std::int64_t amount) {
  if (dimension == "memory_mb") return std::to_string(amount) + " MB";
  if (dimension == "vcores") return counted(amount, "vcore");
  return std::to_string(amount) + " " + std::string(dimension);
}

// One of it: "MB", "vcore", "gpu".
inline std::string unit_text(std::string_view dimension) {
  if (dimension == "memory_mb") return "MB";
  return std::string(dimension == "vcores" ? "vcore" : dimension);
}

// An amount for a time: "40960 MB-s", "20 vcore-s"; little of it to a tenth, "0.6 gpu-s".
inline std::string amount_time_text(std::string_view dimension, std::int64_t amount_ms) {
  const std::int64_t tenth = amount_ms < 100'000 ? amount_ms % 1000 / 100 : 0;
  return std::to_string(amount_ms / 1000) + (tenth > 0 ? "." + std::to_string(tenth) : "") + " " +
         unit_text(dimension) + "-s";
}

// "40960 MB-s, 20 vcore-s".
inline std::string amount_times_text(const std::vector<Amount>& times) {
  std::string text;
  for (const Amount& time : times)
    text += (text.empty() ? "" : ", ") + amount_time_text(time.dimension, time.amount);
  return text;
}

}  // namespace weir
