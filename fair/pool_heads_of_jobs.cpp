// Which task of a job comes first on a tracker: on a given one, or on any that is alike for all
// sizes.
#include <algorithm>

#include "fair/pool_heads.h"
#include "jobqueue/policy/gang_search.h"

namespace weir {

// Whether one tracker may take its tasks and another, that has the room too, may not.
bool PoolHeads::is_particular(const Job& job, TaskKind kind) const {
  return job.picky(kind) || job.has_failures || job.tasks(kind).fresh.empty() ||
         (kind == TaskKind::kMap && waits_.delay.on() && state_.has_locations(job.id));
}

Locality PoolHeads::allowed(const JobLine& line, TaskKind kind, const Reach& reach) const {
  if (kind != TaskKind::kMap || reach.for_hold || !waits_.delay.on()) return Locality::kAny;
  const Locality allowed = waits_.delay.allowed(line.job, false);
  return allowed == Locality::kAny || waits_.urgent(line.pool) ? Locality::kAny : allowed;
}

// --- On any tracker where the masks hold ---

// Its pools are short for what the masks say may be reserved.
PoolHeads::Views::Answer PoolHeads::answer_of_job(const JobLine& line,
                                                  const SizeMasks& masks) const {
  Views::Answer answer;
  const Job& job = state_.job(line.job);
  for (const TaskKind kind : job.items()) {
    if (job.launchable(kind) == 0) continue;
    const Size* size = job.tasks(kind).size;
    const std::uint64_t mask = mask_of(*size);
    const bool starts = (mask & masks.starts) != 0;
    const bool waits = (mask & masks.elsewhere) != 0;
    const bool reserves =
        (mask & (masks.reserves | (job.picky(kind) ? masks.picky : 0))) != 0;
    if ((!starts && !waits && !reserves) || !standing_.could_run(line, size->need)) continue;
    if (mask == kFurtherSizes || is_particular(job, kind) || standing_.has_maximum(job) ||
        (!starts && waits)) {
      answer.depends = true;
      return answer;
    }
    if (!starts && !standing_.in_order(line.pool) && !amounts_.short_of_share(line, size->need))
      continue;
    // A job has one reservation; whether it would move it is asked on the tracker.
    if (!starts && reservation_of(state_, job.id) != nullptr) continue;
    answer.head = Head{.job = job.id, .kind = kind, .size = size, .reserves = !starts};
    return answer;
  }
  return answer;
}

// --- On the tracker on offer ---

// Whether the tracker has room for any of the sizes that are wanted there, or could be reserved.
bool PoolHeads::could_give(PoolId leaf, const Reach& reach) const {
  const auto bounded = [&] {  // what waits for room below a maximum holds others up
    for (PoolId p = leaf; p != PoolTree::root(); p = tree_.node(p).parent) {
      if (standing_.has_maximum(p)) return true;
    }
    return false;
  };
  const KeptRoom* kept = reach.kept;
  const bool may_begin =
      kept != nullptr && reach.reserve != nullptr && kept->may_begin(leaf.index());
  for (const auto& [size, wanted] : amounts_.sizes(leaf)) {
    if (size->gang || (may_begin && !kept->leaves(leaf.index(), size->need))) return true;
    if (kept != nullptr && !kept->lets(leaf.index(), size->need, reach.aside)) continue;
    if (state_.fits_in(size->need, reach.tracker, reach.used)) return true;
    if (reach.reserve != nullptr &&
        reach.reserve->may({.size = size, .picky = wanted.picky > 0}))
      return true;
    if (state_.trackers_with_room(size->need) > 0 && bounded()) return true;
  }
  return kept != nullptr && kept->lets_who_waits(leaf.index(), reach.aside);
}

// Its groups in their order.
std::optional<PoolHeads::Head> PoolHeads::head_of_job(const JobLine& line,
                                                              const Reach& reach) const {
  if (!line.runnable) return std::nullopt;
  const Job& job = state_.job(line.job);
  for (const TaskKind kind : job.items()) {
    if (job.launchable(kind) == 0) continue;
    const Size* size = job.tasks(kind).size;
    if (!standing_.could_run(line, size->need)) continue;
    if (size->gang) {
      if (auto head = head_of_gang(line, reach)) return head;
      continue;
    }
    if (!leaves(reach.kept, line.pool.index(), size->need)) {
      if (reach.reserve == nullptr || !reach.kept->choice_to_wait(job, kind)) continue;
      return Head{.job = job.id,
                  .kind = kind,
                  .size = size,
                  .reserves = true,
                  .lacks_amount = true};
    }
    if (reach.kept != nullptr && reach.kept->in_the_way(line.pool.index(), size->need, job.id,
                                                        reach.aside) != nullptr)
      continue;
    if (state_.fits_in(size->need, reach.tracker, reach.used)) {
      const DurationMs limit = job.time_limit_ms(kind);
      if (reach.ends_by && (limit == 0 || state_.now() + limit > *reach.ends_by)) continue;
      if (!standing_.within_queues(job, size->need)) return std::nullopt;
      const Locality near = allowed(line, kind, reach);
      if (state_.pick_task(job.id, kind, reach.tracker.id, near))
        return Head{.job = job.id, .kind = kind, .size = size};
      if (near != Locality::kAny) passed_.push_back(job.id);
      continue;
    }
    if (!standing_.short_on_the_way(line, size->need) ||
        !standing_.short_of_maximums(line, size->need))
      continue;
    if (!standing_.within_pools(line, size->need) && finds_room(state_, job, kind))
      return Head{.job = job.id, .kind = kind, .size = size, .waits = true};
    if (reach.reserve == nullptr) continue;
    const ContainerItems::Bucket bucket{.size = size, .picky = job.picky(kind)};
    if (!reach.reserve->may(bucket)) continue;
    if (reach.reserve->task(job, kind))
      return Head{.job = job.id, .kind = kind, .size = size, .reserves = true};
  }
  return std::nullopt;
}

// Room that it holds already is not asked for again; it collects some only below its maximums.
std::optional<PoolHeads::Head> PoolHeads::head_of_gang(const JobLine& line,
                                                               const Reach& reach) const {
  const Job& job = state_.job(line.job);
  if (reach.ends_by || reach.for_hold) return std::nullopt;
  const auto choice = choice_of_gang(job, reach);
  if (!choice) return std::nullopt;
  const bool reserves = choice->what == Choice::What::kReserve ||
                        choice->what == Choice::What::kWaitForAmount;
  const Size& size = job.size(job.gang_kind());
  if (!reserves && !standing_.within_queues(job, size.need)) return std::nullopt;
  if (choice->what == Choice::What::kAssemble && !standing_.within_pools(line, size.need))
    return std::nullopt;
  return Head{.job = job.id,
              .kind = job.gang_kind(),
              .size = &size,
              .reserves = reserves,
              .lacks_amount = choice->what == Choice::What::kWaitForAmount};
}

std::optional<Choice> PoolHeads::choice_of_gang(const Job& job, const Reach& reach) const {
  const GangSearch gangs(state_, reach.tracker, reach.reserve, reach.kept,
                         [this](const Job& other) { return standing_.gang_within(other); });
  const Resources& sum = job.need(job.gang_kind());
  const JobLine& line = *standing_.find(job.id);
  return gangs.choice(job, standing_.short_on_the_way(line, sum) &&
                               standing_.short_of_maximums(line, sum));
}

}  // namespace weir
