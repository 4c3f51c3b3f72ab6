#include "jobqueue/model/legal_names.h"

#include <algorithm>

#include "jobqueue/model/submission_checks.h"
#include "jobqueue/model/submission_limits.h"

namespace weir {

Status check_tracker_name(const std::string& field, const std::string& name) {
  if (Status s = check_text(field, name, {SubmissionLimits::kNameBytes}); !s) return s;
  if (name.find(' ') != std::string::npos) {
    return bad_request(field + ": '" + name + "' has a space in it",
                       "a tracker's name in one word");
  }
  return Ok{};
}

bool is_pool_name(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  return !name.empty() && name.size() <= kLongest &&
         std::none_of(name.begin(), name.end(), [](char c) {
           return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == ',' || c == '/' ||
                  c == '.';
         });
}

Status check_pool_asked(std::string_view path) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = path.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return Ok{};  // none is asked for
  path = path.substr(first, path.find_last_not_of(kBlanks) - first + 1);
  for (std::string_view rest = path;;) {
    const std::size_t dot = rest.find('.');
    if (!is_pool_name(rest.substr(0, dot))) {
      return bad_request("'" + std::string(path.substr(0, 200)) + "' names no pool",
                         std::string(kPoolNameAllowed));
    }
    if (dot == std::string_view::npos) return Ok{};
    rest.remove_prefix(dot + 1);
  }
}

}  // namespace weir
