// Where the JobTracker's HTTP port is: what --http says, else WEIR_HTTP, else what the JobTracker
// itself says; one that listens everywhere is asked on the host where it was found. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace weir::cli {

struct HttpAddress {
  std::string host;
  std::uint16_t port = 0;
};

void add_http_option(CLI::App& command, std::string& address);
// Refused (exit code 2) if it is no address, or nowhere to be found.
HttpAddress http_address(const Context& context, const std::string& given);

}  // namespace weir::cli
