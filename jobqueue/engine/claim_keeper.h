// What queues are owed: the policy finds, the engine enters it in the ClaimBook (claims.h). Under a
// policy without claims they stand still.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jobqueue/engine/part.h"
#include "jobqueue/policy/claims_facet.h"
#include "jobqueue/policy/shortfalls.h"

namespace weir {

class ClaimKeeper : public Part {
 public:
  using Part::Part;

  void review_claims(bool tick);
  void enter(const ClaimStep& step);
  std::string claims_owner(const Policy& next) const;
  void restore_claims(const Snapshot& snapshot);
  void pause_claims(const Snapshot& snapshot);  // as they stood before the restart
  // Another one rules, or the same one by other settings. `keeper_before`: the name of who ruled,
  // if he kept claims.
  void policy_changed(const std::string& keeper_before);

 private:
  void reduce_claims(const ClaimStep& step);
  void resume_claims();
  void claim_over(const Claim& claim);
  void meet_paused_claims();
  void drop_paused_claims();

  std::string claims_policy_;  // whose they are, while they are paused
  std::unique_ptr<Shortfalls> shortfalls_;  // likewise
  std::vector<ClaimStep> claim_steps_;  // reused
};

}  // namespace weir
