// Policies whose every choice is compared, where containers count, with what looking at all queues,
// pools and jobs finds: the orders that they keep (head_views.h) may be out of date only where
// somebody forgot to say what has changed, which may show after hours. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "jobqueue/policy/policy.h"

namespace weir {

class Comparison {
 public:
  // Policies that keep no such orders are made as they are.
  PolicyFactory wrap(PolicyFactory inner) const;
  std::uint64_t choices() const { return seen_->choices; }
  // The first choice that was another one; empty: there is none.
  const std::string& difference() const { return seen_->difference; }

  struct Seen {
    std::uint64_t choices = 0;
    std::string difference;
  };

 private:
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
};

}  // namespace weir
