#include "jobqueue/jobtypes/table.h"

#include "jobqueue/jobtypes/application.h"
#include "jobqueue/jobtypes/mapreduce.h"

namespace weir {

const JobType& job_type_of(const JobSpec& spec) {
  static const MapReduce mapreduce;
  static const Application application;
  if (spec.application()) return application;
  return mapreduce;
}

}  // namespace weir
