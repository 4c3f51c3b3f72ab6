// What is refused of a submission, whatever its queue allows; the checks of its single fields are
// in jobqueue/model/submission_checks.h. The first thing wrong is the refusal. The JobTracker
// checks what it is sent; a client that checks each part as soon as it has it refuses early, with
// the same words. Pure functions, any thread.
#pragma once

#include "common_types.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/submission_checks.h"

namespace weir {

// All of it, but for what each single split says.
Status check_spec(const wire::JobSpec& spec);

// Its parts.
Status check_description(const wire::JobSpec& spec);  // all but the input

}  // namespace weir
