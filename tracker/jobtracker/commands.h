// What commands of both the client and the admin service have in common: the answer Done with the
// version that shows the effect. Any thread.
#pragma once

#include <memory>
#include <string>

#include "client_types.h"
#include "tracker/jobtracker/answering.h"
#include "tracker/jobtracker/engine_loop.h"

namespace weir {

// The engine's refusal in a reply, or that the reply is none that the call knows.
Error refusal_of(const EngineLoop::ReplyBody& reply);

EngineLoop::Callback answer_done(Answering<wire::Done> answering);

}  // namespace weir
