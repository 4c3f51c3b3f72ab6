// The jobs of one leaf queue that have launchable tasks of one class, in job order, and the users
// they belong to. Jobs stand in buckets of one user and one task width, so that a user at his
// limit, or a width that finds no room, is passed in one step and not job by job. Kept current by
// deltas in O(log n); a visit that succeeds at the first job costs no more than looking at the
// first bucket. Derived state, on the engine's thread.
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

#include "jobqueue/ids.h"
#include "jobqueue/job_queue_manager.h"

namespace weir {

class LeafJobs {
 public:
  struct Bucket {
    UserId user;
    std::int64_t width = 1;         // slots of one task
    std::int64_t tasks = 0;         // launchable, of all jobs here
    std::int64_t user_running = 0;  // slots that the user's tasks hold in this leaf
    std::set<JobOrder> jobs;
  };

  // The number of launchable tasks of a job goes from `before` to `now`.
  void set_tasks(const JobOrder& job, UserId user, std::int64_t width, std::uint32_t before,
                 std::uint32_t now);
  void set_user_running(UserId user, std::int64_t slots);

  std::int64_t jobs() const { return jobs_; }
  std::int64_t wide_jobs() const { return wide_jobs_; }  // whose tasks need more than one slot
  std::int64_t active_users() const { return active_users_; }
  std::int64_t narrowest_width() const {  // 0: no jobs
    return tasks_by_width_.empty() ? 0 : tasks_by_width_.begin()->first;
  }
  std::int64_t user_running(UserId user) const;
  std::size_t jobs_before(const JobOrder& job) const;

  // Slots wanted (PEND): all of them, or what `limit_of(width)` leaves each user, and never more
  // than `room`, in whole tasks. Where not all fit, wide tasks are counted first.
  using LimitOf = std::function<std::int64_t(std::int64_t width)>;
  std::int64_t pending_slots(const LimitOf& limit_of, std::optional<std::int64_t> room) const;

  // Visits jobs in order, leaving out buckets that `may(bucket)` refuses, until `pick(job)` says
  // true; tells whether one did.
  template <class May, class Pick>
  bool visit(May may, Pick pick) const {
    struct Cursor {
      std::set<JobOrder>::const_iterator at, end;
    };
    const auto later = [](const Cursor& a, const Cursor& b) { return *b.at < *a.at; };
    std::vector<Cursor> opened;  // a heap: buckets whose first job could not launch
    auto head = heads_.begin();
    while (head != heads_.end() || !opened.empty()) {
      Cursor cursor;
      if (opened.empty() || (head != heads_.end() && head->first < *opened.front().at)) {
        const Bucket& bucket = *(head++)->second;
        if (!may(bucket)) continue;
        cursor = {bucket.jobs.begin(), bucket.jobs.end()};
      } else {
        std::pop_heap(opened.begin(), opened.end(), later);
        cursor = opened.back();
        opened.pop_back();
      }
      if (pick(cursor.at->id)) return true;
      if (++cursor.at == cursor.end) continue;
      opened.push_back(cursor);
      std::push_heap(opened.begin(), opened.end(), later);
    }
    return false;
  }

 private:
  struct User {
    std::int64_t running = 0;
    std::int64_t tasks = 0;  // launchable
    bool active() const { return running > 0 || tasks > 0; }
  };
  template <class Change>
  void change_user(UserId user, Change change);
  using ByWidth = boost::container::flat_map<std::int64_t, std::int64_t>;
  ByWidth permitted_tasks(const LimitOf& limit_of, std::int64_t widest) const;

  // Few and looked up all the time, so they stand side by side.
  boost::container::flat_map<std::pair<UserId, std::int64_t>, std::unique_ptr<Bucket>> buckets_;
  boost::container::flat_map<JobOrder, const Bucket*> heads_;  // the first job of each bucket
  boost::container::flat_map<UserId, User> users_;
  ByWidth tasks_by_width_;
  std::int64_t wanted_slots_ = 0;  // of all launchable tasks
  std::int64_t jobs_ = 0;
  std::int64_t wide_jobs_ = 0;
  std::int64_t active_users_ = 0;
};

}  // namespace weir
