// What Thrift itself costs: a server of Thrift's own library, a thread for each connection, that
// reads a heartbeat and answers with a reply of the same shape as a JobTracker's, and knows
// nothing.
#pragma once

#include <cstdint>
#include <functional>

namespace weir::bench {

// Serves on a free port of 127.0.0.1 until the process ends; says which port once it listens.
void serve_echo(const std::function<void(std::uint16_t port)>& listening);

}  // namespace weir::bench
