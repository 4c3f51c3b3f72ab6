// The leaves of one slot class whose shortfall is more than they claim, so that free slots count
// for them, and the sums over all of them: with many queues they are asked for after every input.
// On the engine's thread.
#pragma once

#include <cstdint>
#include <map>

#include "jobqueue/model/ids.h"

namespace weir {

class ShortLeaves {
 public:
  struct Leaf {
    std::int64_t missing = 0;  // slots, in whole tasks, when last reviewed
    bool wide = false;         // some of its tasks need more than one
  };

  void set(QueueId leaf, const Leaf& now) {
    erase(leaf);
    leaves_.emplace(leaf, now);
    missing_ += now.missing;
    wide_ += now.wide ? 1 : 0;
  }
  void erase(QueueId leaf) {
    const auto known = leaves_.find(leaf);
    if (known == leaves_.end()) return;
    missing_ -= known->second.missing;
    wide_ -= known->second.wide ? 1 : 0;
    leaves_.erase(known);
  }

  bool empty() const { return leaves_.empty(); }
  const std::map<QueueId, Leaf>& leaves() const { return leaves_; }
  std::int64_t missing() const { return missing_; }  // of all
  bool any_wide() const { return wide_ > 0; }

 private:
  std::map<QueueId, Leaf> leaves_;
  std::int64_t missing_ = 0;
  std::int64_t wide_ = 0;
};

}  // namespace weir
