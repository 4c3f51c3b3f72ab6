#include "jobqueue/model/size_table.h"

#include "jobqueue/model/check.h"

namespace weir {

const Size* SizeTable::intern(const Resources& need, bool gang) {
  const auto known = by_need_.find({gang, need.amount});
  if (known != by_need_.end()) {
    ++sizes_[known->second]->groups;
    return sizes_[known->second].get();
  }
  std::uint32_t number = static_cast<std::uint32_t>(sizes_.size());
  if (free_.empty()) {
    sizes_.push_back(std::make_unique<Size>());
  } else {
    number = free_.back();
    free_.pop_back();
  }
  by_need_.emplace(Key{gang, need.amount}, number);
  std::size_t end = kDimensionCount;
  while (end > 0 && need.amount[end - 1] == 0) --end;
  std::size_t begin = 0;
  while (begin < end && need.amount[begin] == 0) ++begin;
  *sizes_[number] = {.need = need,
                     .begin = begin,
                     .end = end,
                     .number = number,
                     .groups = 1,
                     .gang = gang};
  return sizes_[number].get();
}

void SizeTable::release(const Size* size) {
  if (size == nullptr) return;
  WEIR_CHECK(size->groups > 0, "a size is released once for each group");
  if (--sizes_[size->number]->groups > 0) return;
  by_need_.erase({size->gang, size->need.amount});
  free_.push_back(size->number);
}

}  // namespace weir
