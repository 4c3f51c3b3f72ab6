#include "jobqueue/store/memory_store.h"

#include <algorithm>
#include <set>
#include <variant>

namespace weir {

std::optional<Error> MemoryStore::injected_failure() {
  if (failures_left_ == 0) return std::nullopt;
  --failures_left_;
  return Error{ErrorCode::kStoreFailed, failure_message_, "", {}};
}

MemoryStore::Job* MemoryStore::find(JobId job) {
  auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second;
}

MemoryStore::Job* MemoryStore::find_unfinished(JobId job) {
  Job* found = find(job);
  return found && !is_over(found->record.state) ? found : nullptr;
}

Result<Snapshot> MemoryStore::load() {
  if (auto error = injected_failure()) return *error;
  ++base_.epoch;
  Snapshot snapshot = base_;
  if (auto hash = meta_.find(kSettingsFileHashKey); hash != meta_.end()) {
    snapshot.settings_file_hash = hash->second;
  }
  for (const auto& [path, stopped] : queues_) {
    if (stopped) snapshot.stopped_queues.push_back(path);
  }
  for (const auto& [id, claim] : claims_) snapshot.claims.push_back(claim);
  for (const auto& [name, total] : trackers_) snapshot.trackers.push_back({name, total});
  for (const auto& [name, order] : tracker_orders_) snapshot.tracker_orders.push_back(order);
  for (const auto& [fault, incarnation] : tracker_faults_)
    snapshot.tracker_faults.push_back({std::get<0>(fault), incarnation, std::get<1>(fault)});
  std::vector<std::pair<TimeMs, JobId>> over;
  for (const auto& [id, job] : jobs_) {
    if (is_over(job.record.state) && !job.record.cleanup)
      over.emplace_back(job.record.finished_at, id);
  }
  std::sort(over.rbegin(), over.rend());
  if (over.size() > finished_jobs_limit_) over.resize(finished_jobs_limit_);
  std::set<JobId> shown;
  for (const auto& [at, id] : over) shown.insert(id);
  for (const auto& [id, job] : jobs_) {
    if (is_over(job.record.state) && !job.record.cleanup && !shown.contains(id)) continue;
    JobSnapshot record = job.record;
    for (const auto& [task, done] : job.done) record.done.push_back(done);
    for (const auto& [task, count] : job.failures) {
      record.failures.push_back({task.first, task.second, count});
    }
    for (const auto& [task, commit] : job.commits) record.commits.push_back(commit);
    if (is_over(record.state)) record.record = record_of(id);
    snapshot.jobs.push_back(std::move(record));
  }
  return snapshot;
}

Status MemoryStore::append(std::span<const Event> events) {
  if (auto error = injected_failure()) return *error;
  for (const Event& event : events) {
    WEIR_CHECK(event.seq > 0, "only durable events are appended");
    base_.last_seq = std::max(base_.last_seq, event.seq);
    base_.last_time = std::max(base_.last_time, event.at);
    visit_written([&](const auto& fact) { apply(fact, event.at); }, event.fact);
  }
  return Ok{};
}

Status MemoryStore::touch_time(TimeMs at) {
  if (auto error = injected_failure()) return *error;
  base_.last_time = std::max(base_.last_time, at);
  return Ok{};
}

Status MemoryStore::set_meta(std::string_view key, std::string_view value) {
  if (is_reserved_meta_key(key)) {
    return Error{
        ErrorCode::kInternal, "store: the key " + std::string(key) + " is the store's own", "", {}};
  }
  if (auto error = injected_failure()) return *error;
  meta_.insert_or_assign(std::string(key), std::string(value));
  return Ok{};
}

Result<std::optional<std::string>> MemoryStore::get_meta(std::string_view key) {
  auto found = meta_.find(key);
  if (found == meta_.end()) return std::optional<std::string>();
  return std::optional<std::string>(found->second);
}

void MemoryStore::apply(const JobSubmitted& fact, TimeMs at) {
  WEIR_CHECK(fact.spec != nullptr, "a submitted job has a spec");
  Job job;
  job.record.job = fact.job;
  job.record.spec = fact.spec;
  job.record.queue = fact.queue;
  job.record.priority = fact.spec->priority;
  job.record.submitted_at = at;
  job.record.state = JobState::kWaiting;
  const bool fresh = jobs_.emplace(fact.job, std::move(job)).second;
  WEIR_CHECK(fresh, "a job id never repeats");
  base_.next_job = std::max(base_.next_job, fact.job.value + 1);
}

void MemoryStore::apply(const JobKillRequested& fact, TimeMs) {
  if (Job* job = find(fact.job)) job->record.kill_requested = true;
}

void MemoryStore::apply(const PriorityChanged& fact, TimeMs) {
  if (Job* job = find(fact.job)) job->record.priority = fact.priority;
}

void MemoryStore::apply(const JobMoved& fact, TimeMs) {
  Job* job = find(fact.job);
  if (job == nullptr) return;
  job->record.queue = fact.queue;
  job->record.pool = fact.pool;
}

void MemoryStore::apply(const JobReleased& fact, TimeMs) {
  if (Job* job = find(fact.job)) job->record.released = true;
}

void MemoryStore::apply(const JobDeadlineSet& fact, TimeMs) {
  if (Job* job = find(fact.job)) job->record.deadline = fact.deadline;
}

void MemoryStore::apply(const QueueStateChanged& fact, TimeMs) {
  queues_[fact.queue] = fact.stopped;
}

void MemoryStore::apply(const SettingsChanged& fact, TimeMs at) {
  WEIR_CHECK(fact.settings != nullptr, "changed settings are there");
  base_.settings_text = fact.settings->text;
  base_.settings_source = fact.settings->source;
  if (!fact.settings->file_hash.empty()) {
    meta_.insert_or_assign(std::string(kSettingsFileHashKey), fact.settings->file_hash);
  }
  for (const auto& [from, to] : fact.moves) {
    for (auto& [id, job] : jobs_) {
      if (!is_over(job.record.state) && job.record.queue == from) job.record.queue = to;
    }
  }
  records_->put({0, at, fact.by, fact.settings->policy, fact.settings->source},
                fact.settings->text);
}

void MemoryStore::apply(const PolicyChanged& fact, TimeMs at) {
  base_.policy = fact.policy;
  base_.policy_since = at;
  base_.claims_policy = fact.claims_of;
  if (!fact.by.empty()) records_->put({0, at, fact.by, fact.policy, ""}, std::nullopt);
}

void MemoryStore::apply(const ClaimOpened& fact, TimeMs) {
  claims_[fact.claim] = {fact.claim, fact.queue, fact.kind, fact.slots, fact.born};
  base_.next_claim = std::max(base_.next_claim, fact.claim + 1);
}

void MemoryStore::apply(const ClaimMet& fact, TimeMs) {
  left_of_claim(fact.claim, fact.left);
}

void MemoryStore::apply(const ClaimDropped& fact, TimeMs) {
  left_of_claim(fact.claim, fact.left);
}

void MemoryStore::left_of_claim(std::uint64_t claim, std::int64_t slots) {
  const auto found = claims_.find(claim);
  if (found == claims_.end()) return;
  found->second.slots = slots;
  if (slots == 0) claims_.erase(found);
}

void MemoryStore::apply(const TrackerTotal& fact, TimeMs) {
  trackers_[fact.tracker] = fact.total;
  if (fact.total == Resources{}) trackers_.erase(fact.tracker);
}

void MemoryStore::apply(const TrackersOrdered& fact, TimeMs at) {
  for (const TrackersOrdered::Tracker& tracker : fact.trackers) {
    if (fact.order == TrackerOrder::kNone) {
      tracker_orders_.erase(tracker.name);
      apply(TrackerForgiven{tracker.name}, at);
    } else {
      tracker_orders_[tracker.name] = {tracker.name, fact.order, tracker.incarnation,
                                       at,           fact.by,    fact.reason};
    }
  }
}

void MemoryStore::apply(const TrackerStopEnded& fact, TimeMs) {
  const auto ordered = tracker_orders_.find(fact.tracker);
  if (ordered == tracker_orders_.end() || ordered->second.order < TrackerOrder::kStop) return;
  tracker_orders_.erase(ordered);
}

void MemoryStore::apply(const TrackerFault& fact, TimeMs at) {
  std::erase_if(tracker_faults_, [&](const auto& each) {
    return std::get<0>(each.first) == fact.tracker &&
           std::get<1>(each.first) < fact.forgotten_before;
  });
  tracker_faults_[{fact.tracker, at, fact.job}] = fact.incarnation;
}

void MemoryStore::apply(const TrackerForgiven& fact, TimeMs) {
  std::erase_if(tracker_faults_,
                [&](const auto& each) { return std::get<0>(each.first) == fact.tracker; });
}

void MemoryStore::apply(const TaskSucceeded& fact, TimeMs at) {
  Job* job = find_unfinished(fact.attempt.task.job);
  if (!job) return;
  const Task task{fact.attempt.task.kind, fact.attempt.task.index};
  job->done[task] = {task.first,   task.second,      fact.attempt.attempt,
                     fact.tracker, fact.incarnation, fact.counters, fact.launched_at};
  job->commits.erase(task);
  const std::lock_guard lock(records_->mutex);
  records_->jobs[fact.attempt.task.job].done[task] = {
      fact.attempt, fact.tracker, fact.launched_at, at, false, ""};
}

void MemoryStore::apply(const TaskReopened& fact, TimeMs) {
  Job* job = find_unfinished(fact.task.job);
  if (!job) return;
  job->done.erase({fact.task.kind, fact.task.index});
  const std::lock_guard lock(records_->mutex);
  records_->jobs[fact.task.job].done.erase({fact.task.kind, fact.task.index});
}

void MemoryStore::apply(const AttemptFailed& fact, TimeMs at) {
  Job* job = find_unfinished(fact.attempt.task.job);
  if (!job) return;
  const Task task{fact.attempt.task.kind, fact.attempt.task.index};
  ++job->failures[task];
  {
    const std::lock_guard lock(records_->mutex);
    auto& failed = records_->jobs[fact.attempt.task.job].failed;
    failed.push_back({fact.attempt, fact.tracker, 0, at, true, fact.diagnostics});
    if (failed.size() > kFailedAttemptsKept) failed.erase(failed.begin());
  }
  auto commit = job->commits.find(task);
  if (commit != job->commits.end() && commit->second.attempt == fact.attempt) {
    job->commits.erase(commit);
  }
}

void MemoryStore::apply(const CommitGranted& fact, TimeMs) {
  if (Job* job = find_unfinished(fact.attempt.task.job)) {
    job->commits[{fact.attempt.task.kind, fact.attempt.task.index}] = {fact.attempt, fact.tracker};
  }
}

void MemoryStore::apply(const JobStateChanged& fact, TimeMs at) {
  Job* job = find(fact.job);
  if (!job) return;
  job->record.state = fact.state;
  job->record.diagnostics = fact.diagnostics;
  if (!is_over(fact.state)) return;
  job->record.spec = brief(*job->record.spec);
  job->record.finished_at = at;
  job->record.cleanup = fact.cleanup;
  job->done.clear();
  job->failures.clear();
  job->commits.clear();
  if (fact.record != nullptr) records_->put(*fact.record);
  const std::lock_guard lock(records_->mutex);
  auto& done = records_->jobs[fact.job].done;
  while (done.size() > kDoneTasksKept) done.erase(std::prev(done.end()));
}

void MemoryStore::apply(const JobCleanedUp& fact, TimeMs) {
  Job* job = find(fact.job);
  if (!job) return;
  job->record.cleanup = false;
  if (fact.record != nullptr) records_->put(*fact.record);
}

// --- History ---

void MemoryStore::Records::put(const JobRecord& record) {
  const std::lock_guard lock(mutex);
  jobs[record.job].record = record;
  by_end[{record.finished_at, record.job}] = record.job;
}

void MemoryStore::Records::put(SettingsRecord record, std::optional<std::string> text) {
  const std::lock_guard lock(mutex);
  record.number = ++settings_put;
  settings.emplace_back(std::move(record), std::move(text));
  if (settings.size() > kSettingsKept) settings.pop_front();
}

std::shared_ptr<const JobRecord> MemoryStore::record_of(JobId job) {
  const std::lock_guard lock(records_->mutex);
  const auto found = records_->jobs.find(job);
  if (found == records_->jobs.end() || !found->second.record.job.valid()) return nullptr;
  return std::make_shared<const JobRecord>(found->second.record);
}

Result<bool> MemoryStore::tidy(const Retention& retention) {
  if (auto error = injected_failure()) return *error;
  std::vector<std::pair<TimeMs, JobId>> over;
  for (const auto& [id, job] : jobs_) {
    if (is_over(job.record.state) && !job.record.cleanup)
      over.emplace_back(job.record.finished_at, id);
  }
  std::sort(over.rbegin(), over.rend());
  for (std::size_t i = 0; i < over.size(); ++i) {
    if (i >= retention.finished_at_most || over[i].first < retention.finished_before)
      jobs_.erase(over[i].second);
  }
  const std::lock_guard lock(records_->mutex);
  for (auto& [id, kept] : records_->jobs) {
    if (!jobs_.contains(id)) kept.done.clear();
  }
  auto& by_end = records_->by_end;
  while (!by_end.empty() && (by_end.size() > retention.history_at_most ||
                             by_end.begin()->first.first < retention.history_before)) {
    const JobId job = by_end.begin()->second;
    if (jobs_.contains(job)) break;
    records_->jobs.erase(job);
    by_end.erase(by_end.begin());
  }
  return false;
}

class MemoryStore::Reader final : public History {
 public:
  explicit Reader(std::shared_ptr<Records> records) : records_(std::move(records)) {}

  Result<std::vector<JobRecord>> list(const HistoryQuery& query) override {
    const std::lock_guard lock(records_->mutex);
    std::vector<JobRecord> out;
    auto at = records_->by_end.rbegin();
    if (query.before_job != 0) {
      while (at != records_->by_end.rend() && at->second.index() != query.before_job) ++at;
      if (at != records_->by_end.rend()) ++at;
    }
    for (; at != records_->by_end.rend() && out.size() < query.limit; ++at) {
      const JobRecord& record = records_->jobs.at(at->second).record;
      if (!matches(record, query)) continue;
      out.push_back(record);
      out.back().counters.clear();
      out.back().submission.clear();
      out.back().time_limit_ms = 0;
    }
    return out;
  }

  Result<std::optional<JobRecord>> find(JobId job) override {
    const std::lock_guard lock(records_->mutex);
    const auto found = records_->jobs.find(job);
    if (found == records_->jobs.end() || !found->second.record.job.valid())
      return std::optional<JobRecord>();
    return std::optional<JobRecord>(found->second.record);
  }

  Result<std::vector<EndedAttempt>> attempts(JobId job) override {
    const std::lock_guard lock(records_->mutex);
    const auto found = records_->jobs.find(job);
    if (found == records_->jobs.end()) return std::vector<EndedAttempt>();
    std::vector<EndedAttempt> out = found->second.failed;
    for (const auto& [task, done] : found->second.done) out.push_back(done);
    return out;
  }

  Result<std::vector<SettingsRecord>> settings() override {
    const std::lock_guard lock(records_->mutex);
    std::vector<SettingsRecord> out;
    for (const auto& [record, text] : records_->settings) out.insert(out.begin(), record);
    return out;
  }

  Result<std::optional<std::string>> settings_text(std::uint64_t number) override {
    const std::lock_guard lock(records_->mutex);
    for (const auto& [record, text] : records_->settings) {
      if (record.number == number) return text;
    }
    return std::optional<std::string>();
  }

 private:
  const std::shared_ptr<Records> records_;
};

Result<std::unique_ptr<History>> MemoryStore::history() {
  return std::unique_ptr<History>(std::make_unique<Reader>(records_));
}

}  // namespace weir
