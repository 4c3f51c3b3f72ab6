#include "capacity/container_explain.h"

#include <algorithm>
#include <tuple>

#include "capacity/claim_words.h"
#include "jobqueue/policy/container_reasons.h"

namespace weir {
namespace {

constexpr const char* kServes = "make room for one task";

}  // namespace

std::string ContainerExplain::text(Dimension d, std::int64_t amount) const {
  return amount_text(state_.space(), d, amount);
}

std::vector<Reason> ContainerExplain::reasons(const Job& job, TaskKind kind, TimeMs now) const {
  if (auto wider = reason_of_width(state_, standing_.bounds(), job.queue, job.need(kind)))
    return {std::move(*wider)};
  std::vector<Reason> reasons;
  const auto add = [&](std::optional<Reason> reason) {
    if (reason) reasons.push_back(std::move(*reason));
  };
  const auto kept = kept_ == nullptr
                        ? std::nullopt
                        : reason_of_kept(state_, job, job.need(kind), *kept_,
                                         "queues that do not lend their guarantees");
  add(of_user(job, kind));
  // What holds it back while room is free is what others keep, not what is allocated.
  if (auto reason = of_queues(job, kind); reason && !(kept && reason->code == "queue_at_capacity"))
    reasons.push_back(std::move(*reason));
  add(of_claims(job.queue, now));
  add(of_others(job.queue, now));
  add(kept);
  for (Reason& reason : reasons_of_room(state_, job, kind, now))
    reasons.push_back(std::move(reason));
  add(of_jobs(job, kind));
  return reasons;
}

std::optional<Reason> ContainerExplain::of_user(const Job& job, TaskKind kind) const {
  const Resources& need = job.need(kind);
  const auto over = ContainerUsers::InLeaf(users_, job.queue).where_over(job.user, need);
  if (!over) return std::nullopt;
  const QueueTree::Node& queue = state_.tree().node(job.queue);
  const bool soft = queue.settings.user_limit.mode == UserLimit::Mode::kSoft;
  return Reason{"user_at_limit",
                "user " + state_.user_name(job.user) + " holds " +
                    text(over->dimension, over->has) + " of their limit of " +
                    text(over->dimension, over->allowed) + " in queue " + queue.path +
                    (soft ? "; others of the queue come first" : ""),
                {{"running", over->has}, {"limit", over->allowed}}};
}

std::optional<Reason> ContainerExplain::of_queues(const Job& job, TaskKind kind) const {
  const Resources& need = job.need(kind);
  std::optional<Reason> found;
  for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (auto full = reason_of_maximum(state_, standing_.bounds(), q, job.id, need)) return full;
    if (!found) found = at_capacity(q, need);
  }
  return found;
}

std::optional<Reason> ContainerExplain::at_capacity(QueueId queue, const Resources& need) const {
  for (const Dimension d : state_.space().dimensions()) {
    const QueueLine& line = standing_.line(queue, d);
    const std::int64_t running = line.facts.running;
    if (need[d] == 0 || running + need[d] <= line.allocated) continue;
    const std::int64_t borrowed = std::max<std::int64_t>(0, running - line.guaranteed);
    return Reason{"queue_at_capacity",
                  "queue " + state_.tree().node(queue).path + " runs " + text(d, running) +
                      (running > line.allocated ? ", more than its allocated "
                                                : " of its allocated ") +
                      text(d, line.allocated) +
                      (borrowed > 0 ? ", " + text(d, borrowed) + " of it borrowed" : "") +
                      " (guaranteed " + text(d, line.guaranteed) + ")" +
                      (need[d] > line.allocated ? "; the task needs " + text(d, need[d]) : ""),
                  {{"running", running},
                   {"allocated", line.allocated},
                   {"guaranteed", line.guaranteed},
                   {"borrowed", borrowed}}};
  }
  return std::nullopt;
}

std::optional<Reason> ContainerExplain::of_claims(QueueId leaf, TimeMs now) const {
  const Claim* first = nullptr;
  std::string owed;
  Reason reason{"queue_is_owed", "", {}};
  for (const Dimension d : state_.space().dimensions()) {
    const auto& claims = state_.claims().claims(leaf, d);
    if (claims.empty()) continue;
    const std::int64_t all = state_.claims().owed(leaf, d);
    owed += (owed.empty() ? "" : " and ") + text(d, all);
    reason.numbers.emplace_back("owed_" + std::string(state_.space().name(d)), all);
    if (first == nullptr || claims.front().deadline < first->deadline) first = &claims.front();
  }
  if (first == nullptr) return std::nullopt;
  const QueueLine& line = standing_.line(leaf, first->dimension);
  reason.message = "queue " + state_.tree().node(leaf).path + " runs " +
                   text(first->dimension, line.facts.running) + " of its guaranteed " +
                   text(first->dimension, line.guaranteed) + " and is owed " + owed +
                   ": its claim for " + text(first->dimension, first->slots) + " " +
                   when_it_kills(*first, kServes, preemption_, now);
  reason.numbers.emplace_back("milliseconds_left",
                              std::max<std::int64_t>(0, first->deadline - now));
  return reason;
}

// A claim of the leaf's own comes before those of later deadlines.
std::optional<Reason> ContainerExplain::of_others(QueueId leaf, TimeMs now) const {
  const Claim* first = nullptr;
  for (const Dimension d : state_.space().dimensions()) {
    const auto& due = state_.claims().by_deadline(d);
    if (due.empty()) continue;
    const auto& [deadline, queue, id] = *due.begin();
    if (first == nullptr || std::tuple(deadline, queue) < std::tuple(first->deadline, first->queue))
      first = state_.claims().find(queue, d, id);
  }
  if (first == nullptr || first->queue == leaf) return std::nullopt;
  return Reason{"claim_comes_first",
                "what comes free goes first to " + state_.tree().node(first->queue).path +
                    ", whose claim for " + text(first->dimension, first->slots) + " " +
                    when_it_kills(*first, kServes, preemption_, now),
                {{"amount", first->slots},
                 {"milliseconds_left", std::max<std::int64_t>(0, first->deadline - now)}}};
}

std::optional<Reason> ContainerExplain::of_jobs(const Job& job, TaskKind kind) const {
  return reason_of_jobs_before(standing_.items(job.queue), {job_order(state_, job), kind},
                               " in queue " + state_.tree().node(job.queue).path);
}

}  // namespace weir
