// What the heads of one family's children are asked by.
#pragma once

#include <vector>

#include "capacity/container_heads.h"

namespace weir {

struct ContainerHeads::Contest : HeadContest<Head> {
  explicit Contest(const std::vector<QueueId>& children, Views::View* view = nullptr)
      : children(children), view(view) {}
  const std::vector<QueueId>& children;
  Views::View* view;  // null: nothing starts there, or reserves it anew
};

}  // namespace weir
