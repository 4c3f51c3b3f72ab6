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

}  // namespace weir
