#include "jobqueue/store/store.h"

#include <algorithm>
#include <array>

namespace weir {

bool is_reserved_meta_key(std::string_view key) {
  static constexpr std::array<std::string_view, 13> kReserved = {
      "last_time",     "last_seq",        "epoch",        "next_job",  "policy",
      "settings_text", "settings_source", "policy_since", "next_claim",
      "claims_policy", "settings_number", "settings_at",  "settings_by"};
  return std::find(kReserved.begin(), kReserved.end(), key) != kReserved.end();
}

}  // namespace weir
