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

// New settings, and with them their policy if they name another one than `policy_before`, what the
// settings before named: a policy that was chosen by command stays while settings change around it.
void post_settings(EngineLoop& loop, const Caller& caller, std::shared_ptr<const Settings> settings,
                   const std::string& policy_before, EngineLoop::Callback callback);

}  // namespace weir
