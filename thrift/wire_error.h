// Refusals on both sides of the wire: weir::Error is the process's own, wire::WeirError the typed
// exception of the IDL. The codes are the same numbers on both sides; a code that this build does
// not know reads as INTERNAL, so that an older client survives a newer server. Pure functions, any
// thread.
#pragma once

#include <string>

#include "common_types.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/submission_checks.h"

namespace weir {

wire::WeirError to_wire(const Error& error);
Error from_wire(const wire::WeirError& error);

}  // namespace weir
