// The types of jobs there are. A new one is a file here and a line in the table.
#pragma once

#include "jobqueue/model/job_type.h"

namespace weir {

const JobType& job_type_of(const JobSpec& spec);

}  // namespace weir
