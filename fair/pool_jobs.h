// The jobs of one pool in one class, in the order in which they are asked: in a fair pool by the
// smallest running / weight, in a FIFO pool by priority; ties by submit time and name. They stand
// in buckets of one task width and one limited queue, so that a width that finds no room, or a
// queue at its maximum, is passed in one step and not job by job. Most pools have one bucket. A
// change of a job's key costs O(log n). Derived state, on the engine's thread.
#pragma once

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fair/ranked_set.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/share.h"

namespace weir {

// `a` and `b` compare as the ratios running / weight do, exactly. Where priorities decide they
// stand in for `running`, with weight 1.
struct JobKey {
  std::int64_t running = 0;
  std::int64_t weight = 1;
  std::uint64_t tie = 0;  // sorts as (submit time, name, id)
  JobId job;
  friend bool operator==(const JobKey&, const JobKey&) = default;
  friend bool operator<(const JobKey& a, const JobKey& b) {
    if (a.weight == b.weight) {  // in one comparison: who wins cannot be predicted
      const Int128 left = Int128(a.running) << 64 | a.tie;
      const Int128 right = Int128(b.running) << 64 | b.tie;
      return left < right;
    } else {
      const Int128 left = Int128(a.running) * b.weight;
      const Int128 right = Int128(b.running) * a.weight;
      if (left != right) return left < right;
    }
    return a.tie < b.tie;
  }
};

class PoolJobs {
 public:
  struct Bucket {
    RankedSet<JobKey> jobs;
    QueueId limited;         // the jobs' queue, if it or one above it has a maximum
    std::int64_t width = 1;  // slots of one task
    std::uint32_t members = 0;
  };
  // Where a job stands.
  struct Seat {
    Bucket* bucket = nullptr;
    RankedSet<JobKey>::Place place = 0;
  };

  void join(Seat& seat, QueueId limited, std::int64_t width) {
    auto& bucket = buckets_[{limited, width}];
    if (bucket == nullptr) {
      bucket = std::make_unique<Bucket>();
      bucket->limited = limited;
      bucket->width = width;
    }
    ++bucket->members;
    seat = {bucket.get(), bucket->jobs.join()};
  }
  void leave(Seat& seat) {
    Bucket& bucket = *seat.bucket;
    bucket.jobs.leave(seat.place);
    if (--bucket.members == 0) buckets_.erase({bucket.limited, bucket.width});
    seat = {};
  }
  static void set(const Seat& seat, const JobKey& key) { seat.bucket->jobs.set(seat.place, key); }
  static void clear(const Seat& seat) { seat.bucket->jobs.clear(seat.place); }

  // Visits jobs in order, leaving out buckets that `may(bucket)` refuses, until `pick(job)` says
  // true; tells whether one did. `may` is asked when a bucket's first job is next in line.
  template <class May, class Pick>
  bool visit(May may, Pick pick) const {
    if (buckets_.size() == 1) {
      const Bucket& only = *buckets_.begin()->second;
      bool asked = false;
      bool stopped = false;
      return only.jobs.visit([&](const JobKey& key) {
        if (!asked && !may(only)) return stopped = true;
        asked = true;
        return pick(key.job);
      }) && !stopped;
    }
    return visit_merged(may, pick);
  }

 private:
  using Walk = WinnerTree<JobKey>::Walk;
  struct Cursor {
    const Bucket* bucket;
    Walk walk;
    const JobKey* at;
    bool asked = false;
  };

  template <class May, class Pick>
  bool visit_merged(May may, Pick pick) const {
    const auto later = [](const Cursor& a, const Cursor& b) { return *b.at < *a.at; };
    std::vector<Cursor> open;
    for (const auto& [key, bucket] : buckets_) {
      Walk walk(bucket->jobs.tree());
      if (const JobKey* first = walk.next()) open.push_back({bucket.get(), std::move(walk), first});
    }
    std::make_heap(open.begin(), open.end(), later);
    while (!open.empty()) {
      std::pop_heap(open.begin(), open.end(), later);
      Cursor& next = open.back();
      const bool may_go = next.asked || may(*next.bucket);
      next.asked = true;
      if (may_go && pick(next.at->job)) return true;
      next.at = may_go ? next.walk.next() : nullptr;
      if (next.at == nullptr) {
        open.pop_back();
      } else {
        std::push_heap(open.begin(), open.end(), later);
      }
    }
    return false;
  }

  boost::container::flat_map<std::pair<QueueId, std::int64_t>, std::unique_ptr<Bucket>> buckets_;
};

}  // namespace weir
