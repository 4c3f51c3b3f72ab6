#include "bench/churn.h"

#include <algorithm>
#include <string>

namespace weir::bench {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::uint64_t kHeartbeatsPerToggle = 1000;
constexpr std::uint32_t kVisitorsPerQueue = 5;
constexpr std::uint64_t kVisitorNames = 1000;
constexpr std::uint64_t kFirstReplacement = 1'000'000'000;  // numbers beyond those of the load

}  // namespace

void Churn::follow(std::uint32_t job, JobId id) {
  if (id.index() >= numbers_.size()) numbers_.resize(id.index() + 1, kNone);
  numbers_[id.index()] = job;
}

void Churn::watch(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (const auto* kill = fact_as<KillOrdered>(event.fact)) {
      if (is_preemption(kill->reason)) ++reclaimed_;
      continue;
    }
    const auto* change = fact_as<JobStateChanged>(event.fact);
    if (change == nullptr || !is_over(change->state)) continue;
    ++jobs_ended_;
    if (change->job.index() >= numbers_.size()) continue;
    const std::uint32_t job = numbers_[change->job.index()];
    if (job != kNone) ended_.push_back(job);
  }
}

std::int64_t Churn::submit(StopwatchEngine& engine, const JobShape& shape, JobId& id) {
  const std::int64_t ns = engine.handle(make_job(load_, shape));
  for (const Reply& reply : engine.output().replies) {
    if (const auto* submitted = std::get_if<Submitted>(&reply.body)) id = submitted->job;
  }
  return ns;
}

std::int64_t Churn::advance(StopwatchEngine& engine, std::uint64_t heartbeats) {
  std::int64_t ns = 0;
  for (const std::uint32_t job : ended_) {
    JobId id;
    ns += submit(engine,
                 {.queue = queue_of_job(load_, job),
                  .user = "user" + std::to_string(job / load_.queues % 5),
                  .maps = load_.maps(),
                  .reduces = load_.reduces(),
                  .number = kFirstReplacement + ++arrivals_},
                 id);
    if (id.valid()) follow(job, id);
  }
  ended_.clear();
  if (heartbeats / kHeartbeatsPerToggle > toggles_) {
    ++toggles_;
    ns += toggle(engine);
  }
  return ns;
}

std::int64_t Churn::toggle(StopwatchEngine& engine) {
  std::int64_t ns = 0;
  if (!visitors_.empty()) {
    for (const auto& [id, user] : visitors_) {
      ns += engine.handle(KillJob{{user, {}}, id});
      watch(engine.output().events);
    }
    visitors_.clear();
    return ns;
  }
  const auto share = [this](std::uint32_t slots) {
    const std::uint32_t guaranteed = load_.trackers * slots / load_.queues;
    return std::max<std::uint32_t>(2 * guaranteed / kVisitorsPerQueue, 1);
  };
  for (std::uint32_t q = 0; q < load_.queues; ++q) {
    if (!is_visitors_queue(q)) continue;
    for (std::uint32_t v = 0; v < kVisitorsPerQueue; ++v) {
      const std::string user = "visitor" + std::to_string(++arrivals_ % kVisitorNames);
      JobId id;
      ns += submit(engine,
                   {.queue = q,
                    .user = user,
                    .maps = share(load_.map_slots),
                    .reduces = share(load_.reduce_slots),
                    .number = kFirstReplacement + arrivals_},
                   id);
      if (id.valid()) visitors_.emplace_back(id, user);
    }
  }
  return ns;
}

std::int64_t Churn::change_settings(StopwatchEngine& engine) {
  constexpr std::int64_t kOtherUserMinimum = 5000;
  return engine.handle(ApplySettings{{"bench", {}}, make_settings(load_, kOtherUserMinimum)});
}

}  // namespace weir::bench
