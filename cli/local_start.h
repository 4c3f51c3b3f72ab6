// How the processes of a local cluster are started and waited for. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/interrupt.h"
#include "cli/local_directory.h"

namespace weir::cli {

inline constexpr std::int64_t kLocalStopMs = 15'000;  // then a process is killed

// This very binary with these arguments, working and logging in the directory.
LocalProcess launch(const LocalDirectory& directory, const std::string& name,
                    std::vector<std::string> arguments, bool keep, const InterruptScope& interrupt);

// True as soon as `ready` says so, false if interrupted. A process that ends before is a failure
// with its last words, and so is half a minute without any of this. Throws CliFailure.
bool wait_until(InterruptScope& interrupt, const LocalDirectory& directory,
                const std::vector<LocalProcess>& processes, const char* what,
                const std::function<bool()>& ready);

// Where clients reach a JobTracker that listens as its settings say.
std::string local_address(const std::string& listen_host, const LocalPorts& ports);

}  // namespace weir::cli
