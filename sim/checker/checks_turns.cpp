// Whose turn it is under the fair policy: no launch out of order, above a maximum, beyond what one
// heartbeat may give, on a tracker that is full enough, or too far from its input; and no slot idle
// that could be used.
// Judged at each launch on the cluster just before it, by walking all pools and all jobs.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "sim/checker/limits.h"
#include "sim/checker/step.h"

namespace weir::check {
namespace {

// One class on one tracker at one moment of a heartbeat.
struct Moment {
  Moment(const Step& s, const Census& c, TaskKind k, const Waits& w)
      : step(s),
        census(c),
        kind(k),
        waits(w),
        pools(c, k, *s.fair, s.where, s.engine.now()),
        queues(expect_maximums(c, k)) {
    const TrackerState& tracker = *s.tracker;
    free = tracker.total.slots(k) - c.trackers.at(tracker.id).held.slots(k);
    for (const AttemptSlot slot : tracker.attempts) {
      const Attempt& attempt = s.state.attempt(slot);
      if (attempt.key.task.kind != k || attempt.dying()) continue;
      ++tasks;
      if (attempt.has_slots()) slots += s.state.job(attempt.key.task.job).width(k);
    }
  }
  // As it was before those launches; the census is of then already.
  void before(const std::vector<LaunchMoment>& launches, std::size_t from) {
    launched = {};
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const TaskKind of = launches[i].launch->attempt.task.kind;
      if (i < from) {
        ++launched[index(of)];
      } else if (of == kind) {
        --tasks;
        slots -= step.state.job(launches[i].launch->attempt.task.job).width(kind);
      }
    }
  }

  const Step& step;
  const Census& census;
  TaskKind kind;
  const Waits& waits;  // as just before
  Pools pools;
  std::vector<ExpectedQueue> queues;
  std::int64_t free = 0;
  std::int64_t tasks = 0;                               // that run on the tracker
  std::int64_t slots = 0;                               // and what they need
  std::array<std::int64_t, kTaskKindCount> launched{};  // in this heartbeat so far

  // Slots that are kept there for somebody make an order of their own.
  bool kept() const {
    const auto here = [&](const auto& keeps) {
      return keeps.tracker == step.tracker->id && keeps.kind == kind;
    };
    const auto& book = step.state.claims();
    const auto any = [&](const auto& all) { return std::any_of(all.begin(), all.end(), here); };
    return any(book.holds()) || any(book.reservations()) || any(step.memory.holds) ||
           any(step.memory.reservations);
  }
  // ceil(slots * min(1, max_diff + demand / total)).
  std::int64_t cap() const {
    const std::int64_t all = step.tracker->total.slots(kind);
    if (!step.fair->load_cap || census.total.slots(kind) == 0) return all;
    const Rational part = Rational(step.fair->load_max_diff, 1'000'000) +
                          Rational(pools.cluster_demand(), census.total.slots(kind));
    return part >= 1 ? all : ceil_of(part * all);
  }
  bool may_give_more() const {
    if (!step.fair->assign_multiple) return launched[0] + launched[1] == 0;
    const auto most = step.fair->per_heartbeat[index(kind)];
    return !most || launched[index(kind)] < *most;
  }
  bool open() const { return free > 0 && may_give_more() && slots < cap(); }

  std::optional<std::string> over_pool_maximum(JobId job, std::int64_t width) const {
    for (std::string p = step.where.at(job); !p.empty(); p = parent_of(p)) {
      const PoolLine& line = pools.line(p);
      const auto maximum = line.rules->maximum[index(kind)];
      if (!maximum || line.running + width <= *maximum) continue;
      return fmt::format("pool {} would run {} + {} slots, its maximum is {}", p, line.running,
                         width, *maximum);
    }
    return std::nullopt;
  }
  std::optional<std::string> over_queue_maximum(QueueId leaf, std::int64_t width) const {
    return over_declared_maximum(census, queues, leaf, width);
  }
  // A task that the job has launched here since was there to be launched.
  bool has_task(const PoolJob& job) const {
    const JobCount* after = step.census.find(kind, job.count->job->id);
    return (after != nullptr && after->launchable < job.count->launchable) ||
           has_task_for(census, *job.count, kind, *step.tracker);
  }
  bool could_start(const PoolJob& job) const {
    const Job& of = *job.count->job;
    return job.runnable && job.count->launchable > 0 && job.count->width <= free &&
           has_room(census, of.need(kind), *step.tracker,
                    census.trackers.at(step.tracker->id).held) &&
           !avoids(census, of, *step.tracker) && has_task(job) &&
           !over_pool_maximum(of.id, job.count->width) &&
           !over_queue_maximum(of.queue, job.count->width);
  }
  bool waits_for_locality(const Job& job) const {
    return kind == TaskKind::kMap && step.fair->delays_maps && step.state.has_locations(job.id);
  }
  // Maps may wait for a slot near their input, but for none nearer than the level of their job.
  bool may_wait(const PoolJob& job) const {
    const Job& of = *job.count->job;
    if (!waits_for_locality(of)) return false;
    const auto wait = waits.find(of.id);
    const Locality level = wait == waits.end() ? Locality::kNode : wait->second.at_least;
    return !has_task_for(census, *job.count, kind, *step.tracker, [&](std::uint32_t map) {
      return distance(step.state, of, map, *step.tracker) <= level;
    });
  }
  std::string_view passed_rule(const PoolJob& job, std::string_view otherwise) const {
    return waits_for_locality(*job.count->job) ? "locality-passed" : otherwise;
  }
  // The first in order that could start and does not wait; nothing before `until` in that order.
  const PoolJob* first(const std::string& pool, JobId until, bool& reached) const {
    const PoolLine& line = pools.line(pool);
    for (const std::string& child : pools.in_order(pool)) {
      if (const PoolJob* found = first(child, until, reached)) return found;
      if (reached) return nullptr;
    }
    if (!line.children.empty()) return nullptr;
    for (const PoolJob* job : pools.jobs_in_order(pool)) {
      if (job->count->job->id == until) {
        reached = true;
        return nullptr;
      }
      if (could_start(*job) && !may_wait(*job)) return job;
    }
    return nullptr;
  }
};

void check_limits(const Moment& moment, const AttemptLaunched& launch, Verdict& verdict) {
  const Job& job = moment.step.state.job(launch.attempt.task.job);
  const std::int64_t width = job.width(moment.kind);
  const std::string what = attempt_name(launch.attempt) + " is launched: ";
  if (const auto over = moment.over_pool_maximum(job.id, width)) {
    verdict.breach("pool-maximum", what + *over);
  }
  if (const auto over = moment.over_queue_maximum(job.queue, width))
    verdict.breach("maximum", what + *over);
  if (!moment.may_give_more()) {
    verdict.breach("heartbeat-limit",
                   fmt::format("{}after {} maps and {} reduces in the same heartbeat", what,
                               moment.launched[0], moment.launched[1]));
  }
  if (!moment.kept() && moment.slots >= moment.cap()) {
    verdict.breach(
        "load-cap",
        fmt::format("{}tracker {} fills {} slots, and should fill {} of {} "
                    "({} of {} are wanted in the cluster)",
                    what, moment.step.tracker->name, moment.slots, moment.cap(),
                    moment.step.tracker->total.slots(moment.kind), moment.pools.cluster_demand(),
                    moment.census.total.slots(moment.kind)));
  }
}

// Maps and reduces take turns: the tracker gets that of which it runs less.
void check_kind(const Step& step, const LaunchMoment& at, std::size_t place, const Moment& taken,
                Verdict& verdict) {
  const TaskKind kind = taken.kind;
  const TaskKind other = kind == TaskKind::kMap ? TaskKind::kReduce : TaskKind::kMap;
  // Slots of reduces go to those that have copied, not to launches.
  if (step.fair->splits || step.tracker->copied > 0) return;
  Moment passed(step, at.before, other, taken.waits);
  passed.before(step.launches, place);
  const bool first =
      other == TaskKind::kMap ? passed.tasks <= taken.tasks : passed.tasks < taken.tasks;
  // Slots that are held for a pool take their turns like others.
  if (!first || !passed.open() || passed.kept()) return;
  bool reached = false;
  const PoolJob* job = passed.first("", JobId{}, reached);
  if (job == nullptr) return;
  verdict.breach(passed.passed_rule(*job, "kind-turn"),
                 fmt::format("{} is launched, but tracker {} runs {} maps or reduces of that kind "
                             "and {} of the other, which {} wants",
                             attempt_name(at.launch->attempt), step.tracker->name, taken.tasks,
                             passed.tasks, job_name(job->count->job->id)));
}

void check_order(const Moment& moment, const AttemptLaunched& launch, Verdict& verdict) {
  const JobId id = launch.attempt.task.job;
  bool reached = false;
  const PoolJob* before = moment.first("", id, reached);
  if (before == nullptr) return;
  const JobId passed = before->count->job->id;
  const auto standing = [&](JobId job) {
    const std::string& pool = moment.step.where.at(job);
    const PoolLine& line = moment.pools.line(pool);
    const PoolJob* own = moment.pools.find(job);
    return fmt::format(
        "{} (runs {}, weight {:.6f}) of pool {} (runs {}, minimum {}, demand {}, "
        "weight {:.6f})",
        job_name(job), own->running, own->weight.convert_to<double>(), pool, line.running,
        line.minimum, line.demand, static_cast<double>(line.rules->weight) / 1e6);
  };
  verdict.breach(moment.passed_rule(*before, "pool-order"),
                 fmt::format("{} is launched, of {}, but {} comes before it and "
                             "could start there",
                             attempt_name(launch.attempt), standing(id), standing(passed)));
}

// No further from its input than what the job can have waited at most allows.
void check_near(const Moment& moment, const AttemptLaunched& launch, Verdict& verdict) {
  const Step& step = moment.step;
  const Job& job = step.state.job(launch.attempt.task.job);
  if (!moment.waits_for_locality(job) || moment.kept() ||
      starved(step, step.where.at(job.id), moment.kind)) {
    return;
  }
  const auto known = moment.waits.find(job.id);
  const Wait wait = known == moment.waits.end() ? Wait{} : known->second;
  const Locality away = distance(step.state, job, launch.attempt.task.index, *step.tracker);
  const Locality allowed = furthest(wait, job, *step.fair, step.state, step.engine.now());
  if (away <= allowed) return;
  verdict.breach("locality-early",
                 fmt::format("{} is launched on tracker {}, level {}: its last map at {} ms was at "
                             "level {}, so that {} is all that it may",
                             attempt_name(launch.attempt), step.tracker->name, name(away),
                             wait.cleared_at, name(wait.at_most), name(allowed)));
}

// What a job is owed, and whether it runs what its pool's minimum share guarantees it.
struct Owed {
  Rational owed;
  bool below = false, reached = false;  // neither: too close to tell
};

Owed owed_to(const Moment& moment, const PoolJob& job) {
  Owed result;
  const auto& accounts = moment.step.memory.pools.accounts;
  const auto account = accounts.find({job.count->job->id, moment.kind});
  if (account != accounts.end()) result.owed = account->second.owed;
  const PoolLine& line = moment.pools.line(moment.step.where.at(job.count->job->id));
  std::vector<Claimant> claimants;
  std::size_t own = 0;
  for (const PoolJob& member : line.jobs) {
    if (&member == &job) own = claimants.size();
    claimants.push_back({member.demand, 0, member.weight});
  }
  const Rational guarantee = shares_of(line.minimum, claimants)[own];
  result.below = guarantee - job.running > Rational(1, 1000);
  result.reached = guarantee - job.running < Rational(1, 10'000'000);
  return result;
}

// Under deficits those below their guarantee come first, then those to whom most is owed. The last
// update's figures count; those to whom exactly the same is owed go by submit time and name.
void check_deficit_order(const Moment& moment, const AttemptLaunched& launch, Verdict& verdict) {
  const PoolMemory& memory = moment.step.memory.pools;
  const auto demoted = [](const Event& event) {
    const auto* change = fact_as<JobStateChanged>(event.fact);
    return change != nullptr && change->state == JobState::kWaiting;
  };
  const auto& events = moment.step.output.events;
  if (!memory.counting || !memory.known || std::any_of(events.begin(), events.end(), demoted)) {
    return;
  }
  const PoolJob& taken = *moment.pools.find(launch.attempt.task.job);
  const Owed own = owed_to(moment, taken);
  // Where weights have last digits of their own, so has what is owed, in slot-ms.
  const bool exact = !moment.step.fair->size_based;
  const Rational digits = exact ? Rational(1, 1000) : Rational(5);
  const auto came_before = [](const PoolJob& a, const PoolJob& b) {
    const auto turn = [](const Job& job) {
      return std::tie(job.submitted_at, job.spec->name, job.id);
    };
    return turn(*a.count->job) < turn(*b.count->job);
  };
  for (const auto& [path, line] : moment.pools.lines) {
    for (const PoolJob& job : line.jobs) {
      if (&job == &taken || !moment.could_start(job) || moment.may_wait(job)) continue;
      const Owed other = owed_to(moment, job);
      const bool same = (own.below && other.below) || (own.reached && other.reached);
      const bool tie = exact && other.owed == own.owed && came_before(job, taken);
      const bool before =
          (other.below && own.reached) || (same && (tie || other.owed > own.owed + digits));
      if (!before) continue;
      const auto standing = [](const PoolJob& of, const Owed& owed) {
        return fmt::format("{} ({} its guarantee, owed {:.0f} slot-ms)",
                           job_name(of.count->job->id), owed.below ? "below" : "at",
                           owed.owed.convert_to<double>());
      };
      verdict.breach(
          moment.passed_rule(job, "deficit-order"),
          fmt::format("{} is launched, of {}, but {} comes before it and could start "
                      "there",
                      attempt_name(launch.attempt), standing(taken, own), standing(job, other)));
    }
  }
}

}  // namespace

void check_turns(const Step& step, Verdict& verdict) {
  if (!step.fair || step.heartbeat == nullptr || !step.memory.every_step) return;
  Waits waits = step.memory.waits;
  for (std::size_t i = 0; i < step.launches.size() && verdict.clean(); ++i) {
    const LaunchMoment& at = step.launches[i];
    const AttemptLaunched& launch = *at.launch;
    if (step.state.find_job(launch.attempt.task.job) == nullptr) continue;
    if (launch.to_copy) continue;  // places to copy in go round in an order of their own
    Moment moment(step, at.before, launch.attempt.task.kind, waits);
    moment.before(step.launches, i);
    check_limits(moment, launch, verdict);
    if (launch.speculative) continue;  // whose turn is over: nobody else wanted the slot
    if (verdict.clean()) check_near(moment, launch, verdict);
    if (verdict.clean()) check_kind(step, at, i, moment, verdict);
    if (verdict.clean() && !moment.kept()) {
      (step.fair->deficit ? check_deficit_order : check_order)(moment, launch, verdict);
    }
    follow_launch(step, launch, waits);
  }
  if (!verdict.clean() || !step.heartbeat->asks_for_tasks || step.engine.recovering() ||
      !in_pool(*step.tracker)) {
    return;
  }
  for (const TaskKind kind : kTaskKinds) {
    if (kind == TaskKind::kReduce && (step.fair->splits || step.tracker->copied > 0)) continue;
    Moment moment(step, step.census, kind, waits);
    moment.before(step.launches, step.launches.size());
    if (!moment.open() || moment.kept()) continue;
    bool reached = false;
    const PoolJob* job = moment.first("", JobId{}, reached);
    if (job == nullptr) continue;
    verdict.breach(moment.passed_rule(*job, "idle-slot"),
                   fmt::format("tracker {} has {} {} slots free, but {} of pool {} could start "
                               "there",
                               step.tracker->name, moment.free, name(kind),
                               job_name(job->count->job->id), step.where.at(job->count->job->id)));
  }
}

}  // namespace weir::check
