#include "jobqueue/model/event.h"

namespace weir {

bool is_command(const Fact& fact) {
  return fact.index() <= 8;
}
static_assert(std::is_same_v<std::variant_alternative_t<8, Fact>, TrackersOrdered>,
              "the last command");

}  // namespace weir
