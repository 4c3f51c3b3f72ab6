// JSON for scripts: that of views (views/json/json.h), and what commands make themselves. One
// thread.
#pragma once

#include <ostream>

#include "views/json/json.h"

namespace weir::cli {

using weir::Json;

inline void print_json(std::ostream& out, const Json& json) {
  out << json_text(json);
}

}  // namespace weir::cli
