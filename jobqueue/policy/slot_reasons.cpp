#include "jobqueue/policy/slot_reasons.h"

namespace weir {

std::string slots_text(std::int64_t slots, TaskKind kind) {
  return std::to_string(slots) + " " + name(kind) + (slots == 1 ? " slot" : " slots");
}

Reason wider_than_maximum(const std::string& whose, TaskKind kind, std::int64_t width,
                          std::int64_t widest) {
  return {"wider_than_maximum",
          "a task of it takes " + slots_text(width, kind) + ", and " + whose +
              " may never run more than " + slots_text(widest, kind) +
              ": it cannot start, and holds nobody up",
          {{"need", width}, {"maximum", widest}}};
}

}  // namespace weir
