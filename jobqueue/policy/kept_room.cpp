#include "jobqueue/policy/kept_room.h"

#include <algorithm>
#include <utility>

#include "jobqueue/policy/container_reservations.h"

namespace weir {
namespace {

constexpr std::size_t kWaitsAtMost = 64;  // of all leaves; each is looked at for each launch

}  // namespace

KeptRoom::KeptRoom(const ClusterState& state, std::vector<Keeper> keepers,
                   const std::vector<std::size_t>& children_first, LeafOf leaf_of, Stands stands)
    : state_(state),
      keepers_(std::move(keepers)),
      leaf_of_(std::move(leaf_of)),
      stands_(std::move(stands)),
      now_(add_up(children_first, false)),
      empty_(add_up(children_first, true)) {
  for (const Reservation& kept : state.claims().reservations())
    wait(kept.job, kept.kind, kept.tracker);
  for (const ClusterState::AmountWait& of : state.amount_waits()) {
    const Job* job = state.find_job(of.job);
    const bool still = job != nullptr && job->schedulable() && is_wanted(state, *job, of.kind) &&
                       could_leave(leaf_of_(*job), job->need(of.kind)) && stands_(*job, of.kind);
    if (still) {
      wait(of.job, of.kind, {});
    } else {
      no_more_.push_back(of.job);
    }
  }
}

void KeptRoom::wait(JobId id, TaskKind kind, TrackerId tracker) {
  const Job& job = state_.job(id);
  const std::size_t leaf = leaf_of_(job);
  if (leaf != 0) waiting_.push_back({id, tracker, &job.need(kind), leaf, for_others(leaf)});
}

KeptRoom::Idle KeptRoom::add_up(const std::vector<std::size_t>& children_first, bool empty) const {
  Idle idle{std::vector<Amounts>(keepers_.size()), std::vector<Amounts>(keepers_.size())};
  for (const std::size_t place : children_first) {
    const Keeper& keeper = keepers_[place];
    for (const Dimension d : state_.space().dimensions()) {
      const std::int64_t run = empty ? 0 : keeper.running[d];
      idle.of[place][d] = std::max(idle.below[place][d], keeper.keep[d] - run);
      idle.below[keeper.above][d] += idle.of[place][d];
    }
  }
  return idle;
}

Amounts KeptRoom::beside(const Idle& idle, std::size_t leaf) const {
  Amounts kept;
  for (std::size_t at = leaf; at != 0; at = keepers_[at].above) {
    for (const Dimension d : state_.space().dimensions())
      kept[d] += idle.below[keepers_[at].above][d] - idle.of[at][d];
  }
  return kept;
}

bool KeptRoom::is_above(std::size_t above, std::size_t leaf) const {
  while (leaf != above && leaf != 0) leaf = keepers_[leaf].above;
  return leaf == above;
}

Amounts KeptRoom::beside(std::size_t leaf, std::size_t in, const Resources& more) const {
  Amounts kept = for_others(leaf);
  if (leaf == in) return kept;
  const auto& dimensions = state_.space().dimensions();
  Amounts below = now_.below[in], idle;
  for (std::size_t at = in;; at = keepers_[at].above) {
    for (const Dimension d : dimensions)
      idle[d] = std::max(below[d], keepers_[at].keep[d] - keepers_[at].running[d] - more[d]);
    const std::size_t above = keepers_[at].above;
    if (is_above(above, leaf)) {  // it is beside the leaf, or beside one above it
      for (const Dimension d : dimensions) kept[d] += idle[d] - now_.of[at][d];
      return kept;
    }
    below = now_.below[above];
    for (const Dimension d : dimensions) below[d] += idle[d] - now_.of[at][d];
  }
}

bool KeptRoom::leaves(std::size_t leaf, const Resources& need) const {
  const Amounts kept = for_others(leaf);
  const auto& dimensions = state_.space().dimensions();
  return std::all_of(dimensions.begin(), dimensions.end(), [&](Dimension d) {
    return need[d] == 0 || free(d) - need[d] >= kept[d];
  });
}

bool KeptRoom::could_leave(std::size_t leaf, const Resources& need) const {
  const Amounts kept = beside(empty_, leaf);
  const auto& dimensions = state_.space().dimensions();
  return std::all_of(dimensions.begin(), dimensions.end(), [&](Dimension d) {
    return need[d] == 0 || state_.total()[d] - need[d] >= kept[d];
  });
}

// As who waits is looked at, so that nobody begins who would not be one of them.
std::optional<Choice> KeptRoom::choice_to_wait(const Job& job, TaskKind kind,
                                               JobId gives_way) const {
  const std::size_t leaf = leaf_of_(job);
  std::size_t waits = 0;
  for (const Waiting& other : waiting_) {
    if (other.tracker.valid()) continue;
    if (other.leaf == leaf && other.job != gives_way) return std::nullopt;
    ++waits;
  }
  const bool may = waits < kWaitsAtMost && could_leave(leaf, job.need(kind)) &&
                   stands_(job, kind) && has_a_place(state_, job, kind);
  if (!may) return std::nullopt;
  return Choice{.task = {job.id, kind, 0}, .what = Choice::What::kWaitForAmount};
}

bool KeptRoom::may_begin(std::size_t leaf) const {
  std::size_t waits = 0;
  for (const Waiting& other : waiting_) {
    if (other.tracker.valid()) continue;
    if (other.leaf == leaf) return false;
    ++waits;
  }
  return waits < kWaitsAtMost;
}

bool KeptRoom::lets_who_waits(std::size_t leaf, JobId aside) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Waiting& own) {
    if (own.leaf != leaf) return false;
    const Job& job = state_.job(own.job);
    const auto kinds = job.items();
    return std::any_of(kinds.begin(), kinds.end(), [&](TaskKind kind) {
      const Resources& need = job.need(kind);
      return job.launchable(kind) > 0 &&
             (job.is_gang(kind) ||
              (leaves(leaf, need) && in_the_way(leaf, need, job.id, aside) == nullptr));
    });
  });
}

std::vector<JobId> KeptRoom::no_more() const {
  std::vector<JobId> jobs = no_more_;
  for (const ClusterState::AmountWait& wait : state_.amount_waits()) {
    const Job* job = state_.find_job(wait.job);
    if (job != nullptr && !has_a_place(state_, *job, wait.kind)) jobs.push_back(wait.job);
  }
  return jobs;
}

const KeptRoom::Waiting* KeptRoom::in_the_way(std::size_t leaf, const Resources& need, JobId job,
                                              JobId aside) const {
  const auto& dimensions = state_.space().dimensions();
  const auto any = [&](const auto& holds) {
    return std::any_of(dimensions.begin(), dimensions.end(), holds);
  };
  for (const Waiting& other : waiting_) {
    if (other.job == job && !other.tracker.valid()) break;
    if (other.job == job || other.job == aside) continue;
    const Resources& of = *other.need;
    const auto takes = [&](const Amounts& kept) {
      return any([&](Dimension d) {
        // What is used where it is kept for it is nothing that the other one could have had.
        const std::int64_t taken = need[d] - (other.kept[d] - kept[d]);
        return need[d] > 0 && of[d] > 0 && taken > 0 && free(d) - need[d] - of[d] < kept[d];
      });
    };
    // Between tasks that are alike the order of the policy decides.
    if (!any([&](Dimension d) { return need[d] > 0 && of[d] > need[d]; })) continue;
    if (takes(other.kept) && takes(beside(other.leaf, leaf, need))) return &other;
  }
  return nullptr;
}

}  // namespace weir
