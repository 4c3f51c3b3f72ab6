#include "jobqueue/model/reservations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace weir {
namespace {

// What a look at all of them finds.
struct Naive {
  std::vector<Reservation> all;

  template <class Is>
  std::vector<JobId> jobs(Is is) const {
    std::vector<JobId> found;
    for (const Reservation& each : all)
      if (is(each)) found.push_back(each.job);
    return found;
  }
  template <class Is>
  JobId first(Is is) const {
    const std::vector<JobId> found = jobs(is);
    return found.empty() ? JobId{} : found.front();
  }
};

JobId job_of(const Reservation* found) { return found == nullptr ? JobId{} : found->job; }

class ReservationsTest : public testing::Test {
 protected:
  Reservation any() {
    Reservation one;
    one.job = JobId(dice_() % 12);
    one.kind = dice_() % 2 == 0 ? TaskKind::kMap : TaskKind::kReduce;
    one.tracker = TrackerId(dice_() % 12);
    one.queue = QueueId(dice_() % 4);
    one.size = dice_() % 4 == 0 ? nullptr : &sizes_[dice_() % 3];
    one.least.lacking = static_cast<std::int64_t>(dice_() % 5);
    one.least.of = 1 + static_cast<std::int64_t>(dice_() % 3);
    return one;
  }

  void expect_same() const {
    for (std::size_t i = 0; i < 12; ++i) {
      const JobId job(i);
      ASSERT_EQ(job_of(kept_.of(job)), naive_.first([&](const auto& r) { return r.job == job; }));
      const TrackerId tracker(i);
      ASSERT_EQ(job_of(kept_.on(tracker)),
                naive_.first([&](const auto& r) { return r.tracker == tracker; }));
    }
    for (std::size_t i = 0; i < 4; ++i) {
      std::vector<JobId> jobs;
      kept_.each_in(QueueId(i), [&](const Reservation& r) { jobs.push_back(r.job); });
      ASSERT_EQ(jobs, naive_.jobs([&](const auto& r) { return r.queue == QueueId(i); }));
    }
    for (const Size& size : sizes_) {
      std::vector<const Reservation*> found;
      kept_.find_of(size, [&](const Reservation& r) {
        found.push_back(&r);
        return false;
      });
      const auto of_size = naive_.jobs([&](const auto& r) { return r.size == &size; });
      ASSERT_EQ(found.size(), of_size.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i]->size, &size);
        if (i > 0) ASSERT_FALSE(found[i - 1]->least < found[i]->least) << "most lacking first";
      }
    }
  }

  std::mt19937 dice_{7};
  Size sizes_[3];
  Reservations kept_;
  Naive naive_;
};

TEST_F(ReservationsTest, AreFoundAsByLookingAtAll) {
  for (int step = 0; step < 3'000; ++step) {
    const unsigned what = dice_() % 20;
    if (what == 0) {
      const auto shift = [&](Reservation& r) {
        r.queue = QueueId{(r.queue.index() + 1) % 4};
        r.size = &sizes_[r.job.index() % 3];
      };
      kept_.change_all(shift);
      std::for_each(naive_.all.begin(), naive_.all.end(), shift);
    } else if (what < 11 || naive_.all.empty()) {
      const Reservation one = any();
      kept_.add(one);
      naive_.all.push_back(one);
    } else {
      const std::size_t place = dice_() % naive_.all.size();
      kept_.remove(place);
      naive_.all.erase(naive_.all.begin() + static_cast<std::ptrdiff_t>(place));
    }
    ASSERT_EQ(kept_.size(), naive_.all.size());
    ASSERT_NO_FATAL_FAILURE(expect_same());
  }
}

TEST_F(ReservationsTest, TheSearchOfASizeEndsWhereItIsTold) {
  for (const std::int64_t lacking : {1, 3, 2}) {
    Reservation one;
    one.job = JobId(static_cast<std::size_t>(lacking));
    one.size = &sizes_[0];
    one.least = {lacking, 4};
    kept_.add(one);
  }
  std::vector<JobId> asked;
  const auto until = [&](std::int64_t lacking) {
    asked.clear();
    return kept_.find_of(sizes_[0], [&](const Reservation& r) {
      asked.push_back(r.job);
      return r.least.lacking == lacking;
    });
  };
  EXPECT_TRUE(until(2));
  EXPECT_EQ(asked, (std::vector{JobId(3), JobId(2)}));
  EXPECT_FALSE(until(0));
  EXPECT_EQ(asked, (std::vector{JobId(3), JobId(2), JobId(1)}));
  EXPECT_FALSE(kept_.find_of(sizes_[1], [](const Reservation&) { return true; }));
}

}  // namespace
}  // namespace weir
