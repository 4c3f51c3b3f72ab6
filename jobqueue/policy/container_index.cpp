#include "jobqueue/policy/container_index.h"

#include <utility>

namespace weir {

ContainerIndex::ContainerIndex(const ClusterState& state, std::size_t leaves, Rules rules)
    : state_(state),
      rules_(std::move(rules)),
      placeable_(state),
      leaves_(leaves),
      pending_in_(rules_.by_queue ? state.tree().size() : 0),
      is_changed_(leaves, false) {
  for (const auto& [id, job] : state.jobs()) {
    if (job->schedulable()) add(id);
  }
}

void ContainerIndex::add(JobId id) {
  const Job& job = state_.job(id);
  if (jobs_.find(id) == nullptr) {
    Entry& entry = jobs_[id];
    entry.leaf = rules_.leaf_of(job);
    entry.queue = job.queue;
    entry.user = job.user;
    entry.order = rules_.order_of(job);
    for (const TaskKind kind : job.items())
      entry.kinds.push_back({{}, job.time_limit_ms(kind), job.picky(kind)});
  }
  for (const TaskKind kind : job.items()) read(id, kind);
}

void ContainerIndex::remove(JobId id) {
  Entry* entry = jobs_.find(id);
  if (entry == nullptr) return;
  for (const TaskKind kind : state_.job(id).items()) count(*entry, kind, nullptr, 0, 0);
  mark(entry->leaf);
  jobs_.erase(id);
}

void ContainerIndex::change(JobId id) {
  if (jobs_.find(id) == nullptr) return;
  remove(id);
  add(id);
}

void ContainerIndex::read(JobId id, TaskKind kind) {
  Entry* entry = jobs_.find(id);
  if (entry == nullptr) return;
  const Job& job = state_.job(id);
  const TaskGroup& group = job.tasks(kind);
  const std::uint32_t launchable = job.launchable(kind);
  const std::uint32_t dying = job.schedulable() ? group.dying : 0;
  const bool somewhere = launchable + dying > 0 && placeable_(job, kind) &&
                         rules_.could_run(job, job.need(kind));
  count(*entry, kind, group.size, somewhere ? launchable : 0, somewhere ? dying : 0);
}

void ContainerIndex::cluster_changed() {
  placeable_.refresh();
  for (const auto& [id, job] : state_.jobs()) {
    for (const TaskKind kind : job->items()) read(id, kind);
  }
}

bool ContainerIndex::wants(JobId job, TaskKind kind) const {
  const Entry* entry = jobs_.find(job);
  return entry != nullptr && entry->kinds[place_of(kind)].counted.launchable > 0;
}

void ContainerIndex::count(Entry& entry, TaskKind kind, const Size* size, std::uint32_t launchable,
                           std::uint32_t dying) {
  Entry::Kind& here = entry.kinds[place_of(kind)];
  Entry::Counted& before = here.counted;
  if (before.size == size && before.launchable == launchable && before.dying == dying) return;
  Leaf& leaf = leaves_[entry.leaf];
  const ItemOrder item{entry.order, kind};
  const auto set_tasks = [&](const Size* of, std::uint32_t from, std::uint32_t to) {
    leaf.items.set_tasks(item, {entry.user, of, here.time_limit_ms, here.picky}, from, to);
  };
  add_up(entry, before, -1);
  if (before.size != size && before.size != nullptr) {
    set_tasks(before.size, before.launchable, 0);
    before.launchable = 0;
  }
  if (size != nullptr) set_tasks(size, before.launchable, launchable);
  before = {size, launchable, dying};
  add_up(entry, before, 1);
  mark(entry.leaf);
}

void ContainerIndex::add_up(const Entry& entry, const Entry::Counted& counted, std::int64_t sign) {
  if (counted.size == nullptr) return;
  Leaf& leaf = leaves_[entry.leaf];
  for (const Dimension d : state_.space().dimensions()) {
    const std::int64_t one = counted.size->need[d];
    if (one == 0) continue;
    leaf.pending[d] += sign * one * counted.launchable;
    leaf.dying[d] += sign * one * counted.dying;
    if (!rules_.by_queue) continue;
    for (QueueId q = entry.queue; q.valid(); q = state_.tree().parent(q))
      pending_in_[q.index()][d] += sign * one * counted.launchable;
  }
}

void ContainerIndex::mark(std::size_t place) {
  if (is_changed_[place]) return;
  is_changed_[place] = true;
  changed_.push_back(place);
}

void ContainerIndex::take_changed(std::vector<std::size_t>& out) {
  out.swap(changed_);
  changed_.clear();
  for (const std::size_t place : out) is_changed_[place] = false;
}

}  // namespace weir
