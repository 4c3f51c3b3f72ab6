#include "tracker/jobtracker/commands.h"

#include <utility>

namespace weir {

Error refusal_of(const EngineLoop::ReplyBody& reply) {
  if (const auto* error = std::get_if<Error>(&reply)) return *error;
  return Error{ErrorCode::kInternal, "the engine gave a reply of another kind", "", {}};
}

EngineLoop::Callback answer_done(Answer<Version> answer) {
  return [answer = std::move(answer)](const EngineLoop::ReplyBody& reply, Version version) {
    if (!std::holds_alternative<Done>(reply)) return answer(refusal_of(reply));
    answer(version);
  };
}

}  // namespace weir
