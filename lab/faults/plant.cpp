#include "lab/faults/plant.h"

#include <array>

namespace weir::faults {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Planted::kCount)> kNames = {
    "none",
    "reply_before_commit",
    "lost_kill",
    "lost_finish",
    "lost_submission",
    "lost_settings",
    "numbers_start_over",
    "double_commit",
    "stale_sequence",
    "readoption_forgotten",
    "duty_forgotten",
    "late_commit",
    "log_not_synced",
    "file_not_synced",
    "directory_not_synced",
    "dropped_before_durable",
    "facts_reordered"};

}  // namespace

std::string_view name(Planted planted) {
  return kNames[static_cast<std::size_t>(planted)];
}

std::optional<Planted> parse_planted(std::string_view word) {
  for (std::size_t i = 1; i < kNames.size(); ++i) {
    if (kNames[i] == word) return static_cast<Planted>(i);
  }
  return std::nullopt;
}

std::vector<std::string_view> planted_names() {
  return {kNames.begin() + 1, kNames.end()};
}

}  // namespace weir::faults
