// Speculative attempts: asked once choose() has nothing more for the offer. The mechanism knows
// which tasks are stragglers, and may pass the choice of a job over.
#pragma once

#include "jobqueue/policy/policy.h"

namespace weir {

class Speculation {
 public:
  virtual ~Speculation() = default;
  // Whether a second attempt of one of the job's running tasks may start on the offered tracker,
  // under every limit that a launch has.
  virtual bool may_speculate(JobId job, TaskKind kind, const Offer& offer) = 0;
  // Whether a slot goes to the first rather than to the second of two jobs that both may.
  virtual bool comes_before(JobId a, JobId b, TaskKind kind) const = 0;
};

}  // namespace weir
