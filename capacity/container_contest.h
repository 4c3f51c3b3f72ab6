// The heads of one family's children as they are asked for, and the best of them so far.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "capacity/container_heads.h"

namespace weir {

struct ContainerHeads::Contest {
  const std::vector<QueueId>& children;
  Views::View* view = nullptr;  // null: nothing starts there, or reserves it anew
  std::function<bool(const Head&)> gives_way = {};  // to who waits below the queue
  std::optional<Head> best = std::nullopt;
  std::uint32_t child = 0;  // whose it is
  bool is_won_by(const Views::Rank& rank) const {
    return !best || rank < Views::Rank{best->step, best->key, child};
  }
  void enter(std::uint32_t from, const std::optional<Head>& head) {
    if (!head || !is_won_by({head->step, head->key, from})) return;
    if (gives_way && gives_way(*head)) return;
    best = head;
    child = from;
  }
};

}  // namespace weir
