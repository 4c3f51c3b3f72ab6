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
  std::vector<std::pair<TimeMs, JobId>> over;
  for (const auto& [id, job] : jobs_) {
    if (is_over(job.record.state)) over.emplace_back(job.record.finished_at, id);
  }
  std::sort(over.rbegin(), over.rend());
  if (over.size() > finished_jobs_limit_) over.resize(finished_jobs_limit_);
  std::set<JobId> shown;
  for (const auto& [at, id] : over) shown.insert(id);
  for (const auto& [id, job] : jobs_) {
    if (is_over(job.record.state) && !shown.contains(id)) continue;
    JobSnapshot record = job.record;
    for (const auto& [task, done] : job.done) record.done.push_back(done);
    for (const auto& [task, count] : job.failures) {
      record.failures.push_back({task.first, task.second, count});
    }
    for (const auto& [task, commit] : job.commits) record.commits.push_back(commit);
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
    std::visit([&](const auto& fact) { apply(fact, event.at); }, event.fact);
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

void MemoryStore::apply(const QueueStateChanged& fact, TimeMs) {
  queues_[fact.queue] = fact.stopped;
}

void MemoryStore::apply(const SettingsChanged& fact, TimeMs) {
  WEIR_CHECK(fact.settings != nullptr, "changed settings are there");
  base_.settings_text = fact.settings->text;
  base_.settings_source = fact.settings->source;
  for (const auto& [from, to] : fact.moves) {
    for (auto& [id, job] : jobs_) {
      if (!is_over(job.record.state) && job.record.queue == from) job.record.queue = to;
    }
  }
}

void MemoryStore::apply(const PolicyChanged& fact, TimeMs at) {
  base_.policy = fact.policy;
  base_.policy_since = at;
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

void MemoryStore::apply(const TaskSucceeded& fact, TimeMs) {
  Job* job = find_unfinished(fact.attempt.task.job);
  if (!job) return;
  const Task task{fact.attempt.task.kind, fact.attempt.task.index};
  job->done[task] = {task.first,   task.second,      fact.attempt.attempt,
                     fact.tracker, fact.incarnation, fact.counters};
  job->commits.erase(task);
}

void MemoryStore::apply(const TaskReopened& fact, TimeMs) {
  if (Job* job = find_unfinished(fact.task.job)) job->done.erase({fact.task.kind, fact.task.index});
}

void MemoryStore::apply(const AttemptFailed& fact, TimeMs) {
  Job* job = find_unfinished(fact.attempt.task.job);
  if (!job) return;
  const Task task{fact.attempt.task.kind, fact.attempt.task.index};
  ++job->failures[task];
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
  job->record.finished_at = at;
  job->done.clear();
  job->failures.clear();
  job->commits.clear();
}

}  // namespace weir
