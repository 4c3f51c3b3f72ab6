// Tasks that are done are written together and sorted: what is stored must not show it.
#include "jobqueue/store/done_rows.h"

#include <algorithm>
#include <random>
#include <tuple>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "store_fixture.h"

namespace weir {
namespace {

using namespace store_test;
using testing::ElementsAre;
using testing::IsEmpty;

using Done = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, TimeMs>;

// Job, task, attempt, and when it was launched.
std::vector<Done> done_of(const Snapshot& snapshot) {
  std::vector<Done> out;
  for (const JobSnapshot& job : snapshot.jobs) {
    for (const auto& done : job.done)
      out.emplace_back(job.job.value, done.index, done.attempt, done.launched_at);
  }
  return out;
}

struct Grouped : testing::Test {
  void append(const std::vector<Event>& events, std::size_t group) {
    for (std::size_t i = 0; i < events.size(); i += group) {
      const auto end = std::min(events.size(), i + group);
      ASSERT_TRUE(store->append(std::span(events).subspan(i, end - i)).ok());
    }
  }
  Event done(std::uint32_t number, std::uint32_t task, std::uint32_t of) {
    return make(TaskSucceeded{attempt(number, TaskKind::kMap, task, of), "tt1", 7,
                              static_cast<TimeMs>(of), nullptr});
  }
  Event granted(std::uint32_t number, std::uint32_t task, std::uint32_t of) {
    return make(CommitGranted{attempt(number, TaskKind::kMap, task, of), "tt1"});
  }
  EventMaker make;
  std::unique_ptr<Store> store = make_memory_store(trivial_codec());
};

// Tasks end, run again and end again, and one of five jobs is over in the middle.
TEST_F(Grouped, AsOneTransactionAsOneByOne) {
  std::mt19937 dice(7);
  std::vector<Event> events;
  for (std::uint32_t number = 1; number <= 5; ++number) events.push_back(make(submitted(number)));
  for (int i = 0; i < 2'000; ++i) {
    const std::uint32_t number = 1 + dice() % 5, task = dice() % 60;
    if (i == 1'000) events.push_back(make(JobStateChanged{job(3), JobState::kKilled, ""}));
    if (dice() % 10 == 0) {
      events.push_back(make(TaskReopened{{job(number), TaskKind::kMap, task}, "lost"}));
    } else {
      events.push_back(done(number, task, static_cast<std::uint32_t>(i)));
    }
  }
  append(events, events.size());
  const auto together = done_of(store->load().value());
  store = make_memory_store(trivial_codec());
  append(events, 1);
  EXPECT_EQ(together, done_of(store->load().value()));
  EXPECT_GT(together.size(), 100u);
}

TEST_F(Grouped, TheLaterEndOfATaskStays) {
  append({make(submitted(1)), done(1, 4, 1), done(1, 2, 1), done(1, 4, 2)}, 4);
  EXPECT_THAT(done_of(store->load().value()), ElementsAre(Done{1, 2, 1, 1}, Done{1, 4, 2, 2}));
}

TEST_F(Grouped, OfAJobThatIsOverOrUnknownNothingIsWritten) {
  append({make(submitted(1)), make(JobStateChanged{job(1), JobState::kKilled, ""})}, 2);
  append({done(1, 0, 0), done(9, 0, 0)}, 2);
  append({make(submitted(2)), done(9, 1, 0), done(2, 0, 3), done(1, 1, 0)}, 4);
  EXPECT_THAT(done_of(store->load().value()), ElementsAre(Done{2, 0, 3, 3}));
}

// Whether there are grants at all is asked once a transaction, and one in it counts.
TEST_F(Grouped, AnEndTakesItsGrantAlong) {
  const auto grants = [this] {
    std::size_t count = 0;
    const Snapshot loaded = store->load().value();
    for (const JobSnapshot& each : loaded.jobs) count += each.commits.size();
    return count;
  };
  append({make(submitted(1)), done(1, 0, 0), granted(1, 1, 0), done(1, 1, 0)}, 4);
  EXPECT_EQ(grants(), 0u);
  append({granted(1, 2, 0), granted(1, 3, 0)}, 1);
  EXPECT_EQ(grants(), 2u);
  append({done(1, 2, 0)}, 1);
  EXPECT_EQ(grants(), 1u);
}

}  // namespace
}  // namespace weir
