#include "fair/pool_wants.h"

#include <algorithm>

namespace weir {

Amounts PoolWants::running(PoolId pool) const {
  Amounts running = amounts_.pool(pool).running;
  const auto taken = of_pool_.find(pool);
  if (taken != of_pool_.end()) running += taken->second;
  return running;
}

std::optional<PoolWants::Want> PoolWants::first(PoolId pool) {
  const PoolTree::Node& node = tree_.node(pool);
  if (node.leaf()) return first_of_leaf(pool);
  std::optional<Want> best;
  PoolRank best_rank;
  for (const auto& [name, child] : node.children) {
    const auto want = first(child);
    if (!want) continue;
    const PoolRank rank = amounts_.rank(child, running(child), want->size->need);
    if (best && !(rank < best_rank)) continue;
    best = want;
    best_rank = rank;
  }
  return best;
}

std::vector<PoolWants::Entry>& PoolWants::leaf(PoolId pool) {
  const auto [at, fresh] = leaves_.try_emplace(pool);
  if (fresh) {
    for (const auto& [tie, job] : amounts_.jobs(pool)) enter(*job, at->second);
    std::make_heap(at->second.begin(), at->second.end());
  }
  return at->second;
}

// With the first of its groups that has something to start.
void PoolWants::enter(const JobLine& line, std::vector<Entry>& heap) const {
  if (!line.runnable) return;
  const Job& job = state_.job(line.job);
  const auto taken = of_job_.find(line.job);
  for (const TaskKind kind : job.items()) {
    std::uint32_t gone = 0;
    if (taken != of_job_.end()) {
      const auto tasks = taken->second.tasks.find(kind);
      if (tasks != taken->second.tasks.end()) gone = tasks->second;
    }
    if (job.launchable(kind) <= gone || passed_.contains({line.job, kind})) continue;
    if (!rules_.could_run(job, kind)) continue;
    Entry entry{.job = &line, .kind = kind};
    if (PoolAmounts::sharing(tree_.node(line.pool)) == PoolSettings::Sharing::kFifo) {
      entry.priority = line.priority;
    } else {
      Amounts running = line.running;
      if (taken != of_job_.end()) running += taken->second.amounts;
      entry.rank = amounts_.rank(line, running, job.need(kind));
    }
    heap.push_back(entry);
    return;
  }
}

// A task that waits for room below a maximum is passed by none behind it.
std::optional<PoolWants::Want> PoolWants::first_of_leaf(PoolId pool) {
  std::vector<Entry>& heap = leaf(pool);
  while (!heap.empty()) {
    const Entry& entry = heap.front();
    const Want want{entry.job, entry.kind, state_.job(entry.job->job).tasks(entry.kind).size};
    const Resources& need = want.size->need;
    if (!below_maximums(*want.job, need)) return std::nullopt;
    if (rules_.may(state_.job(want.job->job), need, of_queue_)) return want;
    pass(want);
  }
  return std::nullopt;
}

bool PoolWants::below_maximums(const JobLine& job, const Resources& need) const {
  for (PoolId p = job.pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    const auto& maximum = tree_.node(p).settings->maximum;
    if (std::none_of(maximum.begin(), maximum.end(), [](const auto& m) { return m.has_value(); }))
      continue;
    Amounts taken = running(p);
    taken += kept_for_others(p, job);
    for (const Dimension d : state_.space().dimensions()) {
      const auto& most = maximum[d.value()];
      if (most && need[d] > 0 && taken[d] + need[d] > *most) return false;
    }
  }
  return true;
}

// Reservations count at maximums: room that a kill makes beside one could not be used.
Amounts PoolWants::kept_for_others(PoolId pool, const JobLine& job) const {
  Amounts kept;
  for (const Reservation& other : state_.claims().reservations()) {
    const JobLine* line = rules_.line_of(other.job);
    if (other.job == job.job || line == nullptr || !tree_.contains(pool, line->pool)) continue;
    const Resources& need = state_.job(other.job).need(other.kind);
    for (const Dimension d : state_.space().dimensions()) kept[d] += need[d];
  }
  return kept;
}

void PoolWants::take(const Want& want) {
  Taken& taken = of_job_[want.job->job];
  ++taken.tasks[want.kind];
  for (const Dimension d : state_.space().dimensions()) {
    const std::int64_t one = want.size->need[d];
    taken.amounts[d] += one;
    for (PoolId p = want.job->pool; p.valid(); p = tree_.node(p).parent) of_pool_[p][d] += one;
    for (QueueId q = state_.job(want.job->job).queue; q.valid(); q = state_.tree().parent(q))
      of_queue_[q][d] += one;
  }
  next_of(*want.job);
}

void PoolWants::pass(const Want& want) {
  passed_.insert({want.job->job, want.kind});
  next_of(*want.job);
}

// The first of its leaf gives way to what the job has next.
void PoolWants::next_of(const JobLine& job) {
  std::vector<Entry>& heap = leaf(job.pool);
  std::pop_heap(heap.begin(), heap.end());
  heap.pop_back();
  const std::size_t before = heap.size();
  enter(job, heap);
  if (heap.size() > before) std::push_heap(heap.begin(), heap.end());
}

void PoolWants::show_passed() {
  if (passed_.empty()) return;
  passed_.clear();
  leaves_.clear();
}

}  // namespace weir
