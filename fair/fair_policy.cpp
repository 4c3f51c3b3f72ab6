// Following the state: which job is in which pool, and what it runs and wants.
#include "fair/fair_policy.h"

#include <algorithm>
#include <utility>

#include "fair/weights.h"
#include "jobqueue/model/prefetch.h"

namespace weir {
namespace {

std::shared_ptr<const FairSettings> read_fair_settings(const Settings& settings) {
  const auto found = settings.policies.find("fair");
  if (found != settings.policies.end()) {
    if (auto section = std::dynamic_pointer_cast<const FairSettings>(found->second)) return section;
  }
  return std::make_shared<FairSettings>();
}

bool any_running_limit(const std::vector<PoolSettings>& pools) {
  return std::any_of(pools.begin(), pools.end(), [](const PoolSettings& pool) {
    return pool.max_running_jobs || any_running_limit(pool.pools);
  });
}

template <class Made>
std::unique_ptr<Made> or_default(std::unique_ptr<Made> made,
                                 std::unique_ptr<Made> (*make)(const FairSettings&)) {
  return made != nullptr ? std::move(made) : make(FairSettings{});
}

}  // namespace

FairPolicy::FairPolicy(const ClusterState& state, PolicyMemory& memory)
    : state_(state),
      memory_(memory),
      settings_(read_fair_settings(state.settings())),
      adjuster_(make_weight_adjuster(*settings_)),
      load_manager_(or_default(make_load_manager(*settings_), &make_load_manager)),
      selector_(or_default(make_task_selector(*settings_), &make_task_selector)),
      delay_(state, memory, settings_->locality_delay),
      placeable_(state),
      tree_(*settings_),
      standings_{Standings(tree_, TaskKind::kMap,
                           settings_->algorithm == FairSettings::Algorithm::kDeficit),
                 Standings(tree_, TaskKind::kReduce,
                           settings_->algorithm == FairSettings::Algorithm::kDeficit)},
      by_deficit_(settings_->algorithm == FairSettings::Algorithm::kDeficit),
      places_(admission(), [this](JobId id) {
        const JobEntry* entry = find_entry(id);
        return entry == nullptr ? PoolId{} : entry->pool;
      }) {
  if (settings_->copy_compute_split) {
    copies_.emplace(tree_, TaskKind::kReduce, false, settings_->copy_factor);
  }
  limits_jobs_ = any_running_limit(settings_->pools) || settings_->undeclared.max_running_jobs ||
                 settings_->default_user_max_running_jobs ||
                 !settings_->user_max_running_jobs.empty();
  for (auto& pending : queue_pending_) pending.assign(state.tree().size(), 0);
  for (const TaskKind kind : kTaskKinds) {
    queue_shares_[index(kind)] = exact_shares(state.tree(), kind);
  }
  find_queue_maximums();
  for (const auto& [id, job] : state.jobs()) {
    const bool runs = std::any_of(std::begin(job->group), std::end(job->group),
                                  [](const TaskGroup& group) { return group.alive() > 0; });
    if (is_over(job->state) && !runs) continue;
    make_entry(*job).runnable = job->schedulable();
    sync(id);
  }
}

// --- Jobs and their pools ---

FairPolicy::JobEntry& FairPolicy::make_entry(const Job& job) {
  const bool fresh = find_entry(job.id) == nullptr;
  JobEntry& entry = jobs_[job.id];
  if (fresh) {
    entry.queue = job.queue;
    entry.pool = enter_pool(places_.take_last(job));
  }
  entry.listed = !is_over(job.state);
  return entry;
}

// Makes the entry stand where it belongs, or go.
void FairPolicy::sync(JobId id) {
  JobEntry& entry = *find_entry(id);
  const Job* job = state_.find_job(id);
  const bool runs = job != nullptr && (job->tasks(TaskKind::kMap).running > 0 ||
                                       job->tasks(TaskKind::kReduce).alive() > 0);
  const bool stands = job != nullptr && (entry.runnable || runs);
  if (stands) {
    if (!entry.joined) join(entry, *job);
    for (const TaskKind kind : kTaskKinds) read(entry, *job, kind);
    return;
  }
  leave(entry);
  if (entry.listed) return;
  places_.give_up(id);
  leave_pool(entry.pool);
  jobs_.erase(id);
}

void FairPolicy::join(JobEntry& entry, const Job& job) {
  entry.joined = true;
  for (auto& known : entry.placeable) known.reset();
  entry.tie = {job.submitted_at, job.spec->name, job.id};
  const bool limited = queue_limited_[job.queue.index()];
  for (const TaskKind kind : kTaskKinds) {
    JobStand& stand = entry.stand[index(kind)];
    stand = JobStand{.job = job.id,
                     .pool = entry.pool,
                     .priority = job.priority,
                     .width = std::max<std::int64_t>(job.width(kind), 1),
                     .limited = limited ? job.queue : QueueId{}};
    standings_[index(kind)].join(stand);
    entry.guarantee[index(kind)] = 0;
    if (by_deficit_) entry.in_line[index(kind)] = lines_[index(kind)].join();
  }
  if (copies_) join_copies(entry);
  label(entry);
}

// A number that sorts as (submit time, name, id); rarely all jobs get new ones.
void FairPolicy::label(JobEntry& entry) {
  const bool others = ties_.insert(entry.tie);
  for (JobStand& stand : entry.stand) stand.tie = ties_.at(entry.tie);
  if (entry.copies) entry.copies->tie = ties_.at(entry.tie);
  if (!others) return;
  for (Standings& standings : standings_) standings.clear_orders();
  if (copies_) copies_->clear_orders();
  for (DeficitOrder& line : lines_) line.clear_keys();
  ties_.each([&](const TieKey& key, std::uint64_t tie) {
    JobEntry& other = *find_entry(std::get<JobId>(key));
    for (const TaskKind kind : kTaskKinds) {
      other.stand[index(kind)].tie = tie;
      standings_[index(kind)].place(other.stand[index(kind)]);
      if (by_deficit_) line_up(other, kind);
    }
    if (!other.copies) return;
    other.copies->tie = tie;
    copies_->place(*other.copies);
  });
}

void FairPolicy::leave(JobEntry& entry) {
  if (!entry.joined) return;
  entry.joined = entry.unread[0] = entry.unread[1] = false;
  if (entry.copies) leave_copies(entry);
  for (const TaskKind kind : kTaskKinds) {
    standings_[index(kind)].leave(entry.stand[index(kind)]);
    if (by_deficit_) {
      lines_[index(kind)].leave(entry.in_line[index(kind)]);
      if (tree_.node(entry.pool).settings->min_share[index(kind)] > 0) {
        guarantees_stale_[index(kind)].insert(entry.pool);
      }
    }
    count_queue_pending(entry, kind, 0);
    forget_weight(entry, kind);
  }
  ties_.erase(entry.tie);
}

// A heartbeat may change a job many times before anybody asks; where what runs is counted at each
// change, it is read at once.
void FairPolicy::follow(JobEntry& entry, JobId job, TaskKind kind) {
  if (by_deficit_) return read(entry, state_.job(job), kind);
  if (std::exchange(entry.unread[index(kind)], true)) return;
  unread_.emplace_back(job, kind);
}

void FairPolicy::read(JobEntry& entry, const Job& job, TaskKind kind) const {
  entry.unread[index(kind)] = false;
  JobStand& stand = entry.stand[index(kind)];
  const TaskGroup& group = job.tasks(kind);
  JobFacts facts{.runnable = entry.runnable, .running = group.running * stand.width};
  if (splits(kind)) {
    if (entry.runnable) facts.pending = group.copied * stand.width;
    if (entry.runnable) set_weight(entry, job, kind, facts);
    if (!entry.runnable) forget_weight(entry, kind);
    read_copies(entry, job);
  } else if (entry.runnable) {
    if (const std::uint32_t launchable = job.launchable(kind); launchable > 0) {
      auto& placeable = entry.placeable[index(kind)];
      if (!placeable) placeable = placeable_(job, kind);
      if (*placeable) facts.pending = launchable * stand.width;
    }
    if (job.schedulable()) facts.dying = group.dying * stand.width;
    set_weight(entry, job, kind, facts);
  } else {
    forget_weight(entry, kind);
  }
  count_queue_pending(entry, kind, facts.pending);
  const bool changed = stand.facts != facts;
  standings_[index(kind)].set(stand, facts);
  if (!by_deficit_ || !changed) return;
  if (standings_[index(kind)].line(entry.pool).minimum > 0) {
    guarantees_stale_[index(kind)].insert(entry.pool);
  }
  line_up(entry, kind);
}

void FairPolicy::set_weight(JobEntry& entry, const Job& job, TaskKind kind, JobFacts& facts) const {
  facts.weight = job_weight(job.priority, settings_->size_based_weight, facts.demand());
  if (adjuster_ == nullptr) return;
  const AdjustedWeight adjusted = adjuster_->adjust(job, kind, facts.weight, state_.now());
  facts.weight = adjusted.weight;
  TimeMs& until = entry.weight_until[index(kind)];
  if (until == adjusted.until) return;
  weights_end_.erase({until, job.id, kind});
  until = adjusted.until;
  if (until != kNever) weights_end_.insert({until, job.id, kind});
}

void FairPolicy::forget_weight(JobEntry& entry, TaskKind kind) const {
  if (entry.weight_until[index(kind)] == kNever) return;
  weights_end_.erase({entry.weight_until[index(kind)], entry.stand[index(kind)].job, kind});
  entry.weight_until[index(kind)] = kNever;
}

// Where an adjuster's answer holds no longer.
void FairPolicy::refresh_weights() const {
  while (!weights_end_.empty() && std::get<TimeMs>(*weights_end_.begin()) <= state_.now()) {
    const auto [end, id, kind] = *weights_end_.begin();
    weights_end_.erase(weights_end_.begin());
    JobEntry& entry = *find_entry(id);
    JobFacts facts = entry.stand[index(kind)].facts;
    set_weight(entry, state_.job(id), kind, facts);
    standings_[index(kind)].set(entry.stand[index(kind)], facts);
    if (splits(kind)) set_copies(entry, state_.job(id), entry.copies->facts);
    if (by_deficit_) guarantees_stale_[index(kind)].insert(entry.pool);
  }
}

void FairPolicy::count_queue_pending(JobEntry& entry, TaskKind kind, std::int64_t slots) const {
  std::int64_t& counted = entry.queue_pending[index(kind)];
  if (counted == slots) return;
  for (QueueId q = entry.queue; q.valid(); q = state_.tree().parent(q)) {
    queue_pending_[index(kind)][q.index()] += slots - counted;
  }
  counted = slots;
}

void FairPolicy::find_queue_maximums() {
  const QueueTree& tree = state_.tree();
  queue_limited_.assign(tree.size(), false);
  for (std::size_t q = 1; q < tree.size(); ++q) {
    const QueueTree::Node& node = tree.nodes()[q];
    queue_limited_[q] =
        node.settings.maximum_hundredths.has_value() || queue_limited_[node.parent.index()];
  }
  for (const TaskKind kind : kTaskKinds) {
    const std::int64_t total = state_.total_slots(kind);
    queue_maximum_[index(kind)] = 
        maximum_slots(tree, total, guaranteed_slots(tree, queue_shares_[index(kind)], total));
  }
}

void FairPolicy::settle() const {
  for (const auto& [id, kind] : unread_) {
    JobEntry* entry = find_entry(id);
    if (entry != nullptr && entry->unread[index(kind)]) read(*entry, state_.job(id), kind);
  }
  unread_.clear();
  if (!weights_end_.empty()) refresh_weights();
  for (Standings& standings : standings_) {
    if (!standings.settled()) standings.settle();
  }
  if (copies_ && !copies_->settled()) copies_->settle();
}

// --- What has changed ---

// Without deficits nobody counts: what is owed stands still until somebody does again.
void FairPolicy::takes_over() {
  if (!by_deficit_) memory_.close_accounts();
}

void FairPolicy::on_job_listed(JobId id) {
  const Job* job = state_.find_job(id);
  if (job == nullptr || is_over(job->state)) {
    JobEntry* entry = find_entry(id);
    if (entry == nullptr) return;
    entry->listed = false;
    if (!entry->runnable) sync(id);
    if (find_entry(id) == nullptr) place_again(id);
    return;
  }
  if (find_entry(id) == nullptr) {
    make_entry(*job);
  } else {
    follow_move(id);
  }
}

// The job's queue, pool or priority may be another.
void FairPolicy::follow_move(JobId id) {
  JobEntry& entry = *find_entry(id);
  leave(entry);
  entry.queue = state_.job(id).queue;
  place_again(id);
  sync(id);
}

void FairPolicy::on_job_added(JobId id) {
  JobEntry& entry = make_entry(state_.job(id));
  entry.runnable = true;
  for (auto& known : entry.placeable) known.reset();  // not followed while it waited
  sync(id);
  if (by_deficit_) open_accounts(id);
}

void FairPolicy::on_job_removed(JobId id) {
  JobEntry* entry = find_entry(id);
  if (entry == nullptr) return;
  entry->runnable = false;
  if (by_deficit_) close_accounts(id);
  sync(id);
  if (find_entry(id) == nullptr) place_again(id);
}

void FairPolicy::on_job_changed(JobId id, QueueId) {
  if (find_entry(id) != nullptr) follow_move(id);
}

void FairPolicy::on_pending_changed(JobId id, TaskKind kind) {
  JobEntry* entry = find_entry(id);
  if (entry != nullptr && entry->runnable) follow(*entry, id, kind);
}

void FairPolicy::on_launched(AttemptSlot slot) {
  const TaskKey& task = state_.attempt(slot).key.task;
  JobEntry* entry = find_entry(task.job);
  if (entry == nullptr) return;
  if (!entry->joined) return sync(task.job);  // of a job that waits, taken on after a restart
  follow(*entry, task.job, task.kind);
  if (by_deficit_) count_running(task.job, task.kind);
}

void FairPolicy::on_released(AttemptSlot slot) {
  const TaskKey& task = state_.attempt(slot).key.task;
  JobEntry* entry = find_entry(task.job);
  if (entry == nullptr || !entry->joined) return;
  if (!entry->runnable) {
    sync(task.job);
    if (find_entry(task.job) == nullptr) place_again(task.job);
    return;
  }
  follow(*entry, task.job, task.kind);
  if (by_deficit_) count_running(task.job, task.kind);
}

void FairPolicy::prefetch(const Attempt& attempt, int step) const {
  const TaskKey& task = attempt.key.task;
  if (step == 0) return jobs_.prefetch(task.job);
  const JobEntry* entry = find_entry(task.job);
  if (entry == nullptr) return;
  const JobStand& stand = entry->stand[index(task.kind)];
  if (step == 1) {
    prefetch_lines(entry, kCacheLine);
    prefetch_lines(stand);
  } else if (entry->joined && step == 2) {
    prefetch_lines(stand.seat.bucket, kCacheLine);
    standings_[index(task.kind)].prefetch(stand.pool);
  } else if (entry->joined) {
    stand.seat.bucket->jobs.prefetch(stand.seat.place);
  }
}

void FairPolicy::on_cluster_changed() {
  find_queue_maximums();
  const bool other_places = placeable_.refresh();
  jobs_.each([&](JobId id, JobEntry& entry) {
    if (!entry.runnable) return;
    const Job& job = state_.job(id);
    if (!other_places && !job.has_failures) return;
    for (auto& known : entry.placeable) known.reset();
    for (const TaskKind kind : kTaskKinds) read(entry, job, kind);
  });
}

}  // namespace weir
