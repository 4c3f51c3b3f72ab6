// A job's spec as bytes for the store: wire::StoredJob in Thrift's compact protocol, so that fields
// can be added and an older store still reads. Decoding checks as strictly as a submission does: a
// corrupt row is an error that says so, never a job with half of its fields. What asked() has left
// of a spec is read as it is: nothing runs by it. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"

namespace weir {

std::string encode_job_spec(const JobSpec& spec);
Result<JobSpec> decode_job_spec(std::string_view bytes);

}  // namespace weir
