#include "jobqueue/engine/attempt_life.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/check.h"
#include "jobqueue/model/own_counters.h"

namespace weir {

constexpr std::size_t kCounterGroups = 100;  // besides Weir's own
constexpr std::size_t kCountersPerGroup = 200;

namespace {

void add_saturating(std::int64_t& sum, std::int64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = value > 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace

std::uint32_t AttemptLife::first_number() const {
  return (state_.epoch() > 0 ? state_.epoch() - 1 : 0) * kAttemptsPerEpoch;
}

// Nobody knows of an attempt of a service any more after thousands of others: its numbers repeat.
std::uint32_t AttemptLife::next_number(Job& job, const TaskKey& key) const {
  Task& task = job.tasks(key.kind).tasks[key.index];
  if (job.service && task.next_attempt + 1u >= kAttemptsPerEpoch) task.next_attempt = 0;
  return first_number() + task.next_attempt++;
}

// 3 reports of running reduces, or of half of them, and the map runs again elsewhere. Who has ended
// since, or is to, misses nothing.
void AttemptLife::take_fetch_failures(const AttemptReport& report) {
  const auto runs = [this](const AttemptKey& key) {
    const AttemptSlot slot = state_.find_attempt(key);
    return slot.valid() && !state_.attempt(slot).dying();
  };
  if (report.attempt.task.kind != TaskKind::kReduce || !runs(report.attempt)) return;
  Job& job = state_.mutable_job(report.attempt.task.job);
  if (!job.schedulable()) return;
  for (const FetchFailure& failure : report.fetch_failures) {
    TaskGroup& maps = job.tasks(TaskKind::kMap);
    if (failure.map >= maps.total) continue;
    const Task& task = maps.tasks[failure.map];
    if (task.state != Task::State::kSucceeded || task.done_attempt != failure.map_attempt) continue;
    auto& reporters = job.fetch_failures[failure.map];
    std::erase_if(reporters, [&](const AttemptKey& reporter) { return !runs(reporter); });
    if (std::find(reporters.begin(), reporters.end(), report.attempt) == reporters.end()) {
      reporters.push_back(report.attempt);
    }
    const std::size_t running = job.tasks(TaskKind::kReduce).alive();
    if (reporters.size() < 3 && reporters.size() * 2 < running) continue;
    if (task.where.valid()) note_failure(job, TaskKind::kMap, failure.map, task.where);
    const std::string where = task.where.valid() ? state_.tracker(task.where).name : "?";
    reopen(job, TaskKind::kMap, failure.map,
           "its output on tracker " + where + " cannot be fetched");
  }
}

// --- Attempts ---

void AttemptLife::order_kill(AttemptSlot slot, KillReason reason, QueueId for_queue, ClaimId claim,
                             const std::string& for_pool) {
  const AttemptKey key = state_.attempt(slot).key;
  order_one_kill(slot, reason, for_queue, claim, for_pool);
  if (reason != KillReason::kGang) parts_.gangs.member_lost(key);
}

void AttemptLife::order_kills(const std::vector<AttemptSlot>& slots, KillReason reason,
                              QueueId for_queue, ClaimId claim, const std::string& for_pool) {
  std::vector<AttemptKey> killed;
  for (const AttemptSlot slot : slots) {
    killed.push_back(state_.attempt(slot).key);
    order_one_kill(slot, reason, for_queue, claim, for_pool);
  }
  for (const AttemptKey& key : killed) parts_.gangs.member_lost(key);
}

void AttemptLife::order_one_kill(AttemptSlot slot, KillReason reason, QueueId for_queue,
                                 ClaimId claim, const std::string& for_pool) {
  Attempt& attempt = state_.mutable_attempt(slot);
  if (attempt.dying()) return state_.order_kill(attempt, reason);
  if (attempt.untold) return withdraw(slot);
  emit(KillOrdered{attempt.key, attempt.tracker, reason, attempt.queue, for_queue,
                   attempt.in_slots_ms(now_), claim, attempt.user, for_pool});
  const Job& job = state_.job(attempt.key.task.job);
  state_.order_kill(attempt, reason);
  policy_->on_released(slot);
  touch(job);
  if (!job.type->open_at_once(attempt.key.task.kind)) parts_.jobs.note_yield(job);
}

// Calls f(dimension, amount) for what of its task's need counts.
template <class F>
void AttemptLife::each_amount(const Attempt& attempt, F f) const {
  const Size& size = state_.job(attempt.key.task.job).size(attempt.key.task.kind);
  for (std::size_t i = 0; i < size.end; ++i) {
    const Dimension d = Dimension::at(i);
    if (size.need[d] != 0 && state_.space().counts(d)) f(d, size.need[d]);
  }
}

// A preempted attempt is gone. What it had run when it was ordered to die is lost, unless it was
// done before its tracker heard of that.
void AttemptLife::settle_preempted(const Attempt& attempt, AttemptEnded::How how) {
  ClaimBook& book = state_.mutable_claims();
  if (how == AttemptEnded::How::kSucceeded) {
    const KillRecord* first = book.set_finished_first(attempt.key);
    if (first != nullptr && first->victim.valid()) parts_.holds.note_loss(*first, true);
    return;
  }
  const KillRecord* record = book.record_of(attempt.key);
  if (record == nullptr) return;
  QueueCounters& counters = state_.counters(attempt.queue);
  UserCounters& user = counters.user(attempt.user, now_);
  each_amount(attempt, [&](Dimension d, std::int64_t amount) {
    counters.lost_ms[d] += amount * record->ran_ms;
    user.lost_ms[d] += amount * record->ran_ms;
  });
}

namespace {

AttemptState state_after(AttemptEnded::How how) {
  if (how == AttemptEnded::How::kSucceeded) return AttemptState::kSucceeded;
  return how == AttemptEnded::How::kFailed ? AttemptState::kFailed : AttemptState::kKilled;
}

}  // namespace

// The attempt leaves its tracker. What becomes of its task is for the caller.
void AttemptLife::finish_attempt(AttemptSlot slot, AttemptEnded::How how) {
  if (state_.attempt(slot).untold) parts_.gangs.tell(slot);  // a tracker that lies
  const Attempt attempt = state_.attempt(slot);
  Job& job = state_.mutable_job(attempt.key.task.job);
  TaskGroup& group = job.tasks(attempt.key.task.kind);
  if (how == AttemptEnded::How::kFailed) ++group.failed_attempts;
  if (how == AttemptEnded::How::kKilled) {
    ++group.killed_attempts;
    emit(AttemptKilled{attempt.key, attempt.launched_at});
  }
  if (attempt.speculative) {
    ++(how == AttemptEnded::How::kSucceeded ? group.speculative.won : group.speculative.lost);
  }
  const bool was_running = !attempt.dying();
  const TaskKind kind = attempt.key.task.kind;
  if (is_group(kind)) parts_.jobs.end_task_deadline(attempt);
  QueueCounters& counters = state_.counters(attempt.queue);
  UserCounters& user = counters.user(attempt.user, now_);
  each_amount(attempt, [&](Dimension d, std::int64_t amount) {
    const std::int64_t used = amount * attempt.in_slots_ms(now_);
    counters.used_ms[d] += used;
    user.used_ms[d] += used;
  });
  if (!was_running && is_preemption(attempt.kill_reason)) settle_preempted(attempt, how);
  emit(AttemptEnded{attempt.key, attempt.tracker, attempt.queue, how, attempt.ran_ms(now_),
                    attempt.in_slots_ms(now_), attempt.speculative, attempt.launched_at});
  state_.end_attempt(slot, state_after(how));
  if (was_running) {
    if (how != AttemptEnded::How::kKilled && attempt.has_slots() && policy_->claims() != nullptr &&
        !state_.space().containers()) {
      note_freed(attempt, job.width(kind));
    }
    policy_->on_released(slot);
  } else {
    if (attempt.hold != 0) parts_.holds.victim_left(attempt);
    pending_changed(job, attempt.key.task.kind);  // what was dying counted as wanted
  }
  if (how != AttemptEnded::How::kSucceeded) {
    release_commit(job, attempt.key.task.kind, attempt.key.task.index, attempt.key.attempt);
  }
  if (job.live_attempts == 0 && job.duty != Job::Duty::kNone && !job.duty_tracker.valid()) {
    parts_.duties.offer(job);
  }
  touch(job);
  parts_.jobs.note_over(job);
  if (job.has_gang() && was_running && how != AttemptEnded::How::kSucceeded)
    parts_.gangs.member_lost(attempt.key);
  if (!job.type->open_at_once(kind) && group.alive() == 0) parts_.jobs.note_yield(job);
  changes_.trackers.insert(attempt.tracker);
}

// What it leaves is its queue's until it is offered, as far as the tracker has it to give: one that
// has fewer slots than before may hold more than these.
void AttemptLife::note_freed(const Attempt& attempt, std::int64_t slots) {
  const TaskKind kind = attempt.key.task.kind;
  std::int64_t free = state_.free_slots(state_.tracker(attempt.tracker), kind);
  for (const FreedSlots& freed : state_.claims().freed()) {
    if (freed.tracker == attempt.tracker && freed.kind == kind) free -= freed.slots;
  }
  slots = std::min(slots, free);
  if (slots <= 0) return;
  state_.mutable_claims().add_freed({attempt.tracker, attempt.queue, kind, slots});
}

void AttemptLife::release_commit(Job& job, TaskKind kind, std::uint32_t index,
                                 std::uint32_t attempt) {
  Task& task = job.tasks(kind).tasks[index];
  if (task.commit_granted && task.commit_attempt == attempt) task.commit_granted = false;
}

void AttemptLife::attempt_succeeded(AttemptSlot slot, const AttemptReport& report) {
  const Attempt attempt = state_.attempt(slot);
  const TaskKey key = attempt.key.task;
  Job& job = state_.mutable_job(key.job);
  // Another attempt was sooner: its output is the one that counts.
  if (job.tasks(key.kind).tasks[key.index].state == Task::State::kSucceeded)
    return attempt_killed(slot);
  TrackerState& tracker = state_.mutable_tracker(attempt.tracker);
  const bool waited = job.type->waits_for_its_own(job);
  finish_attempt(slot, AttemptEnded::How::kSucceeded);
  if (is_over(job.state)) return;
  if (job.service) {  // it is to run on, and nothing of it is done
    tracker.unacknowledged.emplace_back(attempt.key, durable_seq_);
    parts_.jobs.rest(job, key, attempt.ran_ms(now_));
    return parts_.gangs.member_lost(attempt.key);
  }
  state_.mark_succeeded(job, key.kind, key.index, attempt.key.attempt, attempt.tracker);
  if (job.waits_for_gang(key.kind)) parts_.gangs.follow(job);  // another is in its place
  job.losses.erase({key.kind, key.index});
  add_counters(job, job.tasks(key.kind).tasks[key.index], report.counters.get());
  if (job.type->keeps_output(*job.spec, key.kind)) {
    job.map_log.push_back({key.index, attempt.key.attempt, attempt.tracker, false});
    job.fetch_failures.erase(key.index);
  }
  const std::uint64_t seq = emit(TaskSucceeded{attempt.key, tracker.name, tracker.incarnation,
                                               attempt.launched_at, report.counters});
  tracker.unacknowledged.emplace_back(attempt.key, seq);
  if (attempt.paired) parts_.stragglers.kill_losers(job, key);
  limits_.update(job);
  parts_.jobs.after_progress(job);
  if (waited) parts_.jobs.note_yield(job);
}

void AttemptLife::attempt_failed(AttemptSlot slot, const std::string& diagnostics) {
  const Attempt attempt = state_.attempt(slot);
  const TaskKey key = attempt.key.task;
  if (attempt.dying()) return attempt_killed(slot);
  Job& job = state_.mutable_job(key.job);
  TrackerState& tracker = state_.mutable_tracker(attempt.tracker);
  finish_attempt(slot, AttemptEnded::How::kFailed);
  const std::uint64_t seq = emit(
      AttemptFailed{attempt.key, tracker.name, diagnostics, attempt.launched_at});
  tracker.unacknowledged.emplace_back(attempt.key, seq);
  if (is_over(job.state)) return;
  Task& task = job.tasks(key.kind).tasks[key.index];
  if (task.failures < UINT8_MAX) ++task.failures;
  // Of a service they are no end: it would come to avoid every tracker.
  if (!job.service) note_failure(job, key.kind, key.index, tracker.id);
  if (task.failures >= job.type->failures_at_most(*job.spec, key.kind)) {
    const std::string why = task_title(job, key) + " failed " + std::to_string(task.failures) +
                            (task.failures == 1 ? " time" : " times") + ", last on tracker " +
                            tracker.name + ": " + diagnostics;
    return parts_.jobs.begin_end(job, JobState::kFailed, why, KillReason::kJobFailed);
  }
  if (job.service) return parts_.jobs.rest(job, key, attempt.ran_ms(now_));
  reopen_if_left(job, key);
}

// Nobody runs the task any more, and it is not done.
void AttemptLife::reopen_if_left(Job& job, const TaskKey& key) {
  const Task& task = job.tasks(key.kind).tasks[key.index];
  if (task.state == Task::State::kRunning && !task.attempt.valid()) {
    state_.reopen_task(job, key.kind, key.index);
  }
  pending_changed(job, key.kind);
}

void AttemptLife::withdraw(AttemptSlot slot) {
  const Attempt attempt = state_.attempt(slot);
  Job& job = state_.mutable_job(attempt.key.task.job);
  --state_.mutable_tracker(attempt.tracker).untold;
  state_.end_attempt(slot, AttemptState::kKilled);
  policy_->on_released(slot);
  touch(job);
  changes_.trackers.insert(attempt.tracker);
  if (!is_over(job.state)) return reopen_if_left(job, attempt.key.task);
  if (job.live_attempts == 0 && job.duty != Job::Duty::kNone && !job.duty_tracker.valid())
    parts_.duties.offer(job);
  parts_.jobs.note_over(job);
}

void AttemptLife::attempt_killed(AttemptSlot slot) {
  const TaskKey key = state_.attempt(slot).key.task;
  if (state_.attempt(slot).untold) {
    const AttemptKey attempt = state_.attempt(slot).key;
    withdraw(slot);
    return parts_.gangs.member_lost(attempt);
  }
  finish_attempt(slot, AttemptEnded::How::kKilled);
  Job& job = state_.mutable_job(key.job);
  if (is_over(job.state)) return;
  // Killed attempts cost a job nothing, but they do not go on for ever: numbers must not repeat,
  // and a tracker that kills all it is given must not keep its cluster busy.
  const Task& task = job.tasks(key.kind).tasks[key.index];
  if (!job.service && task.state != Task::State::kSucceeded &&
      task.next_attempt + 1u >= kAttemptsPerEpoch) {
    const std::string why = task_title(job, key) + " was started " +
                            std::to_string(kAttemptsPerEpoch - 1) +
                            " times since the JobTracker was, and killed each time";
    return parts_.jobs.begin_end(job, JobState::kFailed, why, KillReason::kJobFailed);
  }
  reopen_if_left(job, key);
}

// Remembers where a task failed; a job that comes to avoid the tracker is another one to the
// policy.
void AttemptLife::note_failure(Job& job, TaskKind kind, std::uint32_t index, TrackerId where) {
  job.has_failures = true;
  auto& places = job.failed_on[{kind, index}];
  if (std::find(places.begin(), places.end(), where) == places.end()) places.push_back(where);
  const bool avoids = ++job.tracker_failures[where] == kTrackerFailuresPerJob;
  if (avoids && job.schedulable()) policy_->on_job_changed(job.id, job.queue);
}

// A task counts once: one that runs again, its output lost, would say the same again. Sums
// saturate, and a job has a bounded number of counters, whatever its programs say: Weir's own have
// their place, and say how many others found none.
void AttemptLife::add_counters(Job& job, Task& task, const Counters* counters) {
  if (counters == nullptr || task.counted) return;
  task.counted = true;
  std::size_t left_out = 0;
  for (const auto& [group, values] : *counters) {
    const std::size_t others = job.counters.size() - job.counters.count(kOwnCounters);
    const bool has_place = group == kOwnCounters || job.counters.contains(group);
    if (others >= kCounterGroups && !has_place) {
      left_out += values.size();
      continue;
    }
    auto& known = job.counters[group];
    for (const auto& [counter, value] : values) {
      if (known.size() >= kCountersPerGroup && !known.contains(counter)) {
        ++left_out;
        continue;
      }
      add_saturating(known[counter], value);
    }
  }
  if (left_out == 0) return;
  add_saturating(job.counters[kOwnCounters][kCountersOverLimit],
                 static_cast<std::int64_t>(left_out));
}

// A finished map runs again: its output is gone, and reduces still need it.
void AttemptLife::reopen(Job& job, TaskKind kind, std::uint32_t index, const std::string& why) {
  const Task& task = job.tasks(kind).tasks[index];
  const std::uint32_t attempt = task.done_attempt;
  const TrackerId where = task.where;
  state_.reopen_task(job, kind, index);
  job.map_log.push_back({index, attempt, where, true});
  job.fetch_failures.erase(index);
  emit(TaskReopened{{job.id, kind, index}, why});
  pending_changed(job, kind);
  parts_.jobs.admit_if_stuck(job);
}

}  // namespace weir
