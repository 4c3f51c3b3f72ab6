// What one task takes, as one object for all groups of tasks that take the same: jobs differ, what
// they need seldom does. A group points to its size, and indexes go by its number. Sizes that
// nobody needs any more are given out again. Engine's thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "jobqueue/model/resources.h"

namespace weir {

struct Size {
  Resources need;
  std::size_t begin = 0, end = 0;  // it takes nothing of other dimensions
  std::uint32_t number = 0;  // dense, reused
  std::uint32_t groups = 0;  // that point to it
  bool gang = false;  // of all that start together: on one tracker, or on many
};

class SizeTable {
 public:
  const Size* intern(const Resources& need, bool gang = false);
  void release(const Size* size);
  std::size_t numbers() const { return sizes_.size(); }  // all are smaller
  const Size& at(std::uint32_t number) const { return *sizes_[number]; }

 private:
  using Key = std::pair<bool, std::array<std::int64_t, kDimensionCount>>;
  std::map<Key, std::uint32_t> by_need_;
  std::vector<std::unique_ptr<Size>> sizes_;  // by number; addresses stay
  std::vector<std::uint32_t> free_;
};

}  // namespace weir
