#include "sim/checker/free_slots.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace weir::check {

FreeSlots::FreeSlots(const Census& census, TaskKind kind) {
  for (const TrackerState& tracker : census.state->trackers()) {
    if (!in_pool(tracker)) continue;
    const auto held = census.trackers.find(tracker.id);
    const std::int64_t taken = held == census.trackers.end() ? 0 : held->second.held.slots(kind);
    const std::int64_t slots = tracker.total.slots(kind) - taken;
    if (slots <= 0) continue;
    by_place[tracker.id] = slots;
    all += slots;
  }
}

std::int64_t FreeSlots::on(TrackerId tracker) const {
  const auto found = by_place.find(tracker);
  return found == by_place.end() ? 0 : found->second;
}

namespace {

struct Dealer {
  const QueueTree& tree;
  std::vector<ExpectedQueue> lines;
  std::int64_t free = 0;
  std::map<QueueId, Dealt> dealt;

  void give(QueueId leaf, std::int64_t slots) {
    slots = std::min({slots, free, lines[leaf.index()].pending});
    if (slots <= 0) return;
    free -= slots;
    dealt[leaf].least += slots;
    dealt[leaf].most += slots;
    for (QueueId q = leaf; q.valid(); q = tree.node(q).parent) {
      lines[q.index()].running += slots;
      lines[q.index()].pending -= slots;
    }
  }

  // What is left of min(GC, DEM) from the leaf up.
  std::int64_t room(QueueId leaf) const {
    std::int64_t least = INT64_MAX;
    for (QueueId q = leaf; q != QueueTree::root(); q = tree.node(q).parent) {
      const ExpectedQueue& line = lines[q.index()];
      least = std::min(least, line.kept() - line.running);
    }
    return least;
  }

  // A queue, or the siblings under one slot together, among those that may have the next slot.
  struct Entry {
    int step = 5;
    Rational full;             // RUN / g, or RUN / AC
    std::int64_t running = 0;  // decides in step 5 only
    std::size_t place = 0;
    std::vector<QueueId> queues;
    bool operator<(const Entry& b) const {
      return std::tie(step, full, running, place) <
             std::tie(b.step, b.full, b.running, b.place);
    }
  };

  std::vector<Entry> entries(QueueId parent) const {
    std::vector<Entry> found;
    Entry small{.place = SIZE_MAX};
    Rational small_share = 0;
    for (const QueueId child : tree.node(parent).children) {
      const ExpectedQueue& line = lines[child.index()];
      if (line.under_one_slot) {
        small.running += line.running;
        small_share += line.share;
        if (line.pending > 0 && line.running < line.maximum) small.queues.push_back(child);
        continue;
      }
      if (line.pending == 0 || line.running >= line.maximum) continue;
      Entry entry{.running = 0, .place = found.size(), .queues = {child}};
      if (line.running < line.kept()) {
        entry.step = 3;
      } else if (line.running < line.allocated) {
        entry.step = 4;
      } else {
        entry.running = line.running;
      }
      entry.full = entry.step == 4 ? Rational(line.running, line.allocated)
                                   : Rational(line.running) / line.share;
      found.push_back(std::move(entry));
    }
    std::sort(found.begin(), found.end());
    if (small.queues.empty()) return found;
    if (small_share == 0) {  // they are guaranteed nothing: all others come before
      found.push_back(std::move(small));
      return found;
    }
    small.full = Rational(small.running) / small_share;
    found.insert(std::lower_bound(found.begin(), found.end(), small), small);
    return found;
  }

  std::optional<QueueId> next(QueueId queue) const {
    if (tree.node(queue).children.empty()) return queue;
    for (const Entry& entry : entries(queue)) {
      for (const QueueId child : entry.queues) {
        if (const auto leaf = next(child)) return leaf;
      }
    }
    return std::nullopt;
  }
};

// Where one slot is as good as another.
bool one_slot_each(const Census& census, TaskKind kind) {
  for (const Reservation& reservation : census.state->claims().reservations()) {
    if (reservation.kind == kind) return false;
  }
  const auto& jobs = census.jobs(kind);
  return std::all_of(jobs.begin(), jobs.end(), [](const JobCount& job) {
    return job.width == 1 || job.pending() + job.returning == 0;
  });
}

std::map<QueueId, Dealt> bounds(const Census& census, TaskKind kind, const FreeSlots& free) {
  std::map<QueueId, Dealt> most;
  for (const JobCount& job : census.jobs(kind)) {
    if (job.pending() == 0) continue;
    std::int64_t usable = 0;
    for (const auto& [tracker, slots] : free.by_place) usable += slots >= job.width ? slots : 0;
    std::int64_t& known = most[job.job->queue].most;
    known = std::max(known, usable);
  }
  // What gathers for a wide task is its queue's.
  for (const Reservation& kept : census.state->claims().reservations()) {
    const Job* job = kept.kind == kind ? census.state->find_job(kept.job) : nullptr;
    if (job != nullptr) most[job->queue].most += free.on(kept.tracker);
  }
  return most;
}

}  // namespace

std::map<QueueId, Dealt> deal(const Census& census, TaskKind kind, const FreeSlots& free,
                              const std::vector<ExpectedQueue>& lines, const Dealing& dealing) {
  if (free.all == 0) return {};
  if (!one_slot_each(census, kind)) return bounds(census, kind, free);
  const ClaimBook& book = census.state->claims();
  Dealer dealer{census.state->tree(), lines, free.all, {}};
  for (const auto& [leaf, slots] : dealing.own) dealer.give(leaf, slots);
  for (const Hold& hold : book.holds()) {
    if (hold.kind == kind && hold.pool.empty()) dealer.give(hold.queue, hold.kept());
  }
  for (const auto& [deadline, leaf, id] : book.by_deadline(kind)) {
    const Claim* claim = id < dealing.before ? book.find(leaf, kind, id) : nullptr;
    if (claim != nullptr) dealer.give(leaf, std::min(claim->slots, dealer.room(leaf)));
  }
  while (dealer.free > 0) {
    const auto leaf = dealer.next(QueueTree::root());
    if (!leaf) break;
    dealer.give(*leaf, 1);
  }
  return std::move(dealer.dealt);
}

}  // namespace weir::check
