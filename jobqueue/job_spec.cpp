#include "jobqueue/job_spec.h"

#include <algorithm>

namespace weir {

const char* name(Priority priority) {
  return kPriorityNames[static_cast<std::size_t>(priority)].data();
}

std::optional<Priority> parse_priority(std::string_view s) {
  const auto same = [](char a, char b) {
    return a == (b >= 'a' && b <= 'z' ? static_cast<char>(b - 'a' + 'A') : b);
  };
  for (std::size_t i = 0; i < std::size(kPriorityNames); ++i) {
    const std::string_view candidate = kPriorityNames[i];
    if (std::equal(candidate.begin(), candidate.end(), s.begin(), s.end(), same)) {
      return static_cast<Priority>(i);
    }
  }
  return std::nullopt;
}

std::optional<bool> speculation_asked(const JobSpec& spec, TaskKind kind) {
  const auto said = spec.conf.find(std::string(kSpeculativeConf[index(kind)]));
  if (said == spec.conf.end()) return std::nullopt;
  if (said->second == "true") return true;
  if (said->second == "false") return false;
  return std::nullopt;
}

}  // namespace weir
