// Why tasks wait under the capacity policy: the same figures that decide, with their names.
#include "capacity/capacity_policy.h"
#include "capacity/claim_words.h"
#include "jobqueue/policy/slot_reasons.h"

namespace weir {

std::vector<Reason> CapacityPolicy::explain(JobId id, TaskKind kind, TimeMs now) const {
  const Job& job = state_.job(id);
  const JobEntry* entry = find_entry(id);
  if (entry == nullptr || job.launchable(kind) == 0) return {};
  settle(kind);
  if (entry->counted[index(kind)] == 0) {
    const std::int64_t largest = state_.largest_tracker().slots(kind);
    return {{"no_tracker_large_enough",
             "no live tracker is large enough for a task of " + to_string(job.need(kind)) +
                 ", or all that are have failed the job too often; the largest has " +
                 slots_text(largest, kind),
             {{"need", job.width(kind)}, {"largest", largest}}}};
  }
  if (const std::int64_t widest = widest_ever(job.queue, kind); width(id, kind) > widest) {
    return {wider_than_maximum("queue " + state_.tree().node(job.queue).path, kind, width(id, kind),
                               widest)};
  }
  std::vector<Reason> reasons;
  const auto over_limit = explain_user(job, kind);
  if (over_limit) reasons.push_back(*over_limit);
  // What holds back a user at the limit while slots are free is the limit, not what is allocated.
  const bool room = state_.trackers_with_free(kind, width(id, kind)) > 0;
  if (auto reason = explain_queues(job, kind);
      reason && !(over_limit && room && reason->code == "queue_at_capacity"))
    reasons.push_back(std::move(*reason));
  if (auto reason = explain_claims(job, kind, now)) reasons.push_back(std::move(*reason));
  if (auto reason = reason_of_wait(delay_, job.id, kind)) reasons.push_back(std::move(*reason));
  if (auto reason = explain_others(job, kind, now)) reasons.push_back(std::move(*reason));
  // Jobs whose user is over the limit are passed over, or come last.
  const auto over = [&](const LeafJobs::Bucket& bucket) {
    return over_user_limit(entry->leaf, kind, bucket);
  };
  const auto before =
      leaf_of(entry->leaf, kind).jobs.jobs_before(entry->order, over_limit.has_value(), over);
  if (before > 0) {
    const auto count = static_cast<std::int64_t>(before);
    reasons.push_back({"jobs_before",
                       std::to_string(count) + (count == 1 ? " job is" : " jobs are") +
                           " before it in queue " + state_.tree().node(entry->leaf).path,
                       {{"jobs_before", count}}});
  }
  return reasons;
}

std::optional<Reason> CapacityPolicy::explain_user(const Job& job, TaskKind kind) const {
  const std::int64_t need = width(job.id, kind);
  const std::int64_t limit = user_limit(job.queue, kind, need);
  const std::int64_t running =
      classes_[index(kind)].leaves[job.queue.index()].jobs.user_running(job.user);
  if (running + need <= limit) return std::nullopt;
  const QueueTree::Node& queue = state_.tree().node(job.queue);
  const bool soft = queue.settings.user_limit.mode == UserLimit::Mode::kSoft;
  return Reason{"user_at_limit",
                "user " + state_.user_name(job.user) + " holds " + std::to_string(running) +
                    " of their limit of " + slots_text(limit, kind) + " in queue " + queue.path +
                    (soft ? "; others of the queue come first" : ""),
                {{"running", running}, {"limit", limit}}};
}

// The queue nearest to the job that is at its maximum, or else at what is allocated to it.
std::optional<Reason> CapacityPolicy::explain_queues(const Job& job, TaskKind kind) const {
  const std::int64_t need = width(job.id, kind);
  std::optional<Reason> at_capacity;
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    const QueueLine& line = classes_[index(kind)].shares.line(q);
    const std::string& path = state_.tree().node(q).path;
    const std::int64_t running = line.facts.running;
    if (line.maximum < state_.total_slots(kind) && running + need > line.maximum) {
      return Reason{"queue_at_maximum",
                    "queue " + path + " holds " + std::to_string(running) + " of its maximum of " +
                        slots_text(line.maximum, kind),
                    {{"running", running}, {"maximum", line.maximum}}};
    }
    if (at_capacity || running + need <= line.allocated) continue;
    const std::int64_t borrowed = std::max<std::int64_t>(0, running - line.guaranteed);
    std::string text = "queue " + path;
    text += running > line.allocated
                ? " runs " + std::to_string(running) + ", more than its allocated "
            : running < line.allocated ? " runs " + std::to_string(running) + " of its allocated "
                                       : " is at its allocated " + std::to_string(running) + " of ";
    text += slots_text(line.allocated, kind);
    if (borrowed > 0) text += ", " + std::to_string(borrowed) + " of them borrowed";
    text += " (guaranteed " + std::to_string(line.guaranteed) + ")";
    if (running < line.allocated) text += "; the task needs " + std::to_string(need);
    at_capacity = Reason{"queue_at_capacity",
                         text,
                         {{"running", running},
                          {"allocated", line.allocated},
                          {"guaranteed", line.guaranteed},
                          {"borrowed", borrowed}}};
  }
  return at_capacity;
}

// What its own queue is owed.
std::optional<Reason> CapacityPolicy::explain_claims(const Job& job, TaskKind kind,
                                                     TimeMs now) const {
  const auto& claims = state_.claims().claims(job.queue, kind);
  if (claims.empty()) return std::nullopt;
  const Claim& first = claims.front();
  const std::int64_t owed = state_.claims().owed(job.queue, kind);
  const QueueLine& line = classes_[index(kind)].shares.line(job.queue);
  return Reason{"queue_is_owed",
                "queue " + state_.tree().node(job.queue).path + " runs " +
                    std::to_string(line.facts.running) + " of its guaranteed " +
                    slots_text(line.guaranteed, kind) + " and is owed " + std::to_string(owed) +
                    ": its claim for " + std::to_string(first.slots) + " " +
                    when_it_kills(first, "free " + slots_text(first.width, kind),
                                  settings_.preemption, now),
                {{"owed", owed},
                 {"running", line.facts.running},
                 {"guaranteed", line.guaranteed},
                 {"milliseconds_left", std::max<std::int64_t>(0, first.deadline - now)}}};
}

// Whose claim comes first for a free slot, and may kill what this queue borrows: not its own.
std::optional<Reason> CapacityPolicy::explain_others(const Job& job, TaskKind kind,
                                                     TimeMs now) const {
  const auto& due = state_.claims().by_deadline(kind);
  if (due.empty()) return std::nullopt;
  const auto& [deadline, queue, id] = *due.begin();
  if (queue == job.queue) return std::nullopt;
  const Claim& claim = *state_.claims().find(queue, kind, id);
  return Reason{
      "claim_comes_first",
      "what comes free goes first to " + state_.tree().node(queue).path + ", whose claim for " +
          slots_text(claim.slots, kind) + " " +
          when_it_kills(claim, "free " + slots_text(claim.width, kind), settings_.preemption, now),
      {{"slots", claim.slots}, {"milliseconds_left", std::max<std::int64_t>(0, deadline - now)}}};
}

}  // namespace weir
