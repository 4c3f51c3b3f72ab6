// The book of claims by itself: against a plain list of what each queue is owed, and the bounds of
// what is remembered of kills.
#include "jobqueue/model/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace weir {
namespace {

constexpr std::size_t kQueues = 4;  // the root and three leaves

std::string all_of(const Claim& c) {
  return std::to_string(c.id) + ": " + std::to_string(c.slots) + " born " + std::to_string(c.born) +
         " due " + std::to_string(c.deadline) + " kills " + std::to_string(c.kills_from) + " " +
         name(c.block) + " " + std::to_string(c.width);
}

// What the comments in claims.h say, the plain way.
struct PlainBook {
  std::vector<Claim> claims;  // of all queues
  ClaimId next = 1;

  std::vector<Claim> of(QueueId queue, TaskKind kind) const {
    std::vector<Claim> found;
    for (const Claim& c : claims) {
      if (c.queue == queue && c.dimension == kind) found.push_back(c);
    }
    std::stable_sort(found.begin(), found.end(), [](const Claim& a, const Claim& b) {
      return a.born != b.born ? a.born < b.born : a.id < b.id;
    });
    return found;
  }
  Claim& get(ClaimId id) {
    return *std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.id == id; });
  }
};

struct TwoBooks {
  ClaimBook book{kQueues, kTaskKindCount};
  PlainBook plain;

  void open(QueueId queue, TaskKind kind, std::int64_t slots, TimeMs born, DurationMs after) {
    const Claim& made = book.open(queue, kind, slots, born, after);
    Claim claim{.id = plain.next++, .queue = queue, .dimension = kind, .slots = slots,
                .born = born};
    claim.deadline = claim.kills_from = later(born, after);
    plain.claims.push_back(claim);
    EXPECT_EQ(all_of(made), all_of(claim));
  }
  void restore(ClaimId id, QueueId queue, TaskKind kind, std::int64_t slots, TimeMs born) {
    Claim claim{.id = id, .queue = queue, .dimension = kind, .slots = slots, .born = born};
    claim.deadline = claim.kills_from = born + 500;
    book.restore(claim);
    plain.claims.push_back(claim);
    plain.next = std::max(plain.next, id + 1);
  }
  // The earliest is met, the latest dropped.
  void reduce(QueueId queue, TaskKind kind, std::int64_t slots, bool met) {
    const auto open = plain.of(queue, kind);
    if (open.empty()) return;
    Claim& claim = plain.get(met ? open.front().id : open.back().id);
    const std::int64_t expected = std::min(slots, claim.slots);
    claim.slots -= expected;
    std::int64_t taken = 0;
    const Claim now = book.reduce(queue, kind, slots, met, taken);
    EXPECT_EQ(taken, expected);
    EXPECT_EQ(all_of(now), all_of(claim));
    if (claim.slots == 0) {
      std::erase_if(plain.claims, [&](const Claim& c) { return c.id == now.id; });
    }
  }
  // Who has killed nothing kills from the new deadline on; a wasted kill's time holds if it is
  // later.
  void set_deadlines(QueueId queue, TaskKind kind, DurationMs after) {
    book.set_deadlines(queue, kind, after);
    for (Claim& c : plain.claims) {
      if (c.queue != queue || c.dimension != kind) continue;
      const bool killed = c.kills_from > c.deadline;
      c.deadline = later(c.born, after);
      c.kills_from = killed ? std::max(c.kills_from, c.deadline) : c.deadline;
    }
  }
  void postpone(const Claim& which, TimeMs kills_from) {
    book.postpone(which.queue, which.dimension, which.id, kills_from);
    Claim& claim = plain.get(which.id);
    claim.kills_from = std::max(claim.deadline, kills_from);
  }
  void shift(DurationMs by) {
    book.pause(0);
    book.resume(by);
    for (Claim& c : plain.claims) {
      c.born += by;
      c.deadline = later(c.deadline, by);
      c.kills_from = later(c.kills_from, by);
    }
  }
  void renumber(const std::vector<QueueId>& new_id) {
    book.renumber(new_id, new_id, new_id.size());
    for (Claim& c : plain.claims) c.queue = new_id[c.queue.index()];
    std::erase_if(plain.claims, [](const Claim& c) { return !c.queue.valid(); });
  }

  void compare() {
    ASSERT_EQ(book.next_id(), plain.next);
    for (const TaskKind kind : kTaskKinds) {
      std::set<ClaimBook::Due> due;
      for (std::size_t q = 0; q < kQueues; ++q) {
        const auto expected = plain.of(QueueId(q), kind);
        const auto& open = book.claims(QueueId(q), kind);
        ASSERT_EQ(open.size(), expected.size());
        std::int64_t owed = 0;
        for (std::size_t i = 0; i < open.size(); ++i) {
          ASSERT_EQ(all_of(open[i]), all_of(expected[i]));
          ASSERT_EQ(open[i].queue, QueueId(q));
          ASSERT_EQ(book.find(QueueId(q), kind, open[i].id), &open[i]);
          owed += expected[i].slots;
          due.emplace(expected[i].deadline, QueueId(q), expected[i].id);
        }
        ASSERT_EQ(book.owed(QueueId(q), kind), owed);
      }
      ASSERT_EQ(book.by_deadline(kind), due);
    }
  }
};

TEST(ClaimBookRandom, HoldsWhatAPlainListHolds) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
    TwoBooks books;
    TimeMs now = 1000;
    for (int step = 0; step < 200; ++step) {
      now += below(50);
      const QueueId queue(static_cast<std::size_t>(1 + below(kQueues - 1)));
      const TaskKind kind = kTaskKinds[below(2)];
      const auto open = books.plain.of(queue, kind);
      switch (below(9)) {
        case 0:
        case 1:
          books.open(queue, kind, 1 + below(5), now, below(8) == 0 ? kNever : 100 * below(6));
          break;
        case 2:
        case 3:
          books.reduce(queue, kind, 1 + below(6), below(2) == 0);
          break;
        case 4:
          if (!open.empty()) {
            books.postpone(open[static_cast<std::size_t>(below(open.size()))], now + below(900));
          }
          break;
        case 5:
          books.set_deadlines(queue, kind, 100 * below(10));
          break;
        case 6:
          now += 70;
          books.shift(70);
          break;
        case 7:  // of any age
          books.restore(books.plain.next + static_cast<ClaimId>(below(3)), queue, kind,
                        1 + below(4), now - below(400));
          break;
        case 8:
          if (below(4) > 0) break;
          std::vector<QueueId> new_id{QueueId(0), QueueId(1), QueueId(2), QueueId(3)};
          std::shuffle(new_id.begin() + 1, new_id.end(), random);
          if (below(3) == 0) new_id[3] = QueueId{};  // it is gone
          books.renumber(new_id);
          break;
      }
      books.compare();
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
  }
}

TEST(ClaimBook, AQueueThatMovesTakesItsHistoryAlong) {
  ClaimBook book(3, kTaskKindCount);
  const QueueId a(1), b(2);
  const TrackerId tracker(0);
  book.mutable_lending(a, TaskKind::kMap) = {.idle = true, .idle_since = 7, .lends = true};
  book.set_running_seen(a, TaskKind::kReduce, 5);
  book.set_counted_free(a, TaskKind::kReduce, 3);
  book.add_record({.at = 100, .claimant = a, .victim = b, .slots = 2, .ran_ms = 50});
  book.mutable_holds().push_back({.id = 1, .queue = a, .tracker = tracker, .slots = 1});
  book.mutable_holds().push_back({.id = 2, .queue = b, .tracker = tracker, .slots = 1});
  book.mutable_holds().push_back({.id = 3, .pool = "p", .tracker = tracker, .slots = 1});
  book.renumber({QueueId(0), b, a}, {QueueId(0), b, a}, 3);
  EXPECT_TRUE(book.lending(b, TaskKind::kMap).lends);
  EXPECT_FALSE(book.lending(a, TaskKind::kMap).idle);
  EXPECT_EQ(book.running_seen(b, TaskKind::kReduce), 5);
  EXPECT_EQ(book.running_seen(a, TaskKind::kReduce), -1);
  EXPECT_EQ(book.counted_free(b, TaskKind::kReduce), 3);
  EXPECT_EQ(book.records()[0].claimant, b);
  EXPECT_EQ(book.records()[0].victim, a);
  EXPECT_EQ(book.holds()[0].queue, b);
  EXPECT_EQ(book.holds()[1].queue, a);
  EXPECT_EQ(book.holds()[2].pool, "p");
}

TEST(ClaimBook, HoldsOfAQueueThatIsGoneWentForNothing) {
  ClaimBook book(3, kTaskKindCount);
  book.mutable_holds().push_back({.id = 4, .queue = QueueId(1), .tracker = TrackerId(0)});
  book.mutable_holds().push_back({.id = 5, .queue = QueueId(2), .tracker = TrackerId(0)});
  book.add_record({.claimant = QueueId(1), .hold = 4, .victim = QueueId(2)});
  book.add_record({.claimant = QueueId(2), .hold = 5, .victim = QueueId(1)});
  book.renumber({QueueId(0), QueueId{}, QueueId(1)}, {QueueId(0), QueueId{}, QueueId(1)}, 2);
  ASSERT_EQ(book.holds().size(), 1u);
  EXPECT_EQ(book.holds()[0].id, 5u);
  EXPECT_EQ(book.records()[0].outcome, KillRecord::Outcome::kWasted);
  EXPECT_EQ(book.records()[1].outcome, KillRecord::Outcome::kPending);
}

// --- What is remembered of kills ---

TEST(ClaimBook, TheLastThousandKillsAreRemembered) {
  ClaimBook book(2, kTaskKindCount);
  const auto most = static_cast<TimeMs>(ClaimBook::kRecordsKept);
  for (TimeMs at = 1; at <= most; ++at) book.add_record({.at = at, .victim = QueueId(1)});
  EXPECT_EQ(book.records().size(), ClaimBook::kRecordsKept);
  EXPECT_EQ(book.records().front().at, 1);
  book.add_record({.at = most + 1, .victim = QueueId(1)});
  EXPECT_EQ(book.records().size(), ClaimBook::kRecordsKept);
  EXPECT_EQ(book.records().front().at, 2);
  EXPECT_EQ(book.records().back().at, most + 1);
}

TEST(ClaimBook, TheEndOfAHoldIsThatOfItsKillsOnce) {
  using Outcome = KillRecord::Outcome;
  ClaimBook book(2, kTaskKindCount);
  for (const HoldId hold : {1u, 2u, 2u, 0u, 3u}) {
    book.add_record({.hold = hold, .victim = QueueId(1)});
  }
  const auto outcomes = [&] {
    std::string all;
    for (const KillRecord& record : book.records()) all += std::string(name(record.outcome)) + " ";
    return all;
  };
  book.settle_records(2, Outcome::kUsed);
  EXPECT_EQ(outcomes(), "pending used used pending pending ");
  book.settle_records(2, Outcome::kWasted);
  EXPECT_EQ(outcomes(), "pending used used pending pending ");
  book.settle_records(1, Outcome::kWasted);
  book.settle_records(3, Outcome::kUsed);
  EXPECT_EQ(outcomes(), "wasted used used pending used ");
}

TEST(ClaimBook, WhatHoldsKeepIsFreeAlreadyAndOfTheirKind) {
  ClaimBook book(2, kTaskKindCount);
  const TrackerId here(0), there(1);
  auto& holds = book.mutable_holds();
  holds.push_back({.id = 1, .tracker = here, .slots = 4, .dying = 2, .dying_slots = 3});
  holds.push_back({.id = 2, .tracker = here, .slots = 2});
  holds.push_back({.id = 3, .kind = TaskKind::kReduce, .tracker = here, .slots = 8});
  holds.push_back({.id = 4, .tracker = there, .slots = 16});
  // Wider victims than the claimant's task: none of it is free before they are gone.
  holds.push_back({.id = 5, .tracker = there, .slots = 1, .dying = 1, .dying_slots = 2});
  EXPECT_EQ(book.held_on(here, TaskKind::kMap), 1 + 2);
  EXPECT_EQ(book.held_on(here, TaskKind::kReduce), 8);
  EXPECT_EQ(book.held_on(there, TaskKind::kMap), 16);
}

}  // namespace
}  // namespace weir
