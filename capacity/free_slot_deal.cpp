// Shares the free slots out as heartbeats would: held and reserved ones to whom they are kept for,
// then by claims, then in the order of queues. What a queue's own tasks have just freed counts as
// if those that will fill it again ran already. Made on copies of the order and the figures; asked
// only while somebody is short of his guarantee and too few slots are free for all who are.
#include <algorithm>
#include <utility>

#include "capacity/capacity_policy.h"

namespace weir {

struct CapacityPolicy::Deal {
  Deal(const CapacityPolicy& ruling, TaskKind of)
      : policy(ruling),
        state(ruling.state_),
        tree(state.tree()),
        c(ruling.classes_[index(of)]),
        kind(of),
        free(state.free_slots(of)),
        order(c.order) {
    lines.reserve(tree.size());
    for (std::size_t q = 0; q < tree.size(); ++q) lines.push_back(c.shares.line(QueueId(q)));
  }

  // What each leaf would get.
  std::map<QueueId, std::int64_t> shares() {
    count_freed();
    give_kept();
    give_claimed();
    give_in_order();
    return std::move(dealt);
  }

 private:
  void update(QueueId queue) {
    order.update(queue, lines[queue.index()], c.first_width[queue.index()],
                 state.queue(queue).last_launch[index(kind)]);
  }
  // The leaf runs so much more, and waits for so much less.
  void run(QueueId leaf, std::int64_t slots, std::int64_t of_pending) {
    for (QueueId q = leaf; q != QueueTree::root(); q = tree.parent(q)) {
      lines[q.index()].facts.running += slots;
      lines[q.index()].facts.pending -= of_pending;
      update(q);
    }
  }
  std::int64_t narrowest(QueueId leaf) const {
    return std::max<std::int64_t>(1, policy.leaf_of(leaf, kind).jobs.narrowest_width());
  }
  // Whole tasks of up to `slots`; false if not even one.
  bool give(QueueId leaf, std::int64_t slots) {
    const std::int64_t width = narrowest(leaf);
    slots = std::min({slots, free, lines[leaf.index()].facts.pending});
    if (width > 1) {
      auto& left = usable.try_emplace(leaf, state.free_slots_for(kind, width)).first->second;
      slots = std::min(slots, left) / width * width;
      left -= std::max<std::int64_t>(slots, 0);
    }
    if (slots <= 0) return false;
    free -= slots;
    dealt[leaf] += slots;
    run(leaf, slots, slots);
    return true;
  }

  void count_freed() {
    std::set<QueueId> seen;
    for (const QueueId leaf : c.had_freed) {
      const std::int64_t slots = policy.freed_in(leaf, kind);
      if (slots == 0 || !seen.insert(leaf).second) continue;
      free -= std::min(free, slots);
      run(leaf, slots, std::min(slots, lines[leaf.index()].facts.pending));
    }
  }

  void give_kept() {
    for (const Hold& hold : state.claims().holds()) {
      if (hold.kind != kind) continue;
      if (hold.queue.valid()) {
        give(hold.queue, hold.kept());
      } else {
        free -= std::min(free, hold.kept());  // for a pool: another policy rules
      }
    }
    for (const Reservation& kept : state.claims().reservations()) {
      if (kept.kind != kind) continue;
      const std::int64_t there =
          std::min({kept.slots, state.free_slots(state.tracker(kept.tracker), kind), free});
      free -= there;  // they wait for a task that needs more, and are its queue's
      const Job* job = state.find_job(kept.job);
      // A part of what it waits for starts nothing, and covers nothing that is owed.
      if (job == nullptr || there < kept.slots) continue;
      dealt[job->queue] += there;
      run(job->queue, there, 0);
    }
  }

  void give_claimed() {
    for (const auto& [deadline, leaf, id] : state.claims().by_deadline(kind)) {
      std::int64_t room = state.claims().find(leaf, kind, id)->slots;
      for (QueueId q = leaf; q != QueueTree::root(); q = tree.parent(q)) {
        room = std::min(room, lines[q.index()].kept() - lines[q.index()].facts.running);
      }
      give(leaf, room);
    }
  }

  QueueId next_leaf(QueueId queue) const {
    if (tree.leaf(queue)) return queue;
    QueueId found;
    order.offer(queue, [&](QueueId child, ServiceStep) {
      found = next_leaf(child);
      return found.valid();
    });
    return found;
  }

  void give_in_order() {
    while (free > 0) {
      const QueueId leaf = next_leaf(QueueTree::root());
      if (!leaf.valid()) return;
      const std::int64_t width = narrowest(leaf);
      if (give(leaf, std::max(width, c.first_width[leaf.index()])) || give(leaf, width)) continue;
      lines[leaf.index()].facts.pending = 0;  // nothing that is free is wide enough for it
      update(leaf);
    }
  }

  const CapacityPolicy& policy;
  const ClusterState& state;
  const QueueTree& tree;
  const SlotClass& c;
  TaskKind kind;
  std::int64_t free;
  ServiceOrder order;
  std::vector<QueueLine> lines;
  std::map<QueueId, std::int64_t> usable;  // of queues whose tasks are all wide
  std::map<QueueId, std::int64_t> dealt;
};

void CapacityPolicy::deal_free_slots(TaskKind kind) {
  settle(kind);
  SlotClass& c = classes_[index(kind)];
  const ClaimBook& book = state_.claims();
  const SlotClass::DealtFor now{c.version, state_.free_slots(kind), book.owed(kind),
                                book.freed().size(),
                                book.holds().size() + book.reservations().size()};
  if (c.dealt_for == now) return;
  c.dealt_for = now;
  ++rules_[kDealtFreeSlots];
  c.dealt = Deal(*this, kind).shares();
}

}  // namespace weir
