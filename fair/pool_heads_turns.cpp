// What a large task waits for that finds no room on the trackers that its pool's small ones use: a
// pool is short of its share only until one of them starts again, and may reserve nothing then
// (containers.md 6.1, 6.4). So the pool leaves that to it: while it has the next turn to reserve
// the pool gives no more until it has room for it within its share, and while it has a tracker
// reserved nothing that would end the reservation.
#include <algorithm>

#include "fair/pool_heads.h"

namespace weir {

const PoolHeads::JobLine* PoolHeads::has_turn(PoolId leaf) const {
  const ClusterState::ReserveTurn* turn = state_.reserve_turn();
  if (turn == nullptr) return nullptr;
  const JobLine* line = standing_.find(turn->job);
  if (line == nullptr || line->pool != leaf || !line->runnable) return nullptr;
  const Job& job = state_.job(turn->job);
  if (job.waits_for_gang(turn->kind) || job.launchable(turn->kind) == 0) return nullptr;
  const Resources& need = job.need(turn->kind);
  const ShareLine& pool = amounts_.pool(leaf);
  return amounts_.within_share(pool, pool.running, need) ? nullptr : line;
}

// Those of its jobs that have trackers reserved, whatever was followed.
std::vector<JobId> PoolHeads::reserving_in(PoolId leaf) const {
  std::vector<JobId> jobs;
  for (const Reservation& kept : state_.claims().reservations()) {
    const JobLine* line = standing_.find(kept.job);
    if (line != nullptr && line->pool == leaf) jobs.push_back(kept.job);
  }
  return jobs;
}

bool PoolHeads::is_held_back(PoolId leaf, const Head& head,
                             const std::vector<JobId>& reserving) const {
  if (!tree_.node(leaf).leaf()) return false;
  const auto is_behind = [&](const JobLine& line, TaskKind kind) {
    if (line.job == head.job) return false;
    Head other{.job = line.job, .kind = kind, .size = &state_.job(line.job).size(kind)};
    place(line, other);
    return Views::Rank{other.step, other.key} < Views::Rank{head.step, head.key};
  };
  if (const JobLine* line = has_turn(leaf)) {
    const TaskKind kind = state_.reserve_turn()->kind;
    const ShareLine& pool = amounts_.pool(leaf);
    const Amounts without = minus(state_.space(), pool.running, head.size->need);
    const Resources& need = state_.job(line->job).need(kind);
    if (amounts_.short_of_share(pool, without, need) && is_behind(*line, kind)) return true;
  }
  for (const JobId job : reserving) {
    const JobLine* line = standing_.find(job);
    const Reservation* kept = reservation_of(state_, job);
    if (line == nullptr || kept == nullptr || !is_behind(*line, kept->kind)) continue;
    const Resources& need = state_.job(job).need(kept->kind);
    if (head.reserves && !is_larger(state_.space(), need, head.size->need)) continue;
    const ShareLine& pool = amounts_.pool(leaf);
    const Amounts with = plus(state_.space(), pool.running, head.size->need);
    if (amounts_.short_of_share(pool, need) && !amounts_.short_of_share(pool, with, need))
      return true;
  }
  return false;
}

// They may start here, or reserve the tracker, themselves.
std::optional<PoolHeads::Head> PoolHeads::head_of_waiting(
    PoolId leaf, const std::vector<JobId>& reserving, const Reach& reach) const {
  std::optional<Head> best;
  const auto enter = [&](const JobLine* line) {
    auto head = line == nullptr ? std::nullopt : head_of_job(*line, reach);
    if (!head) return;
    place(*line, *head);
    if (!best || Views::Rank{head->step, head->key} < Views::Rank{best->step, best->key})
      best = head;
  };
  enter(has_turn(leaf));
  for (const JobId job : reserving) enter(standing_.find(job));
  return best;
}

// --- Whose turn it is ---

// Those that find no room here, and for which the head keeps their pool from being short.
std::uint64_t PoolHeads::passed_sizes(PoolId leaf, const Head& head, const Reach& reach) const {
  std::uint64_t sizes = 0;
  for (const auto& [size, wanted] : amounts_.sizes(leaf)) {
    if (size->gang || state_.fits_in(size->need, reach.tracker, reach.used)) continue;
    if (standing_.keeps_from_being_short(leaf, head.size->need, size->need))
      sizes |= mask_of(*size);
  }
  return sizes & ~kFurtherSizes;
}

// The job's first task of such a size, if it could reserve a tracker.
std::optional<PoolHeads::Head> PoolHeads::passed_of(const JobLine& line,
                                                    std::uint64_t sizes) const {
  if (!line.runnable || reservation_of(state_, line.job) != nullptr) return std::nullopt;
  const Job& job = state_.job(line.job);
  for (const TaskKind kind : job.items()) {
    if (job.launchable(kind) == 0) continue;
    const Size* size = job.tasks(kind).size;
    if ((mask_of(*size) & sizes) == 0) continue;
    if (!standing_.in_order(line.pool) && !amounts_.short_of_share(line, size->need)) continue;
    Head head{.job = job.id, .kind = kind, .size = size, .reserves = true};
    place(line, head);
    return head;
  }
  return std::nullopt;
}

std::optional<PoolHeads::Head> PoolHeads::first_passed(PoolId leaf, std::uint64_t sizes,
                                                       bool by_walking) {
  std::optional<Head> best;
  const auto enter = [&](const std::optional<Head>& head) {
    if (head && (!best || Views::Rank{head->step, head->key} < Views::Rank{best->step, best->key}))
      best = head;
  };
  if (by_walking) {
    amounts_.settle_jobs(leaf);
    for (const auto& [tie, line] : amounts_.jobs(leaf)) enter(passed_of(*line, sizes));
    return best;
  }
  const SizeMasks masks{.reserves = sizes, .picky = sizes};
  Views::View& view = view_of(leaf, masks);
  std::uint32_t child = 0;
  const Head* first = view.first(child, [&](std::uint32_t c) { return answer(leaf, c, masks); });
  if (first != nullptr) enter(*first);
  for (const std::uint32_t c : view.depending())
    enter(passed_of(*families_[leaf.index()].jobs[c], sizes));
  return best;
}

std::optional<Choice> PoolHeads::turn_of_passed(const Head& head, const Reach& reach,
                                                bool by_walking) {
  if (head.lacks_amount || head.waits || head.size->gang) return std::nullopt;
  const JobLine& line = *standing_.find(head.job);
  const std::uint64_t sizes = passed_sizes(line.pool, head, reach);
  const auto before = sizes == 0 ? std::nullopt : first_passed(line.pool, sizes, by_walking);
  Head behind = head;
  place(line, behind);
  if (before && Views::Rank{before->step, before->key} < Views::Rank{behind.step, behind.key}) {
    if (auto turn = turn_for(*before, reach)) return turn;
  }
  return turn_beside(head, reach, by_walking);
}

std::optional<Choice> PoolHeads::turn_for(const Head& passed, const Reach& reach) const {
  const Job& job = state_.job(passed.job);
  const bool has_turn = standing_.short_of_maximums(*standing_.find(job.id), passed.size->need) &&
                        reach.reserve->has_turn_elsewhere(job, passed.kind);
  return has_turn ? std::optional(turn_of(job.id, passed.kind)) : std::nullopt;
}

}  // namespace weir
