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

// The same of whatever policy rules, for who shows jobs that may be scheduled in the order in which
// they are served; by submission, if it has no say.
inline bool comes_before(const Policy& policy, JobId a, JobId b, TaskKind kind) {
  const Speculation* rules = const_cast<Policy&>(policy).speculation();
  return rules == nullptr ? a < b : rules->comes_before(a, b, kind);
}

}  // namespace weir
