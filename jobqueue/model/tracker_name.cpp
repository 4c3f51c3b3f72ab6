#include "jobqueue/model/tracker_name.h"

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

}  // namespace weir
