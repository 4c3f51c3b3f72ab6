#include "jobqueue/engine/explanations.h"

#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/containers.h"
#include "jobqueue/model/counted.h"
#include "jobqueue/model/gang_fit.h"

namespace weir {
namespace {

// It counts, and is given nothing, as nothing is heard of it.
bool unheard_of(const ClusterState& state, const TrackerState& tracker, TimeMs now) {
  return tracker.counts() &&
         (!tracker.live() || tracker.silent(now, state.heartbeat_interval_ms()));
}

std::string first_names(const std::vector<const TrackerState*>& trackers) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(trackers.size(), kMost); ++i)
    text += (i > 0 ? ", " : "") + trackers[i]->name;
  if (trackers.size() > kMost) text += " and " + std::to_string(trackers.size() - kMost) + " more";
  return text;
}

// Nothing but room is missing, as the next line of slots.
Reason no_room(const ClusterState& state, const Job& job, TaskKind kind, TimeMs now) {
  const std::uint32_t pending = job.tasks(kind).pending();
  Reason reason{"no_room",
                counted(pending, name(kind)) + (pending == 1 ? " waits" : " wait") + " for " +
                    state.space().text(job.need(kind)) + (pending == 1 ? "" : " each") +
                    " on one tracker",
                {{"pending", pending}}};
  std::vector<const TrackerState*> quiet;
  for (const TrackerState& tracker : state.trackers()) {
    if (unheard_of(state, tracker, now) && state.fits_in(job.need(kind), tracker, tracker.used))
      quiet.push_back(&tracker);
  }
  if (!quiet.empty()) {
    reason.message += "; " + counted(quiet.size(), "tracker") + " with room for it " +
                      (quiet.size() == 1 ? "does" : "do") + " not report (" + first_names(quiet) +
                      ")";
    reason.numbers.push_back({"not_reporting", static_cast<std::int64_t>(quiet.size())});
  }
  return reason;
}

// The slots that count in the cluster: those that run tasks, and those that are free, but not for
// the job: nothing is heard of their trackers, its tasks are to run elsewhere, there is too little
// for one, or they wait for others.
struct CountedSlots {
  std::int64_t taken = 0, unheard = 0, elsewhere = 0, too_few = 0, kept = 0;
  std::vector<const TrackerState*> quiet;  // those that nothing is heard of
};

CountedSlots counted_slots(const ClusterState& state, const Job& job, TaskKind kind, TimeMs now) {
  CountedSlots slots;
  for (const TrackerState& tracker : state.trackers()) {
    if (!tracker.counts()) continue;
    const std::int64_t total = tracker.total.slots(kind);
    const std::int64_t taken = std::min(tracker.used.slots(kind), total);
    slots.taken += taken;
    const std::int64_t free = total - taken;
    if (free == 0) continue;
    if (unheard_of(state, tracker, now)) {
      slots.unheard += free;
      slots.quiet.push_back(&tracker);
    } else if (!state.fits_in(job.need(kind), tracker, tracker.used)) {
      slots.too_few += free;
    } else if (!state.may_run_on(job, kind, tracker)) {
      slots.elsewhere += free;
    } else if (tracker.keeps > 0) {
      slots.kept += free;
    }
  }
  return slots;
}

std::string are(std::int64_t slots) {
  return ", " + std::to_string(slots) + (slots == 1 ? " is" : " are");
}

// Nothing but a slot is missing: the next tracker with room gets its tasks.
Reason no_free_slot(const ClusterState& state, const Job& job, TaskKind kind, TimeMs now) {
  if (state.space().containers()) return no_room(state, job, kind, now);
  const CountedSlots slots = counted_slots(state, job, kind, now);
  const std::int64_t total = state.total_slots(kind);
  const std::uint32_t pending = job.tasks(kind).pending();
  Reason reason{"no_free_slot",
                std::to_string(pending) + " " + name(kind) + (pending == 1 ? " waits" : "s wait") +
                    " for a free slot; " + std::to_string(slots.taken) + " of the cluster's " +
                    std::to_string(total) + " " + name(kind) + " slots are running tasks",
                {{"pending", pending}, {"running", slots.taken}, {"slots", total}}};
  if (slots.unheard > 0) {
    reason.message +=
        are(slots.unheard) + " of trackers that do not report (" + first_names(slots.quiet) + ")";
    reason.numbers.push_back({"not_reporting", slots.unheard});
  }
  if (slots.elsewhere > 0)
    reason.message += are(slots.elsewhere) + " free where it is not to run (it failed there)";
  if (slots.too_few > 0)
    reason.message += are(slots.too_few) + " free on trackers that have too little for it";
  if (slots.kept > 0) reason.message += are(slots.kept) + " free but kept";
  return reason;
}

std::string what_is(const Job& job, TaskKind kind) {
  if (!is_group(kind)) return std::string("a ") + name(kind);
  return what_asks(*job.spec, kind);
}

// Tasks that have fallen behind, each of which could be tried once more elsewhere.
std::optional<Reason> stragglers_wait(const ClusterState& state, const Job& job, TaskKind kind) {
  const std::int64_t stragglers = state.stragglers(job, kind);
  if (stragglers == 0 || state.space().containers()) return std::nullopt;  // there is no second one
  const std::int64_t points = state.settings().speculation.lag_millionths / 10'000;
  return Reason{"stragglers",
                std::to_string(stragglers) + " " + name(kind) +
                    (stragglers == 1 ? " is " : "s are ") + std::to_string(points) +
                    " points or more behind the average; a second attempt waits for a slot on "
                    "another tracker that nobody else may use",
                {{"stragglers", stragglers}, {"lag_percent", points}}};
}

bool any_holds(const ClusterState& state, const Resources& need) {
  return std::any_of(state.trackers().begin(), state.trackers().end(),
                     [&](const TrackerState& tracker) {
                       return tracker.counts() && state.fits_in(need, tracker, Resources{});
                     });
}

// What runs on trackers that nothing is heard of may be dead, and starts elsewhere only once they
// are lost.
std::optional<Reason> silent_trackers(const ClusterState& state, const Job& job, TimeMs now) {
  std::vector<const TrackerState*> quiet;
  std::int64_t tasks = 0;
  TimeMs last = now;
  for (const TrackerState& tracker : state.trackers()) {
    if (!tracker.silent(now, state.heartbeat_interval_ms())) continue;
    const auto here = std::count_if(
        tracker.held.begin(), tracker.held.end(),
        [&](const HeldAttempt& attempt) { return attempt.key.task.job == job.id; });
    if (here == 0) continue;
    tasks += here;
    quiet.push_back(&tracker);
    last = std::min(last, tracker.last_heartbeat);
  }
  if (quiet.empty()) return std::nullopt;
  const DurationMs expiry = state.settings().heartbeat.expiry_ms;
  return Reason{"silent_trackers",
                counted(tasks, "running task") + (tasks == 1 ? " is on " : " are on ") +
                    first_names(quiet) + ", not heard of for " + short_duration(now - last) +
                    "; what runs on a lost tracker starts elsewhere: " +
                    (expiry == kNever ? "" : "after " + format_duration(expiry) + ", or ") +
                    "by `weir tracker lost " + quiet.front()->name + "`",
                {{"tasks", tasks}, {"milliseconds_silent", now - last}}};
}

}  // namespace

std::vector<Reason> Explanations::explain(JobId id) const {
  const Job* job = state_.find_job(id);
  if (job == nullptr || is_over(job->state)) return {};
  std::vector<Reason> reasons;
  if (job->held) {
    return {
        {"held",
         "held by " + job->spec->user + "; `weir job release " + job_name(id) + "` lets it start",
         {}}};
  }
  if (job->state == JobState::kWaiting) {
    if (limits_.across()) return limits_.full_groups(id);
    if (auto limit = manager_.running_limit(*job)) reasons.push_back(std::move(*limit));
    return reasons;
  }
  if (job->duty != Job::Duty::kNone) {
    const std::string who = job->duty_tracker.valid()
                                ? "tracker " + state_.tracker(job->duty_tracker).name + " is"
                                : "a tracker is to begin";
    return {{"finishing",
             "all tasks are done; " + who + " publishing the output directory" +
                 (job->duty_trouble.empty() ? "" : "; " + job->duty_trouble),
             {}}};
  }
  if (parts_.recovery.recovering()) {
    const auto left = parts_.recovery.recovering_until() - now_;
    reasons.push_back(
        {"recovering",
         "the JobTracker has just started and lets trackers report what they run first; " +
             short_duration(left) + " left",
         {{"milliseconds_left", left}}});
  }
  if (state_.live_trackers() == 0) {
    reasons.push_back({"no_trackers", "no tracker is connected", {}});
    return reasons;
  }
  if (std::none_of(state_.trackers().begin(), state_.trackers().end(),
                   [](const TrackerState& tracker) { return tracker.counts(); })) {
    const std::int64_t trackers = state_.live_trackers();
    reasons.push_back({"no_tracker_accepts_tasks",
                       "none of the " + std::to_string(trackers) +
                           " connected trackers takes tasks now (draining, faulty, or short of "
                           "disk); see `weir tracker list`",
                       {{"trackers", trackers}}});
    return reasons;
  }
  if (auto rests = parts_.jobs.why_it_rests(*job)) {
    reasons.push_back(std::move(*rests));
    if (job->has_gang()) return reasons;  // all of it waits for that
  }
  const Resources largest = state_.largest_tracker();
  for (const TaskKind kind : job->kinds()) explain_kind(*job, kind, largest, reasons);
  if (job->waits_for_gang_start() && state_.space().containers()) explain_gang(*job, reasons);
  if (!reasons.empty()) return reasons;
  if (auto silent = silent_trackers(state_, *job, now_)) reasons.push_back(std::move(*silent));
  return reasons;
}

void Explanations::explain_kind(const Job& job, TaskKind kind, const Resources& largest,
                                std::vector<Reason>& reasons) const {
  const TaskGroup& group = job.tasks(kind);
  if (auto waits = stragglers_wait(state_, job, kind)) reasons.push_back(std::move(*waits));
  if (group.pending() == 0 && group.copied == 0) return;
  if (job.waits_for_gang(kind) && state_.space().containers()) return;
  if (!group.open) return reasons.push_back(job.type->why_closed(job, kind));
  if (!fits(job.need(kind), largest, Resources{}, state_.space().looked_at(state_.total()))) {
    reasons.push_back({"no_tracker_large_enough",
                       what_is(job, kind) + " needs " + state_.space().text(job.need(kind)) +
                           "; the largest tracker offers " + state_.space().text(largest),
                       {}});
    return;
  }
  if (!job.is_gang(kind) && !any_holds(state_, job.need(kind))) {
    reasons.push_back({"no_tracker_large_enough",
                       what_is(job, kind) + " needs " + state_.space().text(job.need(kind)) +
                           "; no tracker has so much of all at once",
                       {}});
    return;
  }
  std::vector<Reason> more = policy_->explain(job.id, kind, now_);
  if (more.empty() && group.pending() > 0) more.push_back(no_free_slot(state_, job, kind, now_));
  for (Reason& reason : more) reasons.push_back(std::move(reason));
}

void Explanations::explain_gang(const Job& job, std::vector<Reason>& reasons) const {
  const Assembly* assembly = state_.assembly_of(job.id);
  const auto held = static_cast<std::int64_t>(assembly == nullptr ? 0 : assembly->rooms.size());
  const auto needed = static_cast<std::int64_t>(gang_members(job).size());
  const bool could = fits_empty(state_, job);
  std::string why = std::to_string(needed) + " tasks start together or none does: ";
  why += !could               ? "the trackers that are there now could not hold all of them empty"
         : assembly == nullptr ? "there is not room for all of them"
                               : "room is held for " + std::to_string(held) + " of them";
  reasons.push_back({"gang", why, {{"held", held}, {"needed", needed}}});
  if (!could) return;
  for (Reason& reason : policy_->explain(job.id, job.gang_kind(), now_))
    reasons.push_back(std::move(reason));
}

}  // namespace weir
