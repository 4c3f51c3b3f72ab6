// Who asks; self-declared until there are tokens.
#pragma once

#include <string>
#include <vector>

namespace weir {

struct Caller {
  std::string user;
  std::vector<std::string> groups;
};

}  // namespace weir
