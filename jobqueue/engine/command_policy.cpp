// Switching the policy. See engine.h.
#include <utility>

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/access_rights.h"
#include "jobqueue/model/check.h"

namespace weir {

void Engine::on(const SetPolicy& input, Token token) {
  if (const auto may = check_cluster_administrator(state_, input.caller); !may) {
    return refuse(token, "policy", may.error());
  }
  const auto next = make_policy(input.policy);
  if (next == nullptr) {
    return refuse(token, "policy",
                  Error{ErrorCode::kUnknownPolicy, "there is no policy '" + input.policy + "'",
                        "see `weir policy show`"});
  }
  promise(token, PolicyChanged{input.policy, claims_owner(*next),
                               input.of_settings ? "" : input.caller.user});
}

Engine::Answer Engine::apply(const PolicyChanged& change) {
  switch_policy(change.policy);
  admit_everywhere();
  note_pools();
  return Done{};
}

void Engine::switch_policy(const std::string& name) {
  auto policy = make_policy(name);
  WEIR_CHECK(policy != nullptr, "a policy is known before it is promised");
  const bool kept_claims = policy_->keeps_claims();
  const std::string before(policy_->name());
  policy_ = std::move(policy);
  state_.set_copy_factor(policy_->copy_factor());
  limits_.follow(*policy_);
  changes_.queues = true;
  if (name != before) {
    policy_since_ = now_;
    free_kept_slots();
    memory_->policy_changed(now_);
  }
  if (!policy_->keeps_accounts()) memory_->close_accounts();
  if (kept_claims && !policy_->keeps_claims()) {
    claims_paused_at_ = now_;
    claims_policy_ = before;
  }
  if (claims_paused_at_ && !policy_->keeps_claims())
    shortfalls_ = std::make_unique<Shortfalls>(state_);
  if (!kept_claims && policy_->keeps_claims()) resume_claims();
}

}  // namespace weir
