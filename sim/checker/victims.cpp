#include "sim/checker/victims.h"

#include <algorithm>
#include <map>

#include "sim/checker/limits.h"
#include "sim/checker/owed_tasks.h"

namespace weir::check {

bool VictimSearch::stays_at_allocation(QueueId leaf, std::int64_t slots, QueueId claimant,
                                       const std::map<QueueId, std::int64_t>& gone) const {
  const QueueTree& tree = census.state->tree();
  for (QueueId q = leaf; !tree.is_ancestor(q, claimant); q = tree.node(q).parent) {
    std::int64_t left = lines[q.index()].running - slots;
    for (const auto& [other, lost] : gone) {
      if (tree.is_ancestor(q, other)) left -= lost;
    }
    if (left < lines[q.index()].allocated) return false;
  }
  return true;
}

bool VictimSearch::within_budget(QueueId leaf, std::int64_t slot_ms) const {
  const QueueTree::Node& node = census.state->tree().node(leaf);
  if (!node.settings.kill_budget) return true;
  const auto lost = losses.find(node.path);
  return (lost == losses.end() ? 0 : lost->second) + slot_ms <= *node.settings.kill_budget * 1000;
}

bool VictimSearch::could_start(QueueId claimant, std::int64_t width, const TrackerState& tracker,
                               const Resources& held, std::int64_t coming) const {
  std::int64_t tasks = 0;
  for (const JobCount& job : census.jobs(kind)) {
    if (job.job->queue == claimant && job.launchable > 0 && job.width == width &&
        has_room(census, job.job->need(kind), tracker, held) &&
        !avoids(census, *job.job, tracker) && has_task_for(census, job, kind, tracker) &&
        !over_hard_limit(census, lines, job, kind) &&
        !over_maximum(census, lines, claimant, width)) {
      tasks += job.launchable;
    }
  }
  return tasks > coming;
}

// Whether another task of the claimant would go over a maximum once those have started for which
// slots are held, or free; with a hard user limit whose tasks these are matters, so that is taken
// for a yes.
bool VictimSearch::full_when_served(QueueId claimant, std::int64_t width,
                                    std::int64_t coming) const {
  const QueueTree& tree = census.state->tree();
  bool hard = tree.node(claimant).settings.user_limit.mode == UserLimit::Mode::kHard;
  for (QueueId q = claimant; q != QueueTree::root(); q = tree.node(q).parent) {
    std::int64_t promised = coming;
    for (const Hold& hold : census.state->claims().holds()) {
      if (hold.kind == kind && tree.is_ancestor(q, hold.queue)) promised += hold.slots;
    }
    if (promised > 0 && hard) return true;
    hard = false;
    if (lines[q.index()].running + promised + width > lines[q.index()].maximum) return true;
  }
  return false;
}

std::optional<Victims> VictimSearch::find_on(const TrackerState& tracker, QueueId claimant,
                                             std::int64_t width, std::int64_t narrower,
                                             std::int64_t coming) const {
  Victims found{tracker.id, {}, width};
  Resources held = census.trackers.at(tracker.id).held;
  held.slots(kind) +=
      std::clamp<std::int64_t>(tracker.total.slots(kind) - held.slots(kind), 0, narrower);
  std::map<QueueId, std::int64_t> gone;
  std::map<QueueId, std::int64_t> lost;
  for (const AttemptSlot slot : tracker.attempts) {
    const Attempt& attempt = census.state->attempt(slot);
    if (attempt.dying() || !attempt.has_slots() || attempt.key.task.kind != kind) continue;
    const Job& job = census.state->job(attempt.key.task.job);
    const std::int64_t slots = job.width(kind);
    const std::int64_t cost = slots * (now - attempt.launched_at);
    if (job.queue == claimant || !stays_at_allocation(job.queue, slots, claimant, gone) ||
        !within_budget(job.queue, lost[job.queue] + cost)) {
      continue;
    }
    found.attempts.push_back(slot);
    gone[job.queue] += slots;
    lost[job.queue] += cost;
    held -= job.need(kind);
    if (could_start(claimant, width, tracker, held, coming)) return found;
  }
  return std::nullopt;
}

// Slots that are kept there for somebody are not free for a claim.
bool VictimSearch::is_kept(const TrackerState& tracker) const {
  const auto here = [&](const auto& kept) { return kept.tracker == tracker.id; };
  const auto& holds = census.state->claims().holds();
  const auto& reserved = census.state->claims().reservations();
  return std::any_of(holds.begin(), holds.end(), here) ||
         std::any_of(reserved.begin(), reserved.end(), here);
}

std::optional<Victims> VictimSearch::find(QueueId claimant, std::int64_t need,
                                          std::int64_t coming) const {
  // Each kill is for a task of its own: those that slots are held for already need no more.
  std::map<std::int64_t, std::int64_t> waiting;  // tasks by width
  bool narrow = true;
  for (const JobCount& job : census.jobs(kind)) {
    if (job.job->queue != claimant) continue;
    narrow = narrow && (job.width == 1 || job.launchable == 0);
    if (job.width <= need) waiting[job.width] += job.launchable;
  }
  if (!narrow) {  // who stands behind a task that does not fit yet is owed nothing
    const std::int64_t claimed = census.state->claims().owed(claimant, kind);
    waiting =
        owed_tasks(census, kind, claimant, lines[claimant.index()], claimed, false).by_width;
    std::erase_if(waiting, [need](const auto& tasks) { return tasks.first > need; });
  }
  for (const Hold& hold : census.state->claims().holds()) {
    if (hold.queue != claimant || hold.kind != kind) continue;
    const Job* job = census.state->find_job(hold.job);
    if (job != nullptr) --waiting[job->width(kind)];
  }
  // Nor do those that free slots will do for, and narrow ones may have been promised any of these.
  const std::map<std::int64_t, std::int64_t> all = waiting;
  for (const TrackerState& tracker : census.state->trackers()) {
    if (!in_pool(tracker) || is_kept(tracker)) continue;
    const std::int64_t free =
        tracker.total.slots(kind) - census.trackers.at(tracker.id).held.slots(kind);
    for (auto& [width, tasks] : waiting) tasks -= std::max<std::int64_t>(0, free) / width;
  }
  std::erase_if(waiting, [](const auto& tasks) { return tasks.second <= 0; });
  for (const TrackerState& tracker : census.state->trackers()) {
    if (!in_pool(tracker) || is_kept(tracker)) continue;
    for (const auto& [width, tasks] : waiting) {
      if (full_when_served(claimant, width, coming)) continue;
      std::int64_t narrower = 0;
      for (const auto& [other, count] : all) {
        if (other < width) narrower += other * std::max<std::int64_t>(count, 0);
      }
      if (auto found = find_on(tracker, claimant, width, narrower, coming))
        return found;
    }
  }
  return std::nullopt;
}

}  // namespace weir::check
