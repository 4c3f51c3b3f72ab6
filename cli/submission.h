// One submission on its way to the JobTracker: in pieces if it has very many splits, because a
// frame has a limit, and again if an answer was lost. Every submission carries an id drawn here,
// by which the JobTracker knows it again, so that asking twice makes one job. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/connection.h"
#include "cli/context.h"
#include "client_types.h"

namespace weir::cli {

// `retry_ms`: how long to go on while the JobTracker does not answer or is busy; absent: not at all
// if nothing of it was ever heard, else as long as watching goes on. Passes on what ends it.
wire::SubmitReply send_submission(Context& context, JobTracker& jobtracker,
                                  wire::SubmitRequest request, std::vector<wire::Split> splits,
                                  std::optional<std::int64_t> retry_ms);

}  // namespace weir::cli
