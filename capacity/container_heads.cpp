#include "capacity/container_contest.h"
#include "capacity/container_heads.h"

#include <algorithm>

namespace weir {
namespace {

std::vector<std::size_t> family_sizes(const QueueTree& tree) {
  std::vector<std::size_t> sizes;
  for (const QueueTree::Node& node : tree.nodes()) sizes.push_back(node.children.size());
  return sizes;
}

}  // namespace

ContainerHeads::ContainerHeads(const ClusterState& state, ContainerStanding& standing)
    : state_(state),
      standing_(standing),
      users_(state, standing),
      waiters_(state, standing),
      views_(family_sizes(state.tree())),
      place_(state.tree().size(), 0),
      bounded_(state.tree().size(), false),
      bounded_within_(state.tree().size(), false),
      sizes_(state.tree().size(), 0),
      picky_(state.tree().size(), 0),
      size_of_(64, nullptr),
      claimed_(state.tree().size()),
      keys_(state.tree().size()),
      steps_(state.tree().size()),
      owed_(state.tree().size(), 0),
      reservers_(state.tree().size()),
      moving_at_(state.tree().size(), 0),
      answered_at_(state.tree().size(), 0) {
  const QueueTree& tree = state.tree();
  for (const Reservation& kept : state.claims().reservations())
    reservers_changed_.push_back(kept.queue);
  reservers_order_.resize(tree.node(QueueTree::root()).children.size());
  for (std::size_t q = 1; q < tree.size(); ++q) {
    const auto& family = tree.node(tree.parent(QueueId(q))).children;
    place_[q] = static_cast<std::uint32_t>(
        std::find(family.begin(), family.end(), QueueId(q)) - family.begin());
    bounded_[q] = standing.bounds().has_maximum(QueueId(q)) ||
                  bounded_[tree.parent(QueueId(q)).index()];
    bounded_within_[q] = bounded_[q];
  }
  for (std::size_t q = tree.size(); q-- > 1;) {
    const std::size_t above = tree.parent(QueueId(q)).index();
    bounded_within_[above] = bounded_within_[above] || bounded_within_[q];
  }
}

// --- The best head ---

std::optional<ContainerHeads::Head> ContainerHeads::best(const Reach& reach) {
  follow();
  if (standing_.bounds().any_keeps() || reach.ends_by) return walked(reach);
  const SizeMasks masks = masks_of(reach);
  note_offer(reach);
  if (masks == SizeMasks{} && !may_move_) return std::nullopt;
  return best_in(QueueTree::root(), masks, reach);
}

std::optional<ContainerHeads::Head> ContainerHeads::best_in(QueueId queue, const SizeMasks& masks,
                                                            const Reach& reach) {
  if (state_.tree().leaf(queue)) return head_of_leaf(queue, reach);
  const auto& children = state_.tree().node(queue).children;
  Contest contest{children, masks == SizeMasks{} ? nullptr : &view_of(queue, masks)};
  const Waiters waiters = waiters_.below(queue);
  if (!waiters.empty())
    contest.gives_way = [&](const Head& head) { return gives_way(queue, waiters, head); };
  while (contest.view != nullptr) {
    const Views::Rank* first = contest.view->first([&](std::uint32_t c) {
      return answer(children[c], narrowed(masks, children[c]));
    });
    if (first == nullptr || !contest.is_won_by(*first)) break;
    const std::uint32_t child = first->child();
    // Of a queue where a job would move its reservation here the view may be wrong.
    if (has_movers(children[child], reach)) {
      const Head kept = contest.view->head(child);
      const auto head = ask(children[child], kept, masks, reach);
      if (!head || head->job != kept.job || head->kind != kept.kind) {
        contest.view->hide(child);
        contest.enter(child, head);
        continue;
      }
    }
    contest.enter(contest.view->head(child), *first);
    if (contest.best && contest.rank.child() == child) break;
    contest.view->hide(child);  // it gives way
  }
  if (contest.view != nullptr) {
    for (const std::uint32_t child : contest.view->depending()) {
      const auto rank = at_best(children[child], narrowed(masks, children[child]));
      if (rank && contest.is_won_by(*rank))
        contest.enter(child, ask(children[child], std::nullopt, masks, reach));
    }
  }
  ask_movers(queue, masks, reach, contest);
  if (contest.view != nullptr) contest.view->show_all();
  return contest.best;
}

// What a queue gives on the tracker on offer; `kept` is what it would give on any such, if that is
// known.
std::optional<ContainerHeads::Head> ContainerHeads::ask(QueueId queue,
                                                        const std::optional<Head>& kept,
                                                        const SizeMasks& masks,
                                                        const Reach& reach) {
  answered_at_[queue.index()] = offers_;
  auto head = kept && state_.tree().leaf(queue)
                  ? with_movers(queue, *kept, reach)
                  : best_in(queue, narrowed(masks, queue), reach);
  if (head && !place(queue, *head)) head.reset();
  return head;
}

ContainerHeads::Views::View& ContainerHeads::view_of(QueueId queue, const SizeMasks& masks) {
  const auto& children = state_.tree().node(queue).children;
  return views_.at(queue.index(), masks, [&](std::uint32_t child) {
    return at_best(children[child], narrowed(masks, children[child]));
  });
}

// No task that matters could bring it further forward.
std::optional<ContainerHeads::Views::Rank> ContainerHeads::at_best(QueueId queue,
                                                                   const SizeMasks& masks) const {
  const std::uint64_t sizes = masks.starts | masks.reserves | masks.picky | masks.elsewhere;
  if (sizes == 0) return std::nullopt;
  const Steps& with = steps_[queue.index()];
  const std::uint32_t child = place_[queue.index()];
  const auto& deadline = claimed_[queue.index()];
  const bool may_claim = !state_.tree().leaf(queue) || (owed_[queue.index()] & masks.starts) != 0;
  if (deadline && may_claim) return Views::Rank{kClaim, {*deadline, 1}, child};
  const int step = (sizes & (with.guaranteed | kFurtherSizes)) != 0 ? kWithinGuarantee
                   : (sizes & with.allocated) != 0                  ? kWithinAllocation
                                                                    : kBeyond;
  return Views::Rank{step, keys_[queue.index()].of(step), child};
}

// What a queue would give on any tracker where these masks hold.
ContainerHeads::Views::Answer ContainerHeads::answer(QueueId queue, const SizeMasks& masks) {
  Views::Answer answer;
  if (masks == SizeMasks{}) return answer;
  if (state_.tree().leaf(queue)) {
    answer = answer_of_leaf(queue, masks);
  } else {
    const auto& children = state_.tree().node(queue).children;
    Views::View& view = view_of(queue, masks);
    const Views::Rank* first = view.first([&](std::uint32_t child) {
      return this->answer(children[child], narrowed(masks, children[child]));
    });
    answer.depends = !view.depending().empty();
    if (first != nullptr) {
      answer.head = view.head(first->child());
      answer.depends = answer.depends || gives_way(queue, waiters_.below(queue), *answer.head);
    }
  }
  if (!answer.depends && answer.head && !place(queue, *answer.head)) answer.head.reset();
  return answer;
}

// The child with the best head; ties in file order, which is the order of ids.
std::optional<ContainerHeads::Head> ContainerHeads::walked(const Reach& reach) const {
  return walked_in(QueueTree::root(), reach);
}

std::optional<ContainerHeads::Head> ContainerHeads::walked_in(QueueId queue,
                                                              const Reach& reach) const {
  std::optional<Head> best;
  if (state_.tree().leaf(queue)) {
    best = head_of_leaf(queue, reach);
  } else {
    const Waiters waiters = waiters_.below(queue);
    for (const QueueId child : state_.tree().node(queue).children) {
      const auto head = walked_in(child, reach);
      if (!head || gives_way(queue, waiters, *head)) continue;
      const bool better = !best || head->step < best->step ||
                          (head->step == best->step && head->key < best->key);
      if (better) best = head;
    }
  }
  if (!best || !place(queue, *best)) return std::nullopt;
  return best;
}

bool ContainerHeads::place(QueueId queue, Head& head) const {
  if (queue == QueueTree::root()) return true;
  const Space& space = state_.space();
  const Resources& need = head.size->need;
  const Amounts& run = state_.queue(queue).running;
  const bool may = head.reserves ? standing_.short_of_maximum(queue, need)
                                 : standing_.within_maximum(queue, head.job, need);
  if (!may) return false;
  // A claim lifts a family only while that is short itself.
  if (head.step == kClaim && is_short(space, run, need, standing_.guaranteed(queue))) return true;
  head.step = standing_.step_of(queue, need);
  head.key = standing_.key_of(queue, head.step);
  return true;
}

}  // namespace weir
