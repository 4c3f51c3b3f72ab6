// Why tasks wait under the capacity policy: the same figures that decide, with their names.
#include "capacity/capacity_policy.h"

namespace weir {
namespace {

std::string slots_text(std::int64_t slots, TaskKind kind) {
  return std::to_string(slots) + " " + name(kind) + (slots == 1 ? " slot" : " slots");
}

}  // namespace

std::vector<Reason> CapacityPolicy::explain(JobId id, TaskKind kind) const {
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
  std::vector<Reason> reasons;
  if (auto reason = explain_user(job, kind)) reasons.push_back(std::move(*reason));
  if (auto reason = explain_queues(job, kind)) reasons.push_back(std::move(*reason));
  const auto before = classes_[index(kind)].leaves[entry->leaf.index()].jobs_before(entry->order);
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
      classes_[index(kind)].leaves[job.queue.index()].user_running(job.user);
  if (running + need <= limit) return std::nullopt;
  const QueueTree::Node& queue = state_.tree().node(job.queue);
  const bool soft = queue.settings.user_limit.mode == UserLimit::Mode::kSoft;
  return Reason{"user_at_limit",
                "user " + state_.user_name(job.user) + " holds " + std::to_string(running) +
                    " of his limit of " + slots_text(limit, kind) + " in queue " + queue.path +
                    (soft ? "; others of the queue come first" : ""),
                {{"running", running}, {"limit", limit}}};
}

// The queue nearest to the job that is at its maximum, or else at what is allocated to it.
std::optional<Reason> CapacityPolicy::explain_queues(const Job& job, TaskKind kind) const {
  const std::int64_t need = width(job.id, kind);
  std::optional<Reason> at_capacity;
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().node(q).parent) {
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
    at_capacity = Reason{
        "queue_at_capacity",
        "queue " + path +
            (running > line.allocated
                 ? " runs " + std::to_string(running) + ", more than its allocated "
                 : " is at its allocated " + std::to_string(running) + " of ") +
            slots_text(line.allocated, kind) + " (guaranteed " + std::to_string(line.guaranteed) +
            ")",
        {{"running", running}, {"allocated", line.allocated}, {"guaranteed", line.guaranteed}}};
  }
  return at_capacity;
}

}  // namespace weir
