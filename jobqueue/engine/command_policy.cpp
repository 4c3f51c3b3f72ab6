// Switching the policy.
#include <utility>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/access_rights.h"
#include "jobqueue/model/check.h"

namespace weir {

void Administration::on(const SetPolicy& input, Token token) {
  if (const auto may = check_cluster_administrator(state_, input.caller); !may) {
    return refuse(token, "policy", may.error());
  }
  const auto next = make_policy(input.policy);
  if (next == nullptr) {
    return refuse(token, "policy",
                  Error{ErrorCode::kUnknownPolicy, "there is no policy '" + input.policy + "'" +
                            (state_.space().containers() ? " where containers count" : ""),
                        "see `weir policy show`"});
  }
  const std::string by = input.of_settings ? "" : input.caller.user;
  const std::uint64_t number = by.empty() ? 0 : ++core_.last_settings_number;
  parts_.promises.promise(
      token, PolicyChanged{input.policy, parts_.claims.claims_owner(*next), by, number});
}

ReplyBody Administration::apply(const PolicyChanged& change) {
  switch_policy(change.policy);
  parts_.jobs.admit_everywhere();
  parts_.jobs.note_pools();
  return Done{};
}

void Administration::switch_policy(const std::string& name) {
  auto policy = make_policy(name);
  WEIR_CHECK(policy != nullptr, "a policy is known before it is promised");
  const bool kept_claims = policy_->claims() != nullptr;
  const std::string before(policy_->name());
  policy_ = std::move(policy);
  core_.follow_policy();
  changes_.queues = true;
  if (name != before) {
    core_.policy_since = now_;
    parts_.holds.free_kept_slots();
    memory_.policy_changed(now_);
  }
  policy_->takes_over();
  parts_.claims.policy_changed(kept_claims ? before : "");
}

}  // namespace weir
