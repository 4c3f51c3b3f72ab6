// What of a leaf could start, where containers count: its jobs' groups with launchable tasks, in
// job order and within a job in the order of its groups (maps before reduces). Groups stand in
// buckets of one user, one size and one time limit, so that a user at his limit, or a size that
// finds no room, is passed in one step: a search costs as many steps as there are of those, not of
// jobs. Derived state, on the engine's thread.
#pragma once

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "jobqueue/model/cluster_state.h"

namespace weir {

// A group of a job, in the order in which a leaf serves them.
struct ItemOrder {
  JobOrder job;
  TaskKind kind = TaskKind::kMap;
  friend auto operator<=>(const ItemOrder&, const ItemOrder&) = default;
};

class ContainerItems {
 public:
  struct Bucket {
    UserId user;
    const Size* size = nullptr;
    DurationMs time_limit_ms = 0;  // 0: none
    bool picky = false;            // not every tracker will do
    std::set<ItemOrder> items;
    std::int64_t tasks = 0;  // launchable, of all items
  };

  // The number of launchable tasks of a group goes from `before` to `now`.
  struct Kind {
    UserId user;
    const Size* size = nullptr;
    DurationMs time_limit_ms = 0;
    bool picky = false;
  };
  void set_tasks(const ItemOrder& item, const Kind& kind, std::uint32_t before, std::uint32_t now);
  bool empty() const { return heads_.empty(); }
  std::int64_t jobs() const { return items_; }
  // Those with tasks, and places without.
  const std::vector<Bucket>& buckets() const { return buckets_; }

  // Visits items in order, leaving out buckets that `may(bucket)` refuses, until `pick(item,
  // bucket)` says true; tells whether one did. `may` is asked once a bucket.
  template <class May, class Pick>
  bool visit(May may, Pick pick) const {
    using At = std::set<ItemOrder>::const_iterator;
    struct Cursor {
      At at, end;
      std::uint32_t place;
    };
    const auto later = [](const Cursor& a, const Cursor& b) { return *b.at < *a.at; };
    // A heap: buckets whose first items could not start.
    boost::container::small_vector<Cursor, 8> opened;
    auto head = heads_.begin();
    while (head != heads_.end() || !opened.empty()) {
      Cursor cursor{};
      if (opened.empty() || (head != heads_.end() && head->first < *opened.front().at)) {
        const std::uint32_t place = head++->second;
        const Bucket& bucket = buckets_[place];
        if (!may(bucket)) continue;
        cursor = {bucket.items.begin(), bucket.items.end(), place};
      } else {
        std::pop_heap(opened.begin(), opened.end(), later);
        cursor = opened.back();
        opened.pop_back();
      }
      if (pick(*cursor.at, buckets_[cursor.place])) return true;
      if (++cursor.at == cursor.end) continue;
      opened.push_back(cursor);
      std::push_heap(opened.begin(), opened.end(), later);
    }
    return false;
  }

 private:
  using Key = std::tuple<UserId, std::uint32_t, DurationMs, bool>;  // the size's number
  boost::container::flat_map<Key, std::uint32_t> places_;
  std::vector<Bucket> buckets_;
  boost::container::flat_map<ItemOrder, std::uint32_t> heads_;  // first items -> places of buckets
  std::vector<std::uint32_t> free_;
  std::int64_t items_ = 0;
};

}  // namespace weir
