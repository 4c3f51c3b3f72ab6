#include "jobqueue/policy/kept_room.h"

#include <algorithm>
#include <utility>

#include "jobqueue/policy/container_reservations.h"

namespace weir {
namespace {

constexpr std::size_t kWaitsAtMost = 64;  // of all leaves; each is looked at for each launch

}  // namespace

KeptRoom::KeptRoom(KeptAmounts amounts, const ClusterState& state, Stands stands,
                   ComesBefore comes_before)
    : state_(state),
      amounts_(std::move(amounts)),
      stands_(std::move(stands)),
      comes_before_(std::move(comes_before)) {
  for (const Reservation& kept : state.claims().reservations())
    wait(kept.job, kept.kind, kept.tracker);
  for (const ClusterState::AmountWait& of : state.amount_waits()) {
    const Job* job = state.find_job(of.job);
    const bool still = job != nullptr && job->schedulable() && is_wanted(state, *job, of.kind) &&
                       could_leave(leaf_of(*job), job->need(of.kind)) && stands_(*job, of.kind);
    if (still) {
      wait(of.job, of.kind, {});
    } else {
      no_more_.push_back(of.job);
    }
  }
}

void KeptRoom::wait(JobId id, TaskKind kind, TrackerId tracker) {
  const Job& job = state_.job(id);
  const std::size_t leaf = leaf_of(job);
  if (leaf != 0) waiting_.push_back({id, tracker, &job.need(kind), leaf, for_others(leaf)});
}

// As who waits is looked at, so that nobody begins who would not be one of them.
std::optional<Choice> KeptRoom::choice_to_wait(const Job& job, TaskKind kind,
                                               JobId gives_way) const {
  const std::size_t leaf = leaf_of(job);
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
        const std::int64_t left = amounts_.free(d) - need[d] - of[d];
        return need[d] > 0 && of[d] > 0 && taken > 0 && left < kept[d];
      });
    };
    // Between tasks that are alike the order of the policy decides.
    if (!any([&](Dimension d) { return need[d] > 0 && of[d] > need[d]; })) continue;
    if (job.valid() && comes_before_(state_.job(job), state_.job(other.job))) continue;
    if (takes(other.kept) && takes(amounts_.for_others(other.leaf, leaf, need))) return &other;
  }
  return nullptr;
}

}  // namespace weir
