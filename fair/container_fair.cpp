// Following the state: which job is in which pool, what it runs and wants; and what the pools say.
#include "fair/container_fair.h"

#include <algorithm>

#include "fair/pool_clocks.h"
#include "jobqueue/policy/container_reasons.h"

namespace weir {
namespace {

std::shared_ptr<const FairSettings> section_of(const Settings& settings) {
  const auto found = settings.policies.find("fair");
  if (found != settings.policies.end()) {
    if (auto section = std::dynamic_pointer_cast<const FairSettings>(found->second)) return section;
  }
  return std::make_shared<FairSettings>();
}

// What its jobs want besides what runs, as far as `most` lets them.
QueueFigures figures_of(std::int64_t running, std::int64_t wanted, std::int64_t most) {
  const std::int64_t pending = std::max<std::int64_t>(0, std::min(wanted, most) - running);
  return {.allocated = running,
          .running = running,
          .pending = pending,
          .demand = std::min(most, running + pending)};
}

}  // namespace

ContainerFair::ContainerFair(const ClusterState& state, PolicyMemory& memory)
    : state_(state),
      memory_(memory),
      settings_(section_of(state.settings())),
      tree_(*settings_),
      placeable_(state),
      bounds_(state.tree(), state.space(), state.total()),
      amounts_(state, tree_, *settings_),
      wanted_(state.tree().size()),
      places_(admission(), [this](JobId id) {
        const JobLine* line = find(id);
        return line == nullptr ? PoolId{} : line->pool;
      }),
      standing_(state, tree_, amounts_, bounds_, jobs_),
      delay_(state, memory, settings_->locality_delay),
      heads_(state, tree_, amounts_, standing_,
             {.delay = delay_, .urgent = [this](PoolId pool) { return starved(pool); }}) {
  for (const auto& [id, job] : state.jobs()) {
    if (is_over(job->state) && job->live_attempts == 0) continue;
    enter(*job).runnable = job->schedulable();
    read(id);
  }
}

// --- Jobs and their pools ---

ContainerFair::JobLine& ContainerFair::enter(const Job& job) {
  JobLine* line = find(job.id);
  return line != nullptr ? *line : enter(job, places_.take_last(job));
}

ContainerFair::JobLine& ContainerFair::enter(const Job& job, const std::string& path) {
  JobLine& line = jobs_[job.id];
  std::vector<PoolId> made;
  line.job = job.id;
  line.pool = tree_.enter(path, made);
  line.priority = job.priority;
  line.tie = {job.submitted_at, job_name(job.id)};
  line.name_order = order_as_text(job.id);
  amounts_.made_pools();
  if (!made.empty()) pools_changed();
  return line;
}

// This job wants another pool, perhaps, or has gone.
void ContainerFair::place_again(JobId first) {
  const auto moves = places_.again(first);
  std::vector<bool> runnable;
  for (const auto& [id, path] : moves) {
    JobLine& line = *find(id);
    runnable.push_back(line.runnable);
    leave(line);
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const auto& [id, path] = moves[i];
    enter(state_.job(id), path).runnable = runnable[i];
    regrouped_.push_back(id);
    read(id);
  }
}

void ContainerFair::read(JobId id) {
  JobLine* line = find(id);
  if (line == nullptr) return;
  const Job* job = state_.find_job(id);
  if (job != nullptr) {
    amounts_.read(*line, *job,
                  [&](const Job& of, TaskKind kind) { return could_run(*line, of, kind); });
    count_in_queue(*line, job->queue);
    heads_.read(*line);
    if (!is_over(job->state) || line->stands) return;
  }
  places_.give_up(id);
  leave(*line);
  place_again(id);
}

void ContainerFair::leave(JobLine& line) {
  amounts_.leave(line);
  count_in_queue(line, line.queue);
  heads_.read(line);
  std::vector<PoolTree::Gone> gone;
  tree_.leave(line.pool, gone);
  if (!gone.empty()) pools_changed();
  jobs_.erase(line.job);
}

// What its queues want, for their figures.
void ContainerFair::count_in_queue(JobLine& line, QueueId queue) {
  const auto add = [&](const Amounts& demand, std::int64_t sign) {
    for (QueueId q = line.queue; q.valid(); q = state_.tree().parent(q)) {
      for (const Dimension d : state_.space().dimensions())
        wanted_[q.index()][d] += sign * demand[d];
    }
  };
  if (line.queue == queue && amounts_.same(line.queued, line.demand)) return;
  add(line.queued, -1);
  line.queue = queue;
  line.queued = line.demand;
  add(line.queued, 1);
}

void ContainerFair::pools_changed() {
  amounts_.resize();
  heads_.pools_changed();
}

void ContainerFair::on_job_listed(JobId id) {
  const Job* job = state_.find_job(id);
  if (job != nullptr && !is_over(job->state)) {
    find(id) == nullptr ? void(enter(*job)) : place_again(id);
  }
  read(id);
}

void ContainerFair::on_job_added(JobId id) {
  enter(state_.job(id)).runnable = true;
  read(id);
}

void ContainerFair::on_job_removed(JobId id) {
  if (JobLine* line = find(id)) line->runnable = false;
  read(id);
}

void ContainerFair::on_job_changed(JobId id, QueueId) {
  if (JobLine* line = find(id)) {
    line->priority = state_.job(id).priority;
    amounts_.has_other_weights(line->pool);
  }
  on_job_listed(id);
}

void ContainerFair::on_pending_changed(JobId id, TaskKind) {
  read(id);
}

void ContainerFair::on_launched(AttemptSlot slot) {
  read(state_.attempt(slot).key.task.job);
}

void ContainerFair::on_cluster_changed() {
  bounds_.resize(state_.total());
  placeable_.refresh();
  amounts_.resize();
  std::vector<JobId> all;
  jobs_.each([&](JobId id, const JobLine&) { all.push_back(id); });
  for (const JobId id : all) read(id);
}

// --- Which pool a job may come into ---

std::string_view ContainerFair::pool_of(JobId id) const {
  if (const JobLine* line = find(id)) return tree_.node(line->pool).path;
  const Job* job = state_.find_job(id);
  answer_ = job == nullptr ? "" : places_.last_place(*job);
  return answer_;
}

Status ContainerFair::check_submission(const Caller& caller, const JobSpec& spec,
                                       QueueId leaf) const {
  return admission().check_submission(caller, spec, leaf);
}

std::optional<Result<Destination>> ContainerFair::check_move(const Caller& caller, const Job& job,
                                                             const std::string& name) const {
  return admission().check_move(caller, job, pool_of(job.id), name);
}

std::vector<std::string> ContainerFair::settings_findings(const Settings& settings) const {
  return admission().findings(settings, [this](JobId id) { return places_.displaced(id); });
}

void ContainerFair::running_groups(const Job& job, std::vector<RunningGroup>& groups) const {
  const JobLine* line = find(job.id);
  admission().running_groups(job, line == nullptr ? std::nullopt : std::optional(line->pool),
                             groups);
}

void ContainerFair::take_regrouped(std::vector<JobId>& jobs) {
  jobs.insert(jobs.end(), regrouped_.begin(), regrouped_.end());
  regrouped_.clear();
}

// --- What it says ---

std::vector<PoolFigures> ContainerFair::pool_figures(TimeMs now) const {
  amounts_.settle_all();
  std::vector<std::uint32_t> running(tree_.size(), 0), waiting(tree_.size(), 0);
  jobs_.each([&](JobId id, const JobLine& line) {
    if (line.runnable) {
      ++running[line.pool.index()];
    } else if (const Job* job = state_.find_job(id); job != nullptr && !is_over(job->state)) {
      ++waiting[line.pool.index()];
    }
  });
  std::vector<PoolFigures> all;
  for (std::size_t p = 1; p < tree_.size(); ++p) {
    const PoolTree::Node& node = tree_.node(PoolId(p));
    if (!node.exists) continue;
    PoolFigures pool{.pool = node.path,
                     .parent = tree_.node(node.parent).path,
                     .declared = node.declared,
                     .mode = weir::name(PoolAmounts::sharing(node)),
                     .weight_millionths = node.settings->weight,
                     .jobs_running = running[p],
                     .jobs_waiting = waiting[p]};
    if (const auto stamps = memory_.pools.find(node.path); stamps != memory_.pools.end()) {
      pool.below_min_share_ms[0] = passed(now, stamps->second.at_min_share[0]);
      pool.below_half_share_ms[0] = passed(now, stamps->second.at_half_share[0]);
    }
    const auto queue = state_.tree().find_path(node.path);
    const bool is_queue = queue && have_the_same_jobs(PoolId(p), *queue);
    for (const Dimension d : state_.space().dimensions()) {
      const auto& maximum = node.settings->maximum[d.value()];
      std::int64_t most = maximum.value_or(state_.total()[d]);
      if (is_queue) most = std::min(most, bounds_.maximum(*queue)[d]);
      const ShareLine& line = amounts_.pool(PoolId(p));
      QueueFigures& of =
          pool.of_dimension.emplace_back(figures_of(line.running[d], line.demand[d], most));
      of.maximum = maximum.value_or(-1);
      add_share(PoolId(p), d, of);
    }
    all.push_back(std::move(pool));
  }
  std::sort(all.begin(), all.end(),
            [](const PoolFigures& a, const PoolFigures& b) { return a.pool < b.pool; });
  return all;
}

JobFigures ContainerFair::job_figures(JobId job, TaskKind) const {
  amounts_.settle_all();
  JobFigures figures;
  if (const JobLine* line = find(job)) {
    figures.of_dimension = line->share;
    figures.weight_millionths = line->weight / 1000;
  }
  if (delay_.on() && state_.has_locations(job))
    figures.locality = {.allowed = delay_.allowed(job, false), .left_ms = delay_.left(job)};
  return figures;
}

QueueFigures ContainerFair::figures(QueueId queue, Dimension d) const {
  const std::int64_t maximum = bounds_.maximum(queue)[d];
  std::int64_t most = maximum;
  const PoolId pool = tree_.find(state_.tree().node(queue).path);
  const bool is_pool = pool.valid() && tree_.node(pool).exists;
  if (is_pool) {
    amounts_.settle();
    if (have_the_same_jobs(pool, queue))
      most = std::min(most, tree_.node(pool).settings->maximum[d.value()].value_or(most));
  }
  QueueFigures figures =
      figures_of(state_.queue(queue).running[d], wanted_[queue.index()][d], most);
  figures.maximum = maximum;
  if (is_pool) add_share(pool, d, figures);
  return figures;
}

// A queue and the pool of its name: then both their maximums bound what pends.
bool ContainerFair::have_the_same_jobs(PoolId pool, QueueId queue) const {
  return amounts_.same(amounts_.pool(pool).demand, wanted_[queue.index()]);
}

// What the pool is due.
void ContainerFair::add_share(PoolId pool, Dimension d, QueueFigures& figures) const {
  const ShareLine& line = amounts_.pool(pool);
  const PoolSettings& settings = *tree_.node(pool).settings;
  figures.share = d.place() < line.share.size() ? line.share[d.place()] : 0;
  figures.min_share = settings.minimum[d.value()].value_or(0);
  figures.kept = kept_of(settings, d);
}

// Whether some tracker could run its tasks, and all maximums on the way let one.
bool ContainerFair::could_run(const JobLine& line, const Job& job, TaskKind kind) const {
  return placeable_(job, kind) && standing_.could_run(line, job.need(kind));
}

std::optional<Reason> ContainerFair::reason_of_width(const JobLine& line,
                                                     const Resources& need) const {
  const PoolId pool = standing_.too_small(line, need);
  if (!pool.valid())
    return weir::reason_of_width(state_, bounds_, state_.job(line.job).queue, need);
  Amounts most;
  for (const Dimension d : state_.space().dimensions())
    most[d] = tree_.node(pool).settings->maximum[d.value()].value_or(need[d]);
  return weir::reason_of_width(state_.space(), need, "pool " + tree_.node(pool).path, most);
}

std::vector<Reason> ContainerFair::explain(JobId id, TaskKind kind, TimeMs now) const {
  amounts_.settle_all();
  const JobLine* line = find(id);
  if (line == nullptr) return {};
  const Job& job = state_.job(id);
  const Resources& need = job.need(kind);
  if (auto wider = reason_of_width(*line, need)) return {std::move(*wider)};
  std::vector<Reason> reasons;
  for (PoolId p = line->pool; p != PoolTree::root(); p = tree_.node(p).parent) {
    for (const Dimension d : state_.space().dimensions()) {
      const auto& most = tree_.node(p).settings->maximum[d.value()];
      const std::int64_t runs = amounts_.pool(p).running[d];
      if (!most || need[d] == 0 || runs + need[d] <= *most) continue;
      reasons.push_back({"pool_at_maximum",
                         "pool " + tree_.node(p).path + " runs " + std::to_string(runs) +
                             " of its max_share of " + std::to_string(*most) + " " +
                             std::string(state_.space().name(d)),
                         {{"running", runs}, {"maximum", *most}}});
    }
  }
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (auto full = reason_of_maximum(state_, bounds_, q, id, need))
      reasons.push_back(std::move(*full));
  }
  if (const auto room = kept_room()) {
    if (auto kept = reason_of_kept(state_, job, need, *room,
                                   "pools that do not lend their minimum shares"))
      reasons.push_back(std::move(*kept));
  }
  if (auto waits = reason_of_wait(delay_, id, kind)) reasons.push_back(std::move(*waits));
  const std::vector<Reason> room = reasons_of_room(state_, job, kind, now);
  reasons.insert(reasons.end(), room.begin(), room.end());
  explain_short(line->pool, now, reasons);
  reasons.push_back(reason_of_share(line->pool, need));
  return reasons;
}

}  // namespace weir
