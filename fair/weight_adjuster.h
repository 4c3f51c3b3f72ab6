// The last word on a job's weight: an adjuster, chosen by name (`weight_adjuster`). It says until
// when its answer holds, and is asked again then, so that nobody has to ask all jobs all the time.
// The one shipped adjuster is `new_job_booster`: a job weighs several times as much during its
// first minutes, so that small new jobs pass the long ones. Another is a class and a line in
// make_weight_adjuster(). Engine's thread; an answer may depend on its arguments alone.
#pragma once

#include <memory>

#include "fair/fair_settings.h"
#include "jobqueue/model/job.h"

namespace weir {

struct AdjustedWeight {
  std::int64_t weight = 0;  // billionths
  TimeMs until = kNever;    // exclusive
};

class WeightAdjuster {
 public:
  virtual ~WeightAdjuster() = default;
  virtual AdjustedWeight adjust(const Job& job, TaskKind kind, std::int64_t weight,
                                TimeMs now) const = 0;
};

// Null if there is none, or none of that name.
std::unique_ptr<WeightAdjuster> make_weight_adjuster(const FairSettings& settings);
// The names that `weight_adjuster` may have.
std::vector<std::string> weight_adjuster_names();

}  // namespace weir
