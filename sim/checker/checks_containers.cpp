// Where containers count: what is held, what runs and what is guaranteed and allocated, counted one
// by one in every dimension, and that no launch took a queue above a maximum that it declares: the
// rules of slots, with every dimension in the place of a kind of slot. Besides, what only
// containers have: numbered units, and labels that tasks require.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "jobqueue/policy/pools_facet.h"
#include "sim/checker/checks_containers.h"

namespace weir::check {
namespace {

class Count {
 public:
  explicit Count(const Engine& engine) : state_(engine.state()), policy_(engine.policy()) {
    for (const TrackerState& tracker : state_.trackers()) {
      for (const AttemptSlot slot : tracker.attempts) add(tracker, state_.attempt(slot));
    }
    if (const Assembly* gang = state_.assembly()) {
      const Job& job = state_.job(gang->job);
      for (const GangRoom& room : gang->rooms) {
        held_[room.tracker] += job.need(room.task.kind);
        for (QueueId q = job.queue; q.valid(); q = state_.tree().parent(q))
          rooms_[q] += job.need(room.task.kind);
      }
    }
  }

  void trackers(Verdict& verdict) const {
    for (const TrackerState& tracker : state_.trackers()) {
      const auto found = held_.find(tracker.id);
      const Resources held = found == held_.end() ? Resources{} : found->second;
      if (held != tracker.used) {
        verdict.breach("tracker-used", fmt::format("tracker {} is said to use {}, its attempts "
                                                   "need {}",
                                                   tracker.name, text(tracker.used), text(held)));
      }
    }
  }

  void launches(const Input& input, const Output& output, Verdict& verdict) const {
    for (const Event& event : output.events) {
      const auto* launch = fact_as<AttemptLaunched>(event.fact);
      // What was taken on again after a restart nobody has decided now.
      if (launch == nullptr ||
          was_reported(std::get_if<Heartbeat>(&input.body), launch->attempt)) {
        continue;
      }
      const TrackerState& tracker = state_.tracker(launch->tracker);
      const Job* job = state_.find_job(launch->attempt.task.job);
      if (job == nullptr) continue;
      const Resources& need = job->need(launch->attempt.task.kind);
      for (const Dimension d : state_.space().dimensions()) {
        if (need[d] == 0) continue;
        if (tracker.used[d] > tracker.total[d]) {
          verdict.breach("held", fmt::format("tracker {} holds {}, but has {}", tracker.name,
                                             text(tracker.used), text(tracker.total)));
        }
        // A member of a gang runs since that has started; maximums may have shrunk since.
        if (job->gang == nullptr || !job->gang->has(launch->attempt.task) ||
            starts(output, job->id))
          maximum(*job, d, verdict);
      }
      if (job->gang == nullptr || !job->gang->has(launch->attempt.task))
        leaves_what_is_kept(*job, need, launch->attempt, verdict);
      if (!is_group(launch->attempt.task.kind)) continue;
      const auto& group = job->spec->task_groups[group_number(launch->attempt.task.kind)];
      granted(tracker, launch->attempt, group, verdict);
      labels(tracker, launch->attempt, group, verdict);
    }
  }

  void units(Verdict& verdict) const {
    for (const TrackerState& tracker : state_.trackers()) {
      std::map<std::pair<std::string, std::uint32_t>, AttemptKey> owners;
      for (const auto& [attempt, units] : tracker.units.all()) {
        const bool held = std::any_of(tracker.held.begin(), tracker.held.end(),
                                      [&](const HeldAttempt& h) { return h.key == attempt; });
        if (!held) {
          verdict.breach("units", fmt::format("{} has units of tracker {}, and does not run there",
                                              attempt_name(attempt), tracker.name));
        }
        for (const auto& [name, numbers] : units) {
          for (const std::uint32_t number : numbers) {
            const auto [owner, first] = owners.try_emplace({name, number}, attempt);
            if (first) continue;
            verdict.breach("units", fmt::format("{} {} of tracker {} is of {} and of {}", name,
                                                number, tracker.name, attempt_name(owner->second),
                                                attempt_name(attempt)));
          }
        }
      }
    }
  }

  void sums(Verdict& verdict) const {
    for (std::size_t q = 0; q < state_.tree().size(); ++q) {
      const auto found = running_.find(QueueId(q));
      for (const Dimension d : state_.space().dimensions()) {
        const std::int64_t counted = found == running_.end() ? 0 : found->second[d];
        const std::int64_t said = state_.queue(QueueId(q)).running[d];
        if (counted == said) continue;
        verdict.breach("running", fmt::format("queue {} is said to run {} of {}, its tasks are {}",
                                              state_.tree().nodes()[q].path, said,
                                              state_.space().name(d), counted));
      }
    }
    if (policy_.figures(QueueTree::root(), state_.space().dimensions()[0]).guaranteed == 0) return;
    for (const Dimension d : state_.space().dimensions()) {
      std::int64_t guaranteed = 0, allocated = 0;
      for (const QueueId leaf : state_.tree().leaves()) {
        const QueueFigures figures = policy_.figures(leaf, d);
        guaranteed += figures.guaranteed;
        allocated += figures.allocated;
      }
      const std::int64_t total = state_.total()[d];
      const auto differs = [&](const char* rule, const char* what, std::int64_t sum) {
        if (sum == total) return;
        verdict.breach(rule, fmt::format("{} of the leaf queues add up to {} of {} {}", what, sum,
                                         total, state_.space().name(d)));
      };
      differs("guaranteed-sum", "GC", guaranteed);
      differs("allocated-sum", "AC", allocated);
    }
  }

 private:
  static bool starts(const Output& output, JobId job) {
    return std::any_of(output.events.begin(), output.events.end(), [&](const Event& event) {
      const auto* start = fact_as<GangStarted>(event.fact);
      return start != nullptr && start->job == job;
    });
  }

  std::string text(const Resources& amount) const { return state_.space().text(amount); }

  void add(const TrackerState& tracker, const Attempt& attempt) {
    const Job& job = state_.job(attempt.key.task.job);
    const Resources& need = job.need(attempt.key.task.kind);
    held_[tracker.id] += need;
    if (attempt.dying()) return;
    for (QueueId q = job.queue; q.valid(); q = state_.tree().parent(q)) running_[q] += need;
  }

  // As many of each as were asked for, of those that there are.
  void granted(const TrackerState& tracker, const AttemptKey& attempt, const TaskGroupSpec& group,
               Verdict& verdict) const {
    const Units* units = tracker.units.of(attempt);
    for (const auto& [name, count] : group.asked.named) {
      if (count == 0) continue;
      const auto has = tracker.named.find(name);
      const std::int64_t most = has == tracker.named.end() ? 0 : has->second;
      std::set<std::uint32_t> numbers;
      if (units != nullptr && units->contains(name))
        numbers.insert(units->at(name).begin(), units->at(name).end());
      const bool beyond = !numbers.empty() && *numbers.rbegin() >= most;
      if (std::ssize(numbers) == count && !beyond) continue;
      verdict.breach("units", fmt::format("{} asks for {} {} and is given {}, tracker {} has {}",
                                          attempt_name(attempt), count, name,
                                          beyond ? "one beyond" : std::to_string(numbers.size()),
                                          tracker.name, most));
    }
  }

  void labels(const TrackerState& tracker, const AttemptKey& attempt, const TaskGroupSpec& group,
              Verdict& verdict) const {
    for (const Requirement& asked : group.require) {
      const std::string has = label(tracker, asked.label);
      const bool named =
          std::find(asked.values.begin(), asked.values.end(), has) != asked.values.end();
      if (named != asked.none_of) continue;
      verdict.breach("labels", fmt::format("{} starts on tracker {}, where {} is '{}'",
                                           attempt_name(attempt), tracker.name, asked.label, has));
    }
  }

  std::string label(const TrackerState& tracker, const std::string& key) const {
    if (key == "name") return tracker.name;
    if (key == "rack") return std::string(state_.rack_name(tracker.rack));
    const auto found = tracker.labels.find(key);
    return found == tracker.labels.end() ? "" : found->second;
  }

  // What the queue and those below it keep of their guarantees and do not use (containers.md 7.2);
  // rooms of a gang of theirs may have been taken of it since.
  std::int64_t kept_and_idle(QueueId queue, Dimension d) const {
    std::int64_t below = 0;
    for (const QueueId child : state_.tree().node(queue).children) below += kept_and_idle(child, d);
    std::int64_t own = std::max<std::int64_t>(policy_.figures(queue, d).kept, 0);
    for (const auto* taken : {&running_, &rooms_}) {
      if (const auto found = taken->find(queue); found != taken->end()) own -= found->second[d];
    }
    return std::max({std::int64_t{0}, own, below});
  }

  // After a launch as much is free as all beside its queue, and beside those above it, keep. What
  // starts later in the step only takes of what is its own, or leaves as much.
  void leaves_what_is_kept(const Job& job, const Resources& need, const AttemptKey& attempt,
                           Verdict& verdict) const {
    if (policy_.pools() != nullptr) return;  // pools keep then
    for (const Dimension d : state_.space().dimensions()) {
      if (need[d] == 0) continue;
      std::int64_t free = state_.total()[d], kept = 0;
      for (const TrackerState& tracker : state_.trackers()) {
        const auto held = held_.find(tracker.id);
        if (tracker.counts() && held != held_.end()) free -= held->second[d];
      }
      for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
        for (const QueueId sibling : state_.tree().node(state_.tree().parent(q)).children)
          kept += sibling == q ? 0 : kept_and_idle(sibling, d);
      }
      if (kept == 0 || free >= kept) continue;
      verdict.breach("kept",
                     fmt::format("{} starts, and leaves {} {} free, of which others keep {}",
                                 attempt_name(attempt), free, state_.space().name(d), kept));
    }
  }

  void maximum(const Job& job, Dimension d, Verdict& verdict) const {
    for (QueueId q = job.queue; q != QueueTree::root(); q = state_.tree().parent(q)) {
      const QueueSettings& settings = state_.tree().node(q).settings;
      if (!settings.maximum_hundredths && !settings.maximum && !settings.borrow) continue;
      const std::int64_t most = policy_.figures(q, d).maximum;
      const std::int64_t runs = state_.queue(q).running[d];
      if (runs <= most) continue;
      verdict.breach("maximum", fmt::format("queue {} runs {} of {}, at most {} are allowed",
                                            state_.tree().node(q).path, runs,
                                            state_.space().name(d), most));
    }
  }

  const ClusterState& state_;
  const Policy& policy_;
  std::map<TrackerId, Resources> held_;
  std::map<QueueId, Resources> running_;
  std::map<QueueId, Resources> rooms_;  // of the gang that collects room
};

}  // namespace

void check_containers(const Engine& engine, const Input& input, const Output& output,
                      Verdict& verdict) {
  const Count count(engine);
  count.trackers(verdict);
  count.launches(input, output, verdict);
  count.units(verdict);
  count.sums(verdict);
  check_gangs(engine, input, output, verdict);
}

}  // namespace weir::check
