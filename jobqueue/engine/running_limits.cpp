#include "jobqueue/engine/running_limits.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "jobqueue/model/check.h"
#include "jobqueue/model/job_type.h"

namespace weir {

bool keeps_place(const Job& job) {
  return job.state == JobState::kRunning &&
         (job.duty != Job::Duty::kNone || job.type->waits_for_its_own(job));
}

bool runs_before(const Job& a, const Job& b) {
  return std::tie(a.priority, a.submitted_at, a.spec->name, a.id) <
         std::tie(b.priority, b.submitted_at, b.spec->name, b.id);
}

// --- Following the jobs ---

void RunningLimits::follow(const Policy& policy) {
  jobs_ = {};
  stands_ = {};
  classes_.clear();
  groups_.clear();
  touched_.clear();
  asked_.clear();
  const Pools* pools = policy.pools();
  pools_ = pools != nullptr && pools->limits_running_jobs() ? pools : nullptr;
  for (const auto& [id, job] : state_.jobs()) update(*job);
  for (auto& [name, group] : groups_) touch(group);
}

RunningLimits::Turn RunningLimits::turn_of(const Job& job) const {
  if (across()) return {job.priority, job.submitted_at, job.spec->name, job.id};
  const JobOrder order = job_order(state_, job);
  return {order.priority, order.submitted_at, {}, order.id};
}

RunningLimits::Standing RunningLimits::standing_of(const Job& job) const {
  if (!job.durable || job.held || is_over(job.state)) return Standing::kNone;
  if (job.state == JobState::kWaiting) return Standing::kWaits;
  const bool keeps = stand_of(job.id).limited && keeps_place(job);
  return keeps ? Standing::kKeeps : Standing::kYields;
}

void RunningLimits::update_stand(const Job& job) {
  const Standing before = standing(job.id), now = standing_of(job);
  if (before == now) return;
  if (before == Standing::kNone) return enter(job);
  if (now == Standing::kNone) return leave(job.id);
  const Entry& entry = *jobs_.find(job.id);
  if (before == Standing::kYields && now == Standing::kKeeps) {
    // Nobody gains: those before it see one more who runs.
    for (Group* group : entry.in->limited) group->yielding.erase(entry.turn);
    stands_[job.id.index()].standing = now;
    return;
  }
  unstand(entry);
  stand(entry, now);
}

void RunningLimits::regroup(const Job& job) {
  if (standing(job.id) != Standing::kNone) leave(job.id);
  update(job);
}

void RunningLimits::enter(const Job& job) {
  Entry& entry = jobs_[job.id];
  entry.turn = turn_of(job);
  entry.in = &class_of(job);
  ++entry.in->jobs;
  stands_.take(job.id.index()).limited = !entry.in->limited.empty();
  stand(entry, standing_of(job));
}

void RunningLimits::leave(JobId job) {
  const Entry& entry = *jobs_.find(job);
  Class& in = *entry.in;
  unstand(entry);
  stands_.give_up(job.index());
  jobs_.erase(job);
  if (--in.jobs == 0) drop_class(in);
}

void RunningLimits::stand(const Entry& entry, Standing now) {
  stands_[entry.turn.id.index()].standing = now;
  if (now == Standing::kWaits) {
    entry.in->waiting.insert(entry.turn);
    return ask(*entry.in);
  }
  for (Group* group : entry.in->limited) {
    count(*group, 1);
    if (now == Standing::kYields) group->yielding.insert(entry.turn);
    if (group->excess() > 0) touch(*group);
  }
}

void RunningLimits::unstand(const Entry& entry) {
  const Standing before = standing(entry.turn.id);
  if (before == Standing::kWaits) {
    entry.in->waiting.erase(entry.turn);
    return;
  }
  for (Group* group : entry.in->limited) {
    count(*group, -1);
    if (before == Standing::kYields) group->yielding.erase(entry.turn);
    touch(*group);
  }
}

void RunningLimits::count(Group& group, std::int64_t by) const {
  group.running += by;
  group.places = across() ? group.limit : std::max(group.limit, group.running);
}

// --- Groups and classes ---

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

std::string queue_group(const QueueTree::Node& queue) {
  return "queue " + queue.path;
}

}  // namespace

std::vector<RunningGroup> RunningLimits::groups_of(const Job& job) const {
  std::vector<RunningGroup> groups;
  if (across()) pools_->running_groups(job, groups);
  const QueueTree::Node& queue = state_.tree().node(job.queue);
  const auto& limit = queue.settings.max_running_jobs;
  if (limit || !across()) groups.push_back({queue_group(queue), limit.value_or(kNoLimit)});
  if (const auto limit = queue.settings.max_running_jobs_per_user) {
    groups.push_back({"user " + state_.user_name(job.user) + " in queue " + queue.path, *limit});
  }
  return groups;
}

RunningLimits::Class& RunningLimits::class_of(const Job& job) {
  const std::vector<RunningGroup> groups = groups_of(job);
  std::vector<std::string> names;
  for (const RunningGroup& group : groups) names.push_back(group.name);
  const auto [found, made] = classes_.try_emplace(std::move(names));
  Class& jobs = found->second;
  if (!made) return jobs;
  for (const RunningGroup& named : groups) {
    Group& group = groups_[named.name];
    group.name = named.name;
    group.limit = named.limit;
    count(group, 0);
    group.classes.push_back(&jobs);
    jobs.groups.push_back(&group);
    if (group.limit != kNoLimit) jobs.limited.push_back(&group);
  }
  return jobs;
}

// Its last job has gone; groups go with their last class.
void RunningLimits::drop_class(Class& unused) {
  if (unused.asked) std::erase(asked_, &unused);
  std::vector<std::string> names;
  for (Group* group : unused.groups) {
    names.push_back(group->name);
    std::erase(group->classes, &unused);
    if (!group->classes.empty()) continue;
    if (group->touched) std::erase(touched_, group);
    groups_.erase(names.back());
  }
  classes_.erase(names);
}

// Of one queue at a time nothing is noted: its turns are asked for where something has happened.
void RunningLimits::touch(Group& group) {
  if (across() && !std::exchange(group.touched, true)) touched_.push_back(&group);
}

void RunningLimits::ask(Class& jobs) {
  if (across() && !std::exchange(jobs.asked, true)) asked_.push_back(&jobs);
}

// --- Planning ---

// Ascending by turn, as the walk goes. What stands before the turn at hand is what the walk would
// have made of it; what stands after it is as it was.
AdmissionPlan RunningLimits::plan() {
  Sweep sweep;
  for (Group* group : touched_) {
    group->touched = false;
    if (group->excess() > 0) sweep.crowded.push_back(group);
    for (Class* jobs : group->classes) ask_from(*jobs, jobs->waiting.begin(), sweep);
  }
  for (Class* jobs : asked_) {
    jobs->asked = false;
    ask_from(*jobs, jobs->waiting.begin(), sweep);
  }
  touched_.clear();
  asked_.clear();
  while (true) {
    const Turn* loser = first_to_yield(sweep);
    const bool waiters = !sweep.next.empty();
    if (loser == nullptr && !waiters) return std::move(sweep.plan);
    if (loser != nullptr && (!waiters || *loser < sweep.next.begin()->first)) {
      demote(Turn(*loser), sweep);
    } else {
      admit_next(sweep);
    }
  }
}

AdmissionPlan RunningLimits::turn(QueueId leaf) {
  Sweep sweep;
  const auto queue = groups_.find(queue_group(state_.tree().node(leaf)));
  if (queue == groups_.end()) return {};
  for (Class* jobs : queue->second.classes) ask_from(*jobs, jobs->waiting.begin(), sweep);
  while (!sweep.next.empty() && sweep.plan.admit.empty()) admit_next(sweep);
  while (const Turn* loser = first_to_yield(sweep)) demote(Turn(*loser), sweep);
  return std::move(sweep.plan);
}

// A class is asked once at a time: who waits first is before all others of it.
void RunningLimits::ask_from(Class& jobs, std::set<Turn>::const_iterator first, Sweep& sweep) {
  if (first == jobs.waiting.end() || !sweep.asked.insert(&jobs).second) return;
  sweep.next.emplace(*first, &jobs);
}

// As the walk finds it at that turn: who yields and comes later has taken no place yet.
bool RunningLimits::has_room(const Class& jobs, const Turn& turn) {
  return std::all_of(jobs.limited.begin(), jobs.limited.end(), [&](const Group* group) {
    auto last = group->yielding.end();
    for (std::int64_t more = group->excess(); more >= 0; --more) {
      if (last == group->yielding.begin() || !(turn < *--last)) return false;
    }
    return true;
  });
}

// Of a group that is over its limit by n, the nth from the end finds no room.
const RunningLimits::Turn* RunningLimits::first_to_yield(const Sweep& sweep) {
  const Turn* first = nullptr;
  for (const Group* group : sweep.crowded) {
    const std::int64_t excess = group->excess();
    const auto size = static_cast<std::int64_t>(group->yielding.size());
    if (excess <= 0 || size == 0) continue;
    auto loser = group->yielding.begin();
    if (excess * 2 < size) {
      loser = std::prev(group->yielding.end(), excess);
    } else if (excess < size) {
      std::advance(loser, size - excess);
    }
    if (first == nullptr || *loser < *first) first = &*loser;
  }
  return first;
}

void RunningLimits::admit_next(Sweep& sweep) {
  const auto [turn, jobs] = *sweep.next.begin();
  sweep.next.erase(sweep.next.begin());
  sweep.asked.erase(jobs);
  if (!has_room(*jobs, turn)) return;
  const auto place = jobs->waiting.find(turn);
  WEIR_CHECK(place != jobs->waiting.end(), "who is asked waits");
  ask_from(*jobs, jobs->waiting.erase(place), sweep);
  for (Group* group : jobs->limited) {
    ++group->running;
    group->yielding.insert(turn);
    if (group->excess() > 0 &&
        std::find(sweep.crowded.begin(), sweep.crowded.end(), group) == sweep.crowded.end()) {
      sweep.crowded.push_back(group);
    }
  }
  stands_[turn.id.index()].standing = Standing::kYields;
  sweep.plan.admit.push_back(turn.id);
}

void RunningLimits::demote(const Turn& turn, Sweep& sweep) {
  const Entry& entry = *jobs_.find(turn.id);
  stands_[turn.id.index()].standing = Standing::kWaits;
  for (Group* group : entry.in->limited) {
    count(*group, -1);
    group->yielding.erase(turn);
    for (Class* jobs : group->classes) {
      ask_from(*jobs, jobs->waiting.upper_bound(turn), sweep);
    }
  }
  entry.in->waiting.insert(turn);
  sweep.plan.demote.push_back(turn.id);
}

std::vector<Reason> RunningLimits::full_groups(JobId job) const {
  std::vector<Reason> reasons;
  if (standing(job) == Standing::kNone) return reasons;
  for (const Group* group : jobs_.find(job)->in->limited) {
    if (group->excess() < 0) continue;
    reasons.push_back({"running_jobs_limit",
                       group->name + " runs " + std::to_string(group->running) + " of at most " +
                           std::to_string(group->limit) + " jobs at a time",
                       {{"running", group->running}, {"limit", group->limit}}});
  }
  return reasons;
}

std::map<std::string, RunningLimits::Figures> RunningLimits::figures() const {
  std::map<std::string, Figures> all;
  for (const auto& [name, group] : groups_) {
    Figures& of = all[name];
    of.running = group.running;
    of.yielding = group.yielding.size();
    for (const Class* jobs : group.classes) of.waiting += jobs->waiting.size();
  }
  return all;
}

}  // namespace weir
