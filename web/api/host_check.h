// By what names this server goes, and from which pages it is told to change anything.
//
// A page of another site may make its reader's browser call us. It must not change anything, so a
// call that does carries an Origin that is our own, or none (it comes from no page). And such a
// page may have a name of its own point to our address (DNS rebinding), by which all it does looks
// like ours: so a Host must be the address at which the request came in, a loopback address,
// localhost, a name of this machine as a whole, or a name or address that the settings have
// (`listen.http_names`).
#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>
#include <vector>

#include "web/server/request.h"

namespace weir::web {

class HostCheck {
 public:
  explicit HostCheck(const std::vector<std::string>& names);

  bool is_own(const std::string& host, const std::string& local) const;  // as in HttpRequest
  // Throw a Refusal.
  void check_host(const HttpRequest& request) const;
  void check_origin(const HttpRequest& request) const;

 private:
  std::vector<std::string> names_;
  std::vector<boost::asio::ip::address> addresses_;
};

}  // namespace weir::web
