#include "tracker/port/sendable_host.h"

#include <unistd.h>

#include <boost/asio/ip/address.hpp>

namespace weir {

bool is_any_host(const std::string& host) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return host.empty() || (!error && address.is_unspecified());
}

bool is_loopback_host(const std::string& host) {
  if (host == "localhost") return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

std::string sendable_host(const std::string& listens) {
  if (!is_any_host(listens)) return listens;
  char name[256] = {};
  const bool named = ::gethostname(name, sizeof name - 1) == 0 && name[0] != 0;
  return named ? name : "localhost";
}

}  // namespace weir
