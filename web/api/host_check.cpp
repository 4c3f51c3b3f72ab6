#include "web/api/host_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "web/api/refusal.h"
#include "web/server/target.h"

namespace weir::web {
HostCheck::HostCheck(const std::vector<std::string>& names) {
  for (const std::string& name : names) names_.push_back(lower_case(name));
}

bool HostCheck::is_own(const std::string& host) const {
  if (host.empty()) return true;  // HTTP/1.0 without a Host: no browser
  boost::system::error_code error;
  boost::asio::ip::make_address(host, error);
  if (!error || host == "localhost" || host.ends_with(".localhost")) return true;
  return std::find(names_.begin(), names_.end(), host) != names_.end();
}

void HostCheck::check_host(const HttpRequest& request) const {
  if (is_own(request.host)) return;
  refuse(fmt::format("Host: this server does not go by the name '{}'", request.host.substr(0, 100)),
         "its address, localhost, the machine's name, or a name in `listen: {http_names: [...]}`",
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
