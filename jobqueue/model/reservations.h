// Trackers that are kept for tasks which find no room: in the order in which that began, and by
// job, tracker, leaf and size, so that no answer looks at all of them, of which a large cluster has
// many. Plain data in the ClaimBook; pointers and places are good until something changes. Engine's
// thread.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "jobqueue/model/dimension.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/share.h"
#include "jobqueue/model/size_table.h"

namespace weir {

// Of what a task needs, the largest part that a tracker has no room for: lacking / of.
struct Lack {
  std::int64_t lacking = INT64_MAX, of = 1;
  friend bool operator<(const Lack& a, const Lack& b) {
    return Int128(a.lacking) * b.of < Int128(b.lacking) * a.of;
  }
};

// A task of several slots, or a container, that is next in line waits here for the tracker to have
// all that it needs free.
struct Reservation {
  JobId job;
  TaskKind kind = TaskKind::kMap;  // of containers the group, which says how large they are
  TrackerId tracker;
  std::int64_t slots = 0;      // where slots count
  const Size* size = nullptr;  // where containers do
  QueueId queue;               // the job's
  // Of containers, the least that a tracker lacked when it was reserved: it moves to where less is
  // missing than that. Tasks that begin beside it with a time limit may make it more meanwhile, and
  // two trackers that are filled again in turn would have it for ever.
  Lack least;
};

class Reservations {
 public:
  // --- All of them ---
  const std::vector<Reservation>& all() const { return all_; }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }

  // --- Some; of slots a job and a tracker may have one for each kind ---
  // The first of them; null: there is none.
  const Reservation* of(JobId job) const { return first(by_job_, job); }
  const Reservation* on(TrackerId tracker) const { return first(by_tracker_, tracker); }
  // Those for jobs of the leaf, in order.
  template <class Use>
  void each_in(QueueId leaf, Use use) const {
    if (all_.empty()) return;
    if (const auto found = by_leaf_.find(leaf); found != by_leaf_.end())
      for (const Number number : found->second) use(all_[place(number)]);
  }
  // Of containers of that size, those first that lack most, until `take` says true; tells whether
  // it did.
  template <class Take>
  bool find_of(const Size& size, Take take) const {
    if (all_.empty()) return false;
    const auto found = by_size_.find(&size);
    if (found == by_size_.end()) return false;
    for (const OfSize& each : found->second)
      if (take(all_[place(each.number)])) return true;
    return false;
  }

  // --- Changing: ClusterState only ---
  void add(const Reservation& reservation);
  void remove(std::size_t place);
  // Their queues and sizes have become others: `change(reservation)`.
  template <class Change>
  void change_all(Change change) {
    for (Reservation& each : all_) change(each);
    index_all();
  }

 private:
  using Number = std::uint64_t;  // counts them
  template <class Key>
  using Index = std::unordered_map<Key, boost::container::small_vector<Number, 2>>;
  struct OfSize {
    Lack least;
    Number number = 0;
    friend bool operator<(const OfSize& a, const OfSize& b) {
      if (b.least < a.least || a.least < b.least) return b.least < a.least;
      return a.number < b.number;
    }
  };

  template <class Key>
  const Reservation* first(const Index<Key>& index, Key key) const {
    if (all_.empty()) return nullptr;
    const auto found = index.find(key);
    return found == index.end() ? nullptr : &all_[place(found->second.front())];
  }
  std::size_t place(Number number) const;
  void enter(std::size_t place);
  void index_all();

  std::vector<Reservation> all_;
  std::vector<Number> numbers_;  // of each; they rise
  Number next_ = 1;
  Index<JobId> by_job_;
  Index<TrackerId> by_tracker_;
  Index<QueueId> by_leaf_;
  std::unordered_map<const Size*, std::set<OfSize>> by_size_;
};

}  // namespace weir
