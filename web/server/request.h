// One request as handlers see it: decoded, bounded, and complete. Plain data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::web {

using NamesAndValues = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;             // GET for a HEAD, too
  bool head = false;              // the answer goes without its body
  std::string target;             // as it came
  std::string authority;          // whom it asks: of an absolute target, else of the Host header
  std::string host;               // of that the name or address (authority.h)
  std::string local_address;      // at which it came in
  std::vector<std::string> path;  // decoded; "/jobs/7" is {"jobs", "7"}, "/" is {}
  NamesAndValues query;           // decoded, in their order
  NamesAndValues headers;         // names in lower case
  std::string body;
  bool length_missing = false;  // of a body that its method needs; then there is none
  int version = 11;         // or 10
  bool keep_alive = false;  // what the client wants

  // The header's value; those of several with one name are joined by ", ". `name` in lower case.
  std::optional<std::string> header(std::string_view name) const;
};

// What the server says by itself of a request that no handler sees.
struct HttpProblem {
  int status = 400;
  std::string message;
  std::string hint;
  NamesAndValues headers;
};

}  // namespace weir::web
