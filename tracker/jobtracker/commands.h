// What all commands of the services have in common: the answer, with the version that shows the
// effect. Any thread.
#pragma once

#include "tracker/jobtracker/answer.h"
#include "tracker/jobtracker/engine_loop.h"

namespace weir {

// The engine's refusal in a reply, or that the reply is none that the call knows.
Error refusal_of(const EngineLoop::ReplyBody& reply);

EngineLoop::Callback answer_done(Answer<Version> answer);

}  // namespace weir
