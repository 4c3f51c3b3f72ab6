// The jobs of one leaf queue that have launchable tasks of one class, in job order, and the users
// they belong to. Jobs stand in buckets of one user and one task width, so that a user at his
// limit, or a width that finds no room, is passed in one step and not job by job. Kept current by
// deltas in O(log n); a visit that succeeds at the first job costs no more than looking at the
// first bucket. With many queues every leaf comes from far down the memory, so what each launch and
// end looks at lies side by side, and the jobs behind the first of a bucket apart. Derived state,
// on the engine's thread.
#pragma once

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/ids.h"

namespace weir {

class LeafJobs {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct alignas(64) Bucket {
    JobOrder first;  // of its jobs
    UserId user;
    std::uint32_t next = kNone;     // place of the user's next narrower bucket
    std::int64_t width = 1;         // slots of one task
    std::int64_t tasks = 0;         // launchable, of all jobs here
    std::int64_t user_running = 0;  // slots that the user's tasks hold in this leaf
  };

  // The number of launchable tasks of a job goes from `before` to `now`.
  void set_tasks(const JobOrder& job, UserId user, std::int64_t width, std::uint32_t before,
                 std::uint32_t now);
  void set_user_running(UserId user, std::int64_t slots);

  std::int64_t jobs() const { return jobs_; }
  std::int64_t wide_jobs() const { return wide_jobs_; }  // whose tasks need more than one slot
  std::int64_t active_users() const { return static_cast<std::int64_t>(users_.size()); }
  std::int64_t narrowest_width() const {  // 0: no jobs
    return tasks_by_width_.empty() ? 0 : tasks_by_width_.begin()->first;
  }
  std::int64_t user_running(UserId user) const;
  // Jobs that come before one like that, if `over(bucket)` comes after all others; `is_over` tells
  // whether it does so itself.
  template <class Over>
  std::size_t jobs_before(const JobOrder& job, bool is_over, Over over) const {
    std::size_t count = 0;
    for (std::size_t place = 0; place < jobs_in_.size(); ++place) {
      const std::set<JobOrder>& jobs = jobs_in_[place];
      if (jobs.empty()) continue;
      const bool passed = over(buckets_[place]);
      if (passed && !is_over) continue;
      const bool all = !passed && is_over;
      count += all ? jobs.size()
                   : static_cast<std::size_t>(std::distance(jobs.begin(), jobs.lower_bound(job)));
    }
    return count;
  }

  // Slots wanted (PEND): all of them, or what `limit_of(width)` leaves each user, and never more
  // than `room`, in whole tasks. Where not all fit, wide tasks are counted first.
  using LimitOf = std::function<std::int64_t(std::int64_t width)>;
  std::int64_t pending_slots(const LimitOf& limit_of, std::optional<std::int64_t> room) const;

  // The bucket of the first job in order that `may(bucket)` lets pass; null if there is none.
  template <class May>
  const Bucket* first(May may) const {
    for (const auto& [order, place] : heads_) {
      if (may(buckets_[place])) return &buckets_[place];
    }
    return nullptr;
  }

  // Hints that what launches and ends look at is wanted soon.
  void prefetch() const;

  // Visits jobs in order, leaving out buckets that `may(bucket)` refuses, until `pick(job)` says
  // true; tells whether one did.
  template <class May, class Pick>
  bool visit(May may, Pick pick) const {
    struct Cursor {
      std::set<JobOrder>::const_iterator at, end;
    };
    const auto later = [](const Cursor& a, const Cursor& b) { return *b.at < *a.at; };
    std::vector<Cursor> opened;  // a heap: buckets whose first jobs could not launch
    auto head = heads_.begin();
    while (head != heads_.end() || !opened.empty()) {
      Cursor cursor;
      if (opened.empty() || (head != heads_.end() && head->first < *opened.front().at)) {
        const auto [first, place] = *head++;
        if (!may(buckets_[place])) continue;
        if (pick(first.id)) return true;
        cursor = {jobs_in_[place].begin(), jobs_in_[place].end()};
      } else {
        std::pop_heap(opened.begin(), opened.end(), later);
        cursor = opened.back();
        opened.pop_back();
        if (pick(cursor.at->id)) return true;
      }
      if (++cursor.at == cursor.end) continue;
      opened.push_back(cursor);
      std::push_heap(opened.begin(), opened.end(), later);
    }
    return false;
  }

 private:
  // One who has something running or launchable here.
  struct User {
    std::int64_t running = 0;
    std::int64_t tasks = 0;        // launchable
    std::uint32_t widest = kNone;  // place of the first of his buckets, which are few
    bool active() const { return running > 0 || tasks > 0; }
  };
  using Users = boost::container::flat_map<UserId, User>;
  using ByWidth = boost::container::flat_map<std::int64_t, std::int64_t>;
  std::uint32_t bucket_of(Users::value_type& user, std::int64_t width);
  void close_bucket(User& user, std::uint32_t place);
  void set_job(std::uint32_t place, const JobOrder& job, bool in);
  void leave_if_idle(Users::iterator user);
  ByWidth permitted_tasks(const LimitOf& limit_of, std::int64_t widest) const;

  // Few and looked up all the time, so they stand side by side.
  Users users_;
  std::vector<Bucket> buckets_;                                // in places that stay
  boost::container::flat_map<JobOrder, std::uint32_t> heads_;  // first jobs -> places of buckets
  std::int64_t wanted_slots_ = 0;                              // of all launchable tasks
  std::int64_t jobs_ = 0;
  std::int64_t wide_jobs_ = 0;
  ByWidth tasks_by_width_;
  std::vector<std::set<JobOrder>> jobs_in_;  // the buckets, by place
  std::uint32_t free_ = kNone;               // first of the free places, linked by `next`
};

}  // namespace weir
