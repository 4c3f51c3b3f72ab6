#include "cli/connection.h"

#include <fmt/format.h>

#include <cctype>

#include "cli/calls.h"
#include "cli/format.h"
#include "conf/values.h"

namespace weir::cli {

JobTracker::JobTracker(const std::string& address) : address_(address) {
  const auto parsed = parse_address(address);
  if (!parsed || parsed->port == 0) {
    throw wrong_use(
        fmt::format("'{}' is not the address of a JobTracker: write HOST:PORT, like 127.0.0.1:9090",
                    printable(address)));
  }
  RpcOptions options;
  options.connect_timeout = std::chrono::seconds(10);
  calls_ = std::make_unique<Calls>(RpcConnection::create(parsed->host, parsed->port, options));
}

JobTracker::~JobTracker() = default;

CliFailure unreachable(const std::string& address, const RpcUnreachable& error) {
  std::string cause = printable(error.what());
  if (!error.maybe_carried_out()) {
    // "cannot connect to A: connect() failed: Connection refused": the last part is what the user
    // needs.
    if (!cause.starts_with("cannot connect")) return {kExitUnreachable, cause};  // it says all
    if (const auto colon = cause.rfind(": "); colon != std::string::npos)
      cause = cause.substr(colon + 2);
    if (!cause.empty())
      cause[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(cause[0])));
    return {kExitUnreachable,
            fmt::format(
                "cannot reach the JobTracker at {} ({}); start it with `weir jobtracker --conf "
                "FILE` or "
                "`weir local`, or say where it is with --jobtracker HOST:PORT or WEIR_JOBTRACKER",
                address, cause)};
  }
  return {
      kExitUnreachable,
      fmt::format(
          "the JobTracker at {} did not answer ({}); what was asked may have been done: look with "
          "`weir job list --all` before asking again",
          address, cause)};
}

}  // namespace weir::cli
