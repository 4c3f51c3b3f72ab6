#include "cli/http_address.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "cli/connection.h"
#include "cli/format.h"
#include "conf/values.h"

namespace weir::cli {
namespace {

HttpAddress parsed_http(const std::string& text) {
  std::string_view address = text;
  if (address.starts_with("http://")) address.remove_prefix(7);
  while (address.ends_with('/')) address.remove_suffix(1);
  const auto parsed = parse_address(std::string(address));
  if (parsed && parsed->port != 0) return {parsed->host, parsed->port};
  throw wrong_use(fmt::format(
      "'{}' is not the address of an HTTP port: write HOST:PORT, like 127.0.0.1:8080",
      printable(text)));
}

bool anywhere(const std::string& host) {
  return host.empty() || host == "0.0.0.0" || host == "::";
}

}  // namespace

void add_http_option(CLI::App& command, std::string& address) {
  command
      .add_option("--http", address,
                  "the JobTracker's HTTP port (default: WEIR_HTTP, else as the JobTracker says)")
      ->type_name("HOST:PORT");
}

HttpAddress http_address(const Context& context, const std::string& given) {
  if (!given.empty()) return parsed_http(given);
  if (const char* said = std::getenv("WEIR_HTTP"); said != nullptr && *said != '\0') {
    return parsed_http(said);
  }
  JobTracker jobtracker(context);
  if (const auto http = jobtracker.server().http) {
    const HttpAddress listens = parsed_http(*http);
    const auto asked = parse_address(jobtracker.address());
    return {anywhere(listens.host) && asked ? asked->host : listens.host, listens.port};
  }
  throw wrong_use(fmt::format(
      "the JobTracker at {} serves no HTTP: `listen.http` in its settings switches it on, from its "
      "next start on",
      jobtracker.address()));
}

}  // namespace weir::cli
