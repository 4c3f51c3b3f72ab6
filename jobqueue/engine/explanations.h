// Why a job's tasks wait, as far as the mechanism knows; the rest is the policy's to say.
#pragma once

#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

class Explanations : public Part {
 public:
  using Part::Part;

  // Of an unfinished job; empty if nothing waits.
  std::vector<Reason> explain(JobId job) const;

 private:
  void explain_kind(const Job& job, TaskKind kind, const Resources& largest,
                    std::vector<Reason>& reasons) const;
  void explain_gang(const Job& job, std::vector<Reason>& reasons) const;
};

}  // namespace weir
