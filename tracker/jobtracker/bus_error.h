// The index of the store's log is mapped into memory: where its file is cut off, or the disk under
// it fails, a look at it is not an error that a call returns but the signal SIGBUS. It ends the
// JobTracker with a line in the log that says so; what was acknowledged is on disk, as after any
// other sudden end.
#pragma once

#include <string>

namespace weir {

// For the whole process, from then on. `store`: named in the line.
void report_bus_errors(const std::string& store);

}  // namespace weir
