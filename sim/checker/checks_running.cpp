// Which jobs run under the running-job limits of the fair policy: in order of priority, submit
// time, name and id, each that finds room in its pool, those above it, and its user's number; a job
// with running reduces and maps left keeps its place. Looked at when a command has let jobs in or
// out, or a job no longer keeps its place: between two such moments a place may fall free without
// anybody having looked.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/checker/step.h"

namespace weir::check {
namespace {

class Places {
 public:
  explicit Places(const Step& step) : step_(step) {}

  // What keeps the job out; "" if there is room.
  std::string full(const Job& job) const {
    for (const auto& [group, limit] : groups(job)) {
      const auto taken = taken_.find(group);
      if ((taken == taken_.end() ? 0 : taken->second) >= limit) return group;
    }
    return "";
  }
  void take(const Job& job) {
    for (const auto& [group, limit] : groups(job)) ++taken_[group];
  }

 private:
  std::vector<std::pair<std::string, std::int64_t>> groups(const Job& job) const {
    const FairRules& rules = *step_.fair;
    std::vector<std::pair<std::string, std::int64_t>> all;
    for (std::string p = step_.where.at(job.id); !p.empty(); p = parent_of(p)) {
      if (const auto limit = rules.of(p).running_jobs) all.emplace_back("pool " + p, *limit);
    }
    const auto own = rules.user_running_jobs.find(job.spec->user);
    if (own != rules.user_running_jobs.end()) {
      all.emplace_back("user " + job.spec->user, own->second);
    } else if (rules.default_user_running_jobs) {
      all.emplace_back("user " + job.spec->user, *rules.default_user_running_jobs);
    }
    const QueueTree::Node& queue = step_.state.tree().node(job.queue);
    if (const auto limit = queue.settings.max_running_jobs) {
      all.emplace_back("queue " + queue.path, *limit);
    }
    if (const auto limit = queue.settings.max_running_jobs_per_user) {
      all.emplace_back("user " + job.spec->user + " in queue " + queue.path, *limit);
    }
    return all;
  }

  const Step& step_;
  std::map<std::string, std::int64_t> taken_;
};

bool runs_reduces(const Step& step, const Job& job) {
  const JobCount* reduces = step.census.find(TaskKind::kReduce, job.id);
  return reduces != nullptr && reduces->running + reduces->copying + reduces->copied > 0;
}

bool has_maps_left(const Job& job) {
  const auto& maps = job.tasks(TaskKind::kMap).tasks;
  return std::any_of(maps.begin(), maps.end(),
                     [](const Task& map) { return map.state != Task::State::kSucceeded; });
}

bool has_its_place(const Step& step, const Job& job) {
  if (job.state != JobState::kRunning) return false;
  if (job.duty != Job::Duty::kNone) return true;  // it is being completed
  return runs_reduces(step, job) && has_maps_left(job);
}

bool limits_jobs(const FairRules& rules) {
  return rules.undeclared.running_jobs || rules.default_user_running_jobs ||
         !rules.user_running_jobs.empty() ||
         std::any_of(rules.pools.begin(), rules.pools.end(),
                     [](const auto& pool) { return pool.second.running_jobs.has_value(); });
}

// Whether a running job's last running reduce ended in the step, with maps left: its place is
// anybody's at once.
bool has_yielded(const Step& step) {
  const auto yields = [&](const AttemptKey& attempt) {
    const Job* job = step.state.find_job(attempt.task.job);
    return attempt.task.kind == TaskKind::kReduce && job != nullptr && job->durable &&
           job->state == JobState::kRunning && job->duty == Job::Duty::kNone &&
           has_maps_left(*job) && !runs_reduces(step, *job);
  };
  const auto& events = step.output.events;
  return std::any_of(events.begin(), events.end(), [&](const Event& event) {
    const auto* ended = fact_as<AttemptEnded>(event.fact);
    const auto* killed = fact_as<KillOrdered>(event.fact);
    return (ended != nullptr && yields(ended->attempt)) ||
           (killed != nullptr && yields(killed->attempt));
  });
}

// Whether the step made a command true after which it was looked at who may run.
bool was_looked_at(const Step& step, PoolMemory& memory) {
  for (const Event& event : step.output.events) {
    const Fact& fact = event.fact;
    const bool command = fact_as<JobSubmitted>(fact) != nullptr ||
                         fact_as<JobMoved>(fact) != nullptr ||
                         fact_as<JobReleased>(fact) != nullptr ||
                         fact_as<PriorityChanged>(fact) != nullptr ||
                         fact_as<SettingsChanged>(fact) != nullptr ||
                         fact_as<PolicyChanged>(fact) != nullptr;
    if (command && event.seq > 0) memory.commands.push_back(event.seq);
  }
  const auto* durable = std::get_if<Durable>(&step.input.body);
  if (durable == nullptr) {
    if (std::holds_alternative<StoreFailed>(step.input.body)) memory.commands.clear();
    return false;
  }
  return std::erase_if(memory.commands, [&](std::uint64_t seq) { return seq <= durable->seq; }) > 0;
}

}  // namespace

void check_running_jobs(const Step& step, Memory& memory, Verdict& verdict) {
  const bool looked = was_looked_at(step, memory.pools) || has_yielded(step);
  if (!step.fair || !memory.every_step || !looked || !limits_jobs(*step.fair)) return;
  Places places(step);
  std::vector<const Job*> line;
  for (const auto& [id, job] : step.state.jobs()) {
    if (is_over(job->state) || !job->durable || job->held) continue;
    if (has_its_place(step, *job)) {
      places.take(*job);
    } else {
      line.push_back(job.get());
    }
  }
  std::sort(line.begin(), line.end(), [](const Job* a, const Job* b) {
    return std::tie(a->priority, a->submitted_at, a->spec->name, a->id) <
           std::tie(b->priority, b->submitted_at, b->spec->name, b->id);
  });
  for (const Job* job : line) {
    const std::string full = places.full(*job);
    if (full.empty()) places.take(*job);
    if (full.empty() == (job->state == JobState::kRunning)) continue;
    verdict.breach("running-jobs",
                   fmt::format("{} of pool {}, user {}, is {}, but {}", job_name(job->id),
                               step.where.at(job->id), job->spec->user, name(job->state),
                               full.empty() ? "there is room for it" : full + " is full"));
  }
}

}  // namespace weir::check
