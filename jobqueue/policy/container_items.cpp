#include "jobqueue/policy/container_items.h"

namespace weir {

void ContainerItems::set_tasks(const ItemOrder& item, const Kind& kind, std::uint32_t before,
                               std::uint32_t now) {
  if (before == now) return;
  const Key key{kind.user, kind.size->number, kind.time_limit_ms, kind.picky};
  auto found = places_.find(key);
  if (found == places_.end()) {
    std::uint32_t place = static_cast<std::uint32_t>(buckets_.size());
    if (free_.empty()) {
      buckets_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    buckets_[place].user = kind.user;
    buckets_[place].size = kind.size;
    buckets_[place].time_limit_ms = kind.time_limit_ms;
    buckets_[place].picky = kind.picky;
    found = places_.emplace(key, place).first;
  }
  const std::uint32_t place = found->second;
  Bucket& bucket = buckets_[place];
  bucket.tasks += std::int64_t{now} - before;
  if ((before == 0) == (now == 0)) return;
  items_ += now == 0 ? -1 : 1;
  if (!bucket.items.empty()) heads_.erase(*bucket.items.begin());
  if (now == 0) {
    bucket.items.erase(item);
  } else {
    bucket.items.insert(item);
  }
  if (!bucket.items.empty()) {
    heads_.emplace(*bucket.items.begin(), place);
    return;
  }
  bucket = {};
  places_.erase(found);
  free_.push_back(place);
}

}  // namespace weir
