#include "capacity/capacity_policy.h"

#include <algorithm>

#include "capacity/capacity_arithmetic.h"
#include "jobqueue/model/prefetch.h"

namespace weir {

CapacitySettings capacity_settings(const Settings& settings) {
  const auto found = settings.policies.find("capacity");
  if (found == settings.policies.end()) return {};
  const auto* section = dynamic_cast<const CapacitySettings*>(found->second.get());
  return section == nullptr ? CapacitySettings{} : *section;
}

CapacityPolicy::SlotClass::SlotClass(const QueueTree& tree, TaskKind kind,
                                     CapacitySettings::RedistributeBy by)
    : shares(tree, kind, by),
      order(tree),
      leaves(tree.size()),
      is_marked(tree.size(), false),
      first_width(tree.size(), 1),
      in_review(tree.size(), false) {
  for (const QueueId leaf : tree.leaves()) {
    const QueueSettings& settings = tree.node(leaf).settings;
    leaves[leaf.index()].user_limit = settings.user_limit;
    leaves[leaf.index()].has_maximum = settings.maximum_hundredths.has_value();
  }
}

CapacityPolicy::CapacityPolicy(const ClusterState& state, PolicyMemory& memory)
    : state_(state),
      settings_(capacity_settings(state.settings())),
      delay_(state, memory, settings_.locality_delay),
      placeable_(state),
      classes_{SlotClass(state.tree(), TaskKind::kMap, settings_.redistribute_by),
               SlotClass(state.tree(), TaskKind::kReduce, settings_.redistribute_by)} {
  asked_.assign(state.tree().size(), 0);
  for (std::size_t q = 0; q < state.tree().size(); ++q) {
    if (state.tree().nodes()[q].settings.lend_after_ms == 0 || q == 0) continue;
    lenders_.push_back(QueueId(q));
    for (const TaskKind kind : kTaskKinds) on_lending_changed(QueueId(q), kind);
  }
  for (const QueueId leaf : state.tree().leaves()) {
    for (const auto& [user, held] : state.queue(leaf).users) {
      for (const TaskKind kind : kTaskKinds) read_user(leaf, user, kind);
    }
  }
  for (const auto& [id, job] : state.jobs()) {
    if (job->schedulable()) on_job_added(id);
  }
}

// --- What has changed ---

void CapacityPolicy::mark(QueueId leaf, TaskKind kind) const {
  SlotClass& c = classes_[index(kind)];
  if (c.is_marked[leaf.index()]) return;
  c.is_marked[leaf.index()] = true;
  c.marked.push_back(leaf);
}

std::int64_t CapacityPolicy::width(JobId job, TaskKind kind) const {
  return std::max<std::int64_t>(state_.job(job).width(kind), 1);
}

void CapacityPolicy::on_job_added(JobId id) {
  const Job& job = state_.job(id);
  if (find_entry(id) == nullptr) {
    jobs_[id] = {.leaf = job.queue,
                 .user = job.user,
                 .order = job_order(state_, job),
                 .avoided_by = avoided_trackers(job)};
  }
  for (const TaskKind kind : kTaskKinds) read_job(id, kind);
}

void CapacityPolicy::on_job_removed(JobId id) {
  JobEntry* entry = find_entry(id);
  if (entry == nullptr) return;
  drop_job(*entry, id);
  jobs_.erase(id);
}

void CapacityPolicy::on_job_changed(JobId id, QueueId old_queue) {
  const Job& job = state_.job(id);
  for (const TaskKind kind : kTaskKinds) {  // running tasks move along
    read_user(old_queue, job.user, kind);
    read_user(job.queue, job.user, kind);
  }
  JobEntry* entry = find_entry(id);
  if (entry == nullptr) return;
  drop_job(*entry, id);
  entry->leaf = job.queue;
  entry->order = job_order(state_, job);
  entry->avoided_by = avoided_trackers(job);
  for (auto& known : entry->placeable) known.reset();
  for (const TaskKind kind : kTaskKinds) read_job(id, kind);
}

void CapacityPolicy::on_pending_changed(JobId job, TaskKind kind) {
  read_job(job, kind);
}

void CapacityPolicy::on_launched(AttemptSlot slot) {
  const Attempt& attempt = state_.attempt(slot);
  read_user(attempt.queue, attempt.user, attempt.key.task.kind);
  read_job(attempt.key.task.job, attempt.key.task.kind);
}

void CapacityPolicy::on_released(AttemptSlot slot) {
  const Attempt& attempt = state_.attempt(slot);
  read_user(attempt.queue, attempt.user, attempt.key.task.kind);
  if (attempt.dying()) read_job(attempt.key.task.job, attempt.key.task.kind);  // wanted again
}

void CapacityPolicy::on_lending_changed(QueueId queue, Dimension dimension) {
  const TaskKind kind = dimension.kind();
  const bool at_once = state_.tree().node(queue).settings.lend_after_ms == 0;
  classes_[index(kind)].shares.set_lends(queue,
                                         at_once || state_.claims().lending(queue, kind).lends);
}

void CapacityPolicy::on_cluster_changed() {
  for (SlotClass& c : classes_) c.resized = true;
  const bool other_places = placeable_.refresh();
  jobs_.each([&](JobId id, JobEntry& entry) {
    if (!other_places && entry.avoided_by == 0) return;
    for (auto& known : entry.placeable) known.reset();
    for (const TaskKind kind : kTaskKinds) read_job(id, kind);
  });
}

void CapacityPolicy::prefetch(const Attempt& attempt, int step) const {
  const TaskKey& task = attempt.key.task;
  if (step == 0) {
    jobs_.prefetch(task.job);
    const SlotClass& c = classes_[index(task.kind)];
    prefetch_lines(c.leaves[attempt.queue.index()]);
    prefetch_lines(c.shares.line(attempt.queue));
    c.order.prefetch(attempt.queue);
  } else if (step == 1) {
    if (const JobEntry* entry = find_entry(task.job)) prefetch_lines(*entry);
    leaf_of(attempt.queue, task.kind).jobs.prefetch();
  }
}

// The user's running slots in the leaf, and with them the leaf's.
void CapacityPolicy::read_user(QueueId leaf, UserId user, TaskKind kind) {
  const auto& users = state_.queue(leaf).users;
  const auto found = users.find(user);
  const std::int64_t running = found == users.end() ? 0 : found->second.running[kind];
  leaf_of(leaf, kind).jobs.set_user_running(user, running);
  mark(leaf, kind);
}

// The number of tasks that the job could launch, if there is a tracker for them.
void CapacityPolicy::read_job(JobId id, TaskKind kind) {
  JobEntry* entry = find_entry(id);
  if (entry == nullptr) return;
  const Job& job = state_.job(id);
  std::uint32_t launchable = job.launchable(kind);
  if (launchable > 0 && !placeable(job, *entry, kind)) launchable = 0;
  set_dying(*entry, id, kind, job.schedulable() ? job.tasks(kind).dying : 0);
  std::uint32_t& counted = entry->counted[index(kind)];
  if (launchable == counted) return;
  leaf_of(entry->leaf, kind)
      .jobs.set_tasks(entry->order, entry->user, width(id, kind), counted, launchable);
  counted = launchable;
  mark(entry->leaf, kind);
}

void CapacityPolicy::set_dying(JobEntry& entry, JobId id, TaskKind kind, std::uint32_t tasks) {
  std::uint32_t& known = entry.dying[index(kind)];
  if (known == tasks) return;
  auto& dying = leaf_of(entry.leaf, kind).dying;
  if (tasks == 0) {
    dying.erase(entry.order);
  } else {
    dying[entry.order] = {.width = width(id, kind), .tasks = tasks};
  }
  known = tasks;
  mark(entry.leaf, kind);
}

void CapacityPolicy::drop_job(JobEntry& entry, JobId id) {
  for (const TaskKind kind : kTaskKinds) {
    std::uint32_t& counted = entry.counted[index(kind)];
    leaf_of(entry.leaf, kind).jobs.set_tasks(entry.order, entry.user, width(id, kind), counted, 0);
    counted = 0;
    set_dying(entry, id, kind, 0);
    mark(entry.leaf, kind);
  }
}

bool CapacityPolicy::placeable(const Job& job, JobEntry& entry, TaskKind kind) {
  auto& known = entry.placeable[index(kind)];
  if (!known) known = placeable_(job, kind);
  return *known;
}

// --- Settling ---

LeafNeed CapacityPolicy::need_of(QueueId leaf, TaskKind kind) const {
  const Leaf& here = leaf_of(leaf, kind);
  const QueueLine& line = classes_[index(kind)].shares.line(leaf);
  return {.jobs = here.jobs,
          .dying = here.dying,
          .user_limit = here.user_limit,
          .has_maximum = here.has_maximum,
          .guaranteed = line.guaranteed,
          .maximum = line.maximum,
          .running = state_.queue(leaf).running[kind]};
}

LeafFacts CapacityPolicy::leaf_facts(QueueId leaf, TaskKind kind) const {
  const LeafNeed need = need_of(leaf, kind);
  return {.running = need.running,
          .pending = need.pending(),
          .dying = need.dying_slots(),
          .waiting_jobs = need.jobs.jobs(),
          .wide_jobs = need.jobs.wide_jobs()};
}

void CapacityPolicy::settle_facts(TaskKind kind) const {
  SlotClass& c = classes_[index(kind)];
  if (c.resized) {
    c.resized = false;
    c.shares.resize(state_.total_slots(kind));
    for (const QueueId leaf : state_.tree().leaves()) mark(leaf, kind);
  }
  if (c.marked.empty()) return;
  for (const QueueId leaf : c.marked) {
    c.shares.set_leaf(leaf, leaf_facts(leaf, kind));
    c.is_marked[leaf.index()] = false;
    for (QueueId q = leaf; q.valid(); q = state_.tree().parent(q)) review_next(q, kind);
  }
  c.marked.clear();
}

void CapacityPolicy::settle(TaskKind kind) const {
  SlotClass& c = classes_[index(kind)];
  if (!c.resized && c.marked.empty() && c.shares.settled()) return;  // as at most heartbeats
  settle_facts(kind);
  c.shares.settle();
  c.shares.take_changed(c.changed);
  if (c.changed.empty()) return;
  settle_order(kind);
  ++c.version;
}

// What claims depend on may have changed.
void CapacityPolicy::review_next(QueueId queue, TaskKind kind) const {
  SlotClass& c = classes_[index(kind)];
  if (c.in_review[queue.index()]) return;
  c.in_review[queue.index()] = true;
  c.to_review.push_back(queue);
}

void CapacityPolicy::settle_order(TaskKind kind) const {
  SlotClass& c = classes_[index(kind)];
  const bool wide = c.shares.line(QueueTree::root()).facts.wide_jobs > 0;
  if (!wide && !c.was_wide) {  // every first task needs one slot
    for (const QueueId queue : c.changed) stand(queue, kind, 1);
    return;
  }
  c.was_wide = wide;
  std::set<QueueId> due(c.changed.begin(), c.changed.end());
  while (!due.empty()) {  // children, whose ids are higher, before what stands for one of them
    const QueueId queue = *due.rbegin();
    due.erase(queue);
    stand(queue, kind, first_width(queue, kind));
    if (queue == QueueTree::root()) continue;
    due.insert(state_.tree().parent(queue));
    if (!state_.tree().leaf(queue)) continue;
    const bool mixed = c.shares.line(queue).facts.wide_jobs > 0;
    const LeafJobs::Bucket* first = mixed ? first_bucket(queue, kind) : nullptr;
    if (first != nullptr && find_entry(first->first.id)->avoided_by > 0) {
      c.picky.insert(queue);
    } else {
      c.picky.erase(queue);
    }
  }
}

void CapacityPolicy::stand(QueueId queue, TaskKind kind, std::int64_t first_width) const {
  SlotClass& c = classes_[index(kind)];
  c.first_width[queue.index()] = first_width;
  c.order.update(queue, c.shares.line(queue), first_width,
                 state_.queue(queue).last_launch[index(kind)]);
}

// The leaf stands for another task, and the queues above it for what they would give then.
void CapacityPolicy::stand_again(QueueId leaf, TaskKind kind, std::int64_t width) const {
  stand(leaf, kind, width);
  const QueueTree& tree = state_.tree();
  for (QueueId q = tree.parent(leaf); q != QueueTree::root(); q = tree.parent(q)) {
    stand(q, kind, first_width(q, kind));
  }
}

const LeafJobs::Bucket* CapacityPolicy::first_bucket(QueueId leaf, TaskKind kind) const {
  const Leaf& here = leaf_of(leaf, kind);
  const std::int64_t widest = widest_ever(leaf, kind);
  const auto* first = here.jobs.first([&](const LeafJobs::Bucket& bucket) {
    return bucket.width <= widest && !over_user_limit(leaf, kind, bucket);
  });
  if (first != nullptr || here.user_limit.mode == UserLimit::Mode::kHard) return first;
  return here.jobs.first([&](const LeafJobs::Bucket& bucket) { return bucket.width <= widest; });
}

std::int64_t CapacityPolicy::widest_ever(QueueId leaf, TaskKind kind) const {
  std::int64_t widest = INT64_MAX;
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q))
    widest = std::min(widest, classes_[index(kind)].shares.line(q).maximum);
  return widest;
}

std::int64_t CapacityPolicy::first_width(QueueId queue, TaskKind kind) const {
  const SlotClass& c = classes_[index(kind)];
  if (c.shares.line(queue).facts.wide_jobs == 0) return 1;
  if (state_.tree().leaf(queue)) {
    const LeafJobs::Bucket* first = first_bucket(queue, kind);
    return first == nullptr ? 1 : first->width;
  }
  std::int64_t width = 1;
  c.order.offer(queue, [&](QueueId child, ServiceStep) {
    width = c.first_width[child.index()];
    return true;
  });
  return width;
}

Preemption CapacityPolicy::tick(TimeMs now) {
  Preemption plan;
  for (const TaskKind kind : kTaskKinds) {
    settle(kind);
    plan_kills(kind, now, plan);
  }
  return plan;
}

QueueFigures CapacityPolicy::figures(QueueId queue, Dimension dimension) const {
  const TaskKind kind = dimension.kind();
  settle(kind);
  const QueueLine& line = classes_[index(kind)].shares.line(queue);
  return {.guaranteed = line.guaranteed,
          .allocated = line.allocated,
          .running = line.facts.running,
          .pending = line.facts.pending,
          .demand = line.demand,
          .maximum = line.maximum,
          .user_limit = user_limit_shown(queue, kind),
          .priorities = priorities_count(state_, queue)};
}

QueueUse CapacityPolicy::use(QueueId queue, Dimension dimension) const {
  settle(dimension.kind());
  const QueueLine& line = classes_[index(dimension.kind())].shares.line(queue);
  return {line.guaranteed, line.allocated, line.facts.running};
}

// Nothing while nobody has a job there.
std::int64_t CapacityPolicy::user_limit_shown(QueueId queue, TaskKind kind) const {
  const bool used = state_.tree().leaf(queue) && leaf_of(queue, kind).jobs.active_users() > 0;
  return used ? user_limit(queue, kind, 1) : -1;
}

Policy::RuleCounts CapacityPolicy::rule_counts() const {
  static constexpr std::array<std::string_view, kRuleCount> kNames = {
      "turns_taken",  "hard_limit_held", "soft_limit_passed",
      "reserved",     "wide_passed",     "served_overdue_claim",
      "served_claim", "served_hold",     "dealt_free_slots"};
  RuleCounts counts;
  for (std::size_t i = 0; i < kRuleCount; ++i) counts.emplace_back(kNames[i], rules_[i]);
  return counts;
}

}  // namespace weir
