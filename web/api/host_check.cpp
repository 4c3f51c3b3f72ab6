#include "web/api/host_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "web/api/refusal.h"

namespace weir::web {
namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// "[::1]:80" is "::1", "node7.:80" is "node7".
std::string without_port(const std::string& host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  std::string name = host.substr(0, host.rfind(':'));
  if (name.ends_with('.')) name.pop_back();
  return name;
}

std::string first_label(const std::string& name) {
  return name.substr(0, name.find('.'));
}

}  // namespace

HostCheck::HostCheck(std::vector<std::string> names, std::string machine)
    : machine_(first_label(lower(std::move(machine)))) {
  for (std::string& name : names) names_.push_back(lower(std::move(name)));
}

bool HostCheck::is_own(const std::string& host) const {
  const std::string name = lower(without_port(host));
  if (name.empty()) return true;  // HTTP/1.0 without a Host: no browser
  boost::system::error_code error;
  boost::asio::ip::make_address(name, error);
  if (!error || name == "localhost" || name.ends_with(".localhost")) return true;
  if (!machine_.empty() && first_label(name) == machine_) return true;
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

void HostCheck::check_host(const HttpRequest& request) const {
  const std::string host = request.header("host").value_or("");
  if (is_own(host)) return;
  refuse(fmt::format("Host: this server does not go by the name '{}'", host.substr(0, 100)),
         "its address, localhost, the machine's name, or a name in `listen: {http_names: [...]}`",
         421);
}

void HostCheck::check_origin(const HttpRequest& request) const {
  const std::string host = lower(request.header("host").value_or(""));
  const auto origin = request.header("origin");
  const std::string from = lower(origin.value_or(""));
  const bool own = from == "http://" + host || from == "https://" + host;
  const bool elsewhere = lower(request.header("sec-fetch-site").value_or("")) == "cross-site";
  if ((!origin || own) && !elsewhere) return;
  throw Refusal{Error{ErrorCode::kNotPermitted,
                      fmt::format("Origin: a page of {} may not change anything here",
                                  origin ? origin->substr(0, 100) : "another site"),
                      "a page of this server, or a program that sends no Origin", {}},
                403,
                {}};
}

}  // namespace weir::web
