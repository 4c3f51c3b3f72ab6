#include "web/server/authority.h"

#include <algorithm>
#include <boost/asio/ip/address_v6.hpp>
#include <charconv>

#include "web/server/target.h"

namespace weir::web {
namespace {

bool may_stand_in_a_name(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') ||
         std::string_view("-._~%!$&'()*+,;=").find(c) != std::string_view::npos;
}

}  // namespace

std::optional<Authority> parse_authority(std::string_view text) {
  Authority out;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    out.host = text.substr(1, end - 1);
    boost::system::error_code error;
    boost::asio::ip::make_address_v6(out.host, error);
    if (error) return std::nullopt;
    rest = text.substr(end + 1);
  } else {
    const std::size_t colon = std::min(text.find(':'), text.size());
    out.host = text.substr(0, colon);
    if (!std::all_of(out.host.begin(), out.host.end(), may_stand_in_a_name)) return std::nullopt;
    if (out.host.size() > 1 && out.host.ends_with('.')) out.host.pop_back();
    rest = text.substr(colon);
  }
  out.host = lower_case(out.host);
  if (rest.empty()) return out;
  if (rest[0] != ':' || out.host.empty()) return std::nullopt;
  rest.remove_prefix(1);
  if (rest.empty()) return out;  // "node7:" is the port that goes without saying
  std::uint16_t port = 0;
  const auto [at, error] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
  if (error != std::errc() || at != rest.data() + rest.size()) return std::nullopt;
  out.port = port;
  return out;
}

}  // namespace weir::web
