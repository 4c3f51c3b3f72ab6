// Connections are open files, of which a process may have only so many. The limits of the ports
// must be below that, or a flood of connections would end at accept(), where nobody gives way to
// anybody, and the store and the logs could not open their files either.
#pragma once

#include <cstdint>

namespace weir {

// How many of `wanted` connections on each of the two ports the process can have, once it has
// raised its limit of open files as far as it may. Fewer than wanted are said in the log.
std::int64_t affordable_connections(std::int64_t wanted);

// The arithmetic of it.
std::int64_t connections_within(std::uint64_t open_files, std::int64_t wanted);

}  // namespace weir
