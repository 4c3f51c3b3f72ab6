#include "web/api/host_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "web/api/refusal.h"
#include "web/server/target.h"

namespace weir::web {
namespace {

using Address = boost::asio::ip::address;

// However it is written: an IPv4 address on a socket of IPv6 is itself, and a zone is nobody's
// name.
std::optional<Address> address_in(const std::string& text) {
  boost::system::error_code error;
  Address address = boost::asio::ip::make_address(text, error);
  if (error) return std::nullopt;
  if (!address.is_v6()) return address;
  auto v6 = address.to_v6();
  if (v6.is_v4_mapped()) return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6);
  v6.scope_id(0);
  return v6;
}

}  // namespace

HostCheck::HostCheck(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto address = address_in(name);
    if (!address) {
      names_.push_back(lower_case(name));
    } else if (!address->is_unspecified()) {
      addresses_.push_back(*address);
    }
  }
}

bool HostCheck::is_own(const std::string& host, const std::string& local) const {
  if (host.empty()) return true;  // HTTP/1.0 without a Host: no browser
  if (const auto address = address_in(host)) {
    return address->is_loopback() || address == address_in(local) ||
           std::find(addresses_.begin(), addresses_.end(), *address) != addresses_.end();
  }
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  return std::find(names_.begin(), names_.end(), host) != names_.end();
}

void HostCheck::check_host(const HttpRequest& request) const {
  if (is_own(request.host, request.local_address)) return;
  refuse(fmt::format("Host: this server does not go by the name '{}'", request.host.substr(0, 100)),
         "the address asked, localhost, the machine's name, one of `listen: {http_names: [...]}`",
         421);
}

void HostCheck::check_origin(const HttpRequest& request) const {
  const std::string host = lower_case(request.authority);
  const auto origin = request.header("origin");
  const std::string from = lower_case(origin.value_or(""));
  const bool own = from == "http://" + host || from == "https://" + host;
  const bool elsewhere = lower_case(request.header("sec-fetch-site").value_or("")) == "cross-site";
  if ((!origin || own) && !elsewhere) return;
  throw Refusal{Error{ErrorCode::kNotPermitted,
                      fmt::format("Origin: a page of {} may not change anything here",
                                  origin ? origin->substr(0, 100) : "another site"),
                      "a page of this server, or a program that sends no Origin", {}},
                403,
                {}};
}

}  // namespace weir::web
