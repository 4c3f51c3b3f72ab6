#include "tracker/jobtracker/commands.h"

#include <utility>

namespace weir {

Error refusal_of(const EngineLoop::ReplyBody& reply) {
  if (const auto* error = std::get_if<Error>(&reply)) return *error;
  return Error{ErrorCode::kInternal, "the engine gave a reply of another kind", "", {}};
}

EngineLoop::Callback answer_done(Answering<wire::Done> answering) {
  return
      [answering = std::move(answering)](const EngineLoop::ReplyBody& reply, std::int64_t version) {
        if (!std::holds_alternative<Done>(reply)) return answering.refuse(refusal_of(reply));
        wire::Done done;
        done.version = version;
        answering.give(done);
      };
}

void post_settings(EngineLoop& loop, const Caller& caller, std::shared_ptr<const Settings> settings,
                   const std::string& policy_before, EngineLoop::Callback callback) {
  if (settings->policy == policy_before) {
    return loop.post(ApplySettings{caller, std::move(settings)}, std::move(callback));
  }
  const SetPolicy policy{caller, settings->policy};
  loop.post(ApplySettings{caller, std::move(settings)},
            [&loop, policy, callback = std::move(callback)](const EngineLoop::ReplyBody& reply,
                                                            std::int64_t version) {
              if (!std::holds_alternative<Done>(reply)) return callback(reply, version);
              loop.post(policy, callback);
            });
}

}  // namespace weir
