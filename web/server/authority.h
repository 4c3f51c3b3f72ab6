// By which name a server was asked for: "node7:9080", as a Host header or an absolute target has it
// (RFC 9110, 7.2; RFC 3986, 3.2). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::web {

struct Authority {
  std::string host;  // in lower case, an address without brackets, a name without the last dot
  std::optional<std::uint16_t> port;
  friend bool operator==(const Authority&, const Authority&) = default;
};

// Nothing: it is none. An empty one is that of a request that names nobody.
std::optional<Authority> parse_authority(std::string_view text);

}  // namespace weir::web
