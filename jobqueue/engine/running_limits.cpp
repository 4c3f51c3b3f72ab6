#include "jobqueue/engine/running_limits.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "jobqueue/model/check.h"

namespace weir {

bool reduces_need_maps(const Job& job) {
  const TaskGroup& maps = job.tasks(TaskKind::kMap);
  return job.tasks(TaskKind::kReduce).alive() > 0 && maps.succeeded < maps.total;
}

bool keeps_place(const Job& job) {
  return job.state == JobState::kRunning &&
         (job.duty != Job::Duty::kNone || reduces_need_maps(job));
}

bool runs_before(const Job& a, const Job& b) {
  return std::tie(a.priority, a.submitted_at, a.spec->name, a.id) <
         std::tie(b.priority, b.submitted_at, b.spec->name, b.id);
}

// --- Following the jobs ---

void RunningLimits::follow(const Policy& policy) {
  jobs_.clear();
  classes_.clear();
  groups_.clear();
  touched_.clear();
  asked_.clear();
  const Pools* pools = policy.pools();
  pools_ = pools != nullptr && pools->limits_running_jobs() ? pools : nullptr;
  if (pools_ == nullptr) return;
  for (const auto& [id, job] : state_.jobs()) update(*job);
  for (auto& [name, group] : groups_) touch(group);
}

const RunningLimits::Entry* RunningLimits::find(JobId job) const {
  return job.index() < jobs_.size() ? jobs_[job.index()].get() : nullptr;
}

void RunningLimits::update(const Job& job) {
  if (pools_ == nullptr) return;
  const Entry* known = find(job.id);
  if (!job.durable || job.held || is_over(job.state)) {
    if (known != nullptr) leave(job.id);
    return;
  }
  if (known == nullptr) return enter(job);
  const Standing standing = job.state == JobState::kWaiting ? Standing::kWaits
                            : keeps_place(job)              ? Standing::kKeeps
                                                            : Standing::kYields;
  Entry& entry = *jobs_[job.id.index()];
  if (entry.standing == standing && entry.turn.priority == job.priority) return;
  if (entry.standing == Standing::kYields && standing == Standing::kKeeps) {
    // Nobody gains: those before it see one more who runs.
    for (Group* group : entry.in->groups) group->yielding.erase(entry.turn);
    entry.turn.priority = job.priority;
    entry.standing = standing;
    return;
  }
  unstand(entry);
  entry.turn.priority = job.priority;
  entry.standing = standing;
  stand(entry);
}

void RunningLimits::regroup(const Job& job) {
  if (pools_ == nullptr) return;
  if (find(job.id) != nullptr) leave(job.id);
  update(job);
}

void RunningLimits::enter(const Job& job) {
  if (job.id.index() >= jobs_.size()) jobs_.resize(job.id.index() + 1);
  auto& entry = jobs_[job.id.index()];
  entry = std::make_unique<Entry>();
  entry->turn = {job.priority, job.submitted_at, job.spec->name, job.id};
  if (job.state == JobState::kRunning) {
    entry->standing = keeps_place(job) ? Standing::kKeeps : Standing::kYields;
  }
  entry->in = &class_of(job);
  ++entry->in->jobs;
  stand(*entry);
}

void RunningLimits::leave(JobId job) {
  const auto entry = std::move(jobs_[job.index()]);
  unstand(*entry);
  if (--entry->in->jobs == 0) drop_class(*entry->in);
}

void RunningLimits::stand(const Entry& entry) {
  if (entry.standing == Standing::kWaits) {
    entry.in->waiting.insert(entry.turn);
    return ask(*entry.in);
  }
  for (Group* group : entry.in->groups) {
    ++group->running;
    if (entry.standing == Standing::kYields) group->yielding.insert(entry.turn);
    if (group->excess() > 0) touch(*group);
  }
}

void RunningLimits::unstand(const Entry& entry) {
  if (entry.standing == Standing::kWaits) {
    entry.in->waiting.erase(entry.turn);
    return;
  }
  for (Group* group : entry.in->groups) {
    --group->running;
    if (entry.standing == Standing::kYields) group->yielding.erase(entry.turn);
    touch(*group);
  }
}

// --- Groups and classes ---

std::vector<RunningGroup> RunningLimits::groups_of(const Job& job) const {
  std::vector<RunningGroup> groups;
  pools_->running_groups(job, groups);
  const QueueTree::Node& queue = state_.tree().node(job.queue);
  if (const auto limit = queue.settings.max_running_jobs) {
    groups.push_back({"queue " + queue.path, *limit});
  }
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
    group.classes.push_back(&jobs);
    jobs.groups.push_back(&group);
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

void RunningLimits::touch(Group& group) {
  if (!std::exchange(group.touched, true)) touched_.push_back(&group);
}

void RunningLimits::ask(Class& jobs) {
  if (!std::exchange(jobs.asked, true)) asked_.push_back(&jobs);
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

// A class is asked once at a time: who waits first is before all others of it.
void RunningLimits::ask_from(Class& jobs, std::set<Turn>::const_iterator first, Sweep& sweep) {
  if (first == jobs.waiting.end() || !sweep.asked.insert(&jobs).second) return;
  sweep.next.emplace(*first, &jobs);
}

// As the walk finds it at that turn: who yields and comes later has taken no place yet.
bool RunningLimits::has_room(const Class& jobs, const Turn& turn) {
  return std::all_of(jobs.groups.begin(), jobs.groups.end(), [&](const Group* group) {
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
  for (Group* group : jobs->groups) {
    ++group->running;
    group->yielding.insert(turn);
    if (group->excess() > 0 &&
        std::find(sweep.crowded.begin(), sweep.crowded.end(), group) == sweep.crowded.end()) {
      sweep.crowded.push_back(group);
    }
  }
  jobs_[turn.id.index()]->standing = Standing::kYields;
  sweep.plan.admit.push_back(turn.id);
}

void RunningLimits::demote(const Turn& turn, Sweep& sweep) {
  Entry& entry = *jobs_[turn.id.index()];
  entry.standing = Standing::kWaits;
  for (Group* group : entry.in->groups) {
    --group->running;
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
  const Entry* entry = find(job);
  if (entry == nullptr) return reasons;
  for (const Group* group : entry->in->groups) {
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
