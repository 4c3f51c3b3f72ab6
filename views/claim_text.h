// A claim's state as people read it. Pure, any thread.
#pragma once

#include <algorithm>
#include <string>

namespace weir {

// Why it does not kill, "over budget"; empty: it is not due yet, or kills at the next update.
inline std::string held_back_text(std::string state) {
  if (state == "waiting" || state == "due") return "";
  std::replace(state.begin(), state.end(), '_', ' ');
  return state;
}

}  // namespace weir
