#include "jobqueue/jobtypes/table.h"

#include "jobqueue/jobtypes/mapreduce.h"

namespace weir {

const JobType& job_type_of(const JobSpec&) {
  static const MapReduce mapreduce;
  return mapreduce;
}

}  // namespace weir
