#include "report/tally.h"

#include <algorithm>
#include <utility>

#include "jobqueue/model/job_state.h"
#include "report/counted.h"

namespace weir::report {
namespace {

const std::string kCluster;  // no queue has this path

bool slower(const SlowJob& a, const SlowJob& b) {
  return std::tuple(-a.response_ms, a.submitted_at, a.id) <
         std::tuple(-b.response_ms, b.submitted_at, b.id);
}

}  // namespace

void Tally::add_cluster(std::size_t of, TimeMs from, TimeMs to, const Figures& figures) {
  timeline_.add(kCluster, of, from, to, figures);
}

void Tally::add_use(const std::string& queue, std::size_t of, double slot_s) {
  std::vector<double>& used = totals(queue).used_slot_s;
  if (used.size() <= of) used.resize(of + 1);
  used[of] += slot_s;
}

QueueTotals& Tally::totals(const std::string& queue) {
  QueueTotals& totals = totals_[queue];
  totals.queue = queue;
  return totals;
}

void Tally::add_end(const SlowJob& job) {
  QueueTotals& queue = totals(job.queue);
  queue.responses.push_back(job.response_ms);
  queue.succeeded += job.state == name(JobState::kSucceeded);
  queue.failed += job.state == name(JobState::kFailed);
  queue.killed += job.state == name(JobState::kKilled);
  if (slowest_.size() == kSlowestJobs && !slower(job, slowest_.back())) return;
  slowest_.insert(std::upper_bound(slowest_.begin(), slowest_.end(), job, slower), job);
  if (slowest_.size() > kSlowestJobs) slowest_.pop_back();
}

void Tally::add_kill(const Kill& kill) {
  Kills& between = kills_[{kill.victim, kill.claimant, kill.reason}];
  between.victim = kill.victim;
  between.claimant = kill.claimant;
  between.reason = kill.reason;
  ++between.count;
  add_up(between.wasted_slot_s, kill.wasted_slot_s);
  QueueTotals& victim = totals(kill.victim);
  ++victim.lost;
  add_up(victim.wasted_slot_s, kill.wasted_slot_s);
  if (!kill.claimant.empty()) ++totals(kill.claimant).gained;
  timeline_.add_kill(kill.victim, kill.at, kill.wasted_slot_s);
}

void Tally::hand_over(TimeMs end, Report& report) {
  report.cluster = timeline_.series(kCluster, end);
  for (const std::string& queue : timeline_.queues()) {
    if (queue == kCluster) continue;
    report.queues.push_back(timeline_.series(queue, end));
    QueueTotals& of_queue = totals(queue);
    of_queue.lent_slot_s = timeline_.lent_slot_s(queue);
    of_queue.borrowed_slot_s = timeline_.borrowed_slot_s(queue);
  }
  for (auto& [name, queue] : totals_) report.totals.push_back(std::move(queue));
  for (auto& [between, kills] : kills_) report.kills.push_back(std::move(kills));
  // What cost most comes first: most slots, or most of the first dimension.
  const auto cost = [&report](const Kills& kills) {
    const std::vector<double>& of = kills.wasted_slot_s;
    return report.slots() || of.empty() ? in_all(of) : of.front();
  };
  std::stable_sort(report.kills.begin(), report.kills.end(),
                   [&](const Kills& a, const Kills& b) { return cost(a) > cost(b); });
  report.slowest = std::move(slowest_);
}

}  // namespace weir::report
