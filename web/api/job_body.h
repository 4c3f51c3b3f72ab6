// A job as it is sent: the fields of JobSpec (thrift/common.thrift) under their names, a file's
// content as `content` (text) or `content_base64`. It takes the way of a submission over Thrift from
// there, so the checks and their words are the same. Pure function.
#pragma once

#include "jobqueue/model/caller.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"
#include "views/json/json.h"

namespace weir::web {

// Throws a Refusal for fields that are unknown or of the wrong type.
Result<JobSpec> job_of(const Json& body, const Caller& caller);

}  // namespace weir::web
