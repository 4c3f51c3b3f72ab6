#include "tracker/jobtracker/engine_counting.h"

#include <algorithm>

#include "jobqueue/model/space.h"

namespace weir {
namespace {

double seconds(DurationMs ms) {
  return static_cast<double>(std::max<DurationMs>(ms, 0)) / 1'000;
}

class Counting {
 public:
  Counting(EngineCounters& counters, const Engine& engine, bool told)
      : counters_(counters), engine_(engine), told_(told) {}

  template <class Fact>
  void operator()(const Fact&) {}

  void operator()(const AttemptLaunched& fact) {
    auto& of = of_class(fact.attempt);
    of.launches[static_cast<std::size_t>(fact.locality)].add();
    if (fact.speculative) of.speculative.add();
  }
  void operator()(const AttemptEnded& fact) {
    auto& of = of_class(fact.attempt);
    if (fact.how == AttemptEnded::How::kSucceeded) of.succeeded.add();
    if (fact.how == AttemptEnded::How::kFailed) of.failed.add();
    if (fact.how != AttemptEnded::How::kKilled) return;
    of.killed.add();
    if (told_) kill(fact.attempt, KillReason::kTrackerLost, fact.held_ms);
  }
  void operator()(const KillOrdered& fact) { kill(fact.attempt, fact.reason, fact.ran_ms); }
  void operator()(const ClaimOpened& fact) {
    if (fact.again) return;
    auto& of = by(fact.dimension);
    of.claims_opened.add();
    of.claim_slots_opened.add(fact.slots);
  }
  void operator()(const ClaimMet& fact) {
    by(fact.dimension).claim_slots_met.add(fact.slots);
  }
  void operator()(const ClaimDropped& fact) {
    by(fact.dimension).claim_slots_dropped.add(fact.slots);
  }
  void operator()(const JobSubmitted&) { counters_.jobs_submitted.add(); }
  void operator()(const JobStateChanged& fact) {
    if (!is_over(fact.state)) return;
    counters_.jobs_ended[static_cast<std::size_t>(fact.state)].add();
    if (!fact.record || fact.record->started_at == 0) return;
    const JobRecord& job = *fact.record;
    counters_.job_wait_seconds.observe(seconds(job.started_at - job.submitted_at));
    counters_.job_run_seconds.observe(seconds(job.finished_at - job.started_at));
  }
  void operator()(const TrackerChanged& fact) {
    if (fact.how == TrackerChanged::How::kLost) counters_.trackers_lost.add();
  }
  void operator()(const Refused&) { counters_.commands_refused.add(); }
  void operator()(const SettingsChanged&) { counters_.settings_changes.add(); }
  void operator()(const PolicyChanged&) { counters_.policy_switches.add(); }

 private:
  EngineCounters::OfClass& of_class(const AttemptKey& attempt) {
    return counters_.of[EngineCounters::class_of(attempt.task.kind)];
  }
  EngineCounters::OfDimension& by(Dimension d) { return counters_.by[d.value()]; }
  void kill(const AttemptKey& attempt, KillReason reason, DurationMs held_ms) {
    const Job* job = engine_.state().find_job(attempt.task.job);
    const std::int64_t slots = job == nullptr ? 1 : job->width(attempt.task.kind);
    auto& of = of_class(attempt);
    of.kills[static_cast<std::size_t>(reason)].add();
    of.wasted_slot_ms[static_cast<std::size_t>(reason)].add(slots * held_ms);
    const Space& space = engine_.state().space();
    if (job == nullptr || !space.containers()) return;
    const Resources& need = job->need(attempt.task.kind);
    for (const Dimension d : space.dimensions())
      by(d).wasted_ms[static_cast<std::size_t>(reason)].add(need[d] * held_ms);
  }

  EngineCounters& counters_;
  const Engine& engine_;
  const bool told_;
};

}  // namespace

void count_event(EngineCounters& counters, const Event& event, const Engine& engine, bool told) {
  visit_fact(Counting(counters, engine, told), event.fact);
}

}  // namespace weir
