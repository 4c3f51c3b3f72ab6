// Claims and kills where containers count, under capacity, by containers.md 3.2, 4.4, 4.5 and 9
// alone: after each pass what every leaf is owed in every dimension is put together anew from its
// tasks, one by one, and from what is free on the trackers; and whoever dies is of a queue that has
// what it is due without him, for a claim that is open and due, where its task will have room.
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "jobqueue/model/gang_fit.h"
#include "jobqueue/model/labels.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/model/share.h"
#include "sim/checker/checks_containers.h"

namespace weir::check {
namespace {

using Amount = std::map<std::size_t, std::int64_t>;  // by the dimension's place

class ClaimCheck {
 public:
  ClaimCheck(const Engine& engine, Verdict& verdict)
      : engine_(engine), state_(engine.state()), verdict_(verdict) {}

  void owed() {
    for (const TrackerState& tracker : state_.trackers()) {
      for (const Dimension d : dims())
        free_[tracker.id][d.place()] = tracker.total[d] - tracker.used[d];
    }
    std::map<QueueId, Amount> owed;
    for (const QueueId leaf : in_order()) owed[leaf] = left_of(leaf);
    for (const QueueId leaf : state_.tree().leaves()) {
      for (const Dimension d : dims()) {
        const std::int64_t claimed = state_.claims().owed(leaf, d), due = owed[leaf][d.place()];
        if (claimed == due) continue;
        verdict_.breach(claimed < due ? "claim-missing" : "claim-excess",
                        fmt::format("queue {} is owed {} of {} and claims {}", path(leaf), due,
                                    state_.space().name(d), claimed));
      }
    }
  }

  void kills(const Output& output) {
    std::map<QueueId, const KillOrdered*> last;
    for (const Event& event : output.events) {
      const auto* kill = fact_as<KillOrdered>(event.fact);
      if (kill == nullptr || kill->claim == 0) continue;
      last[kill->queue] = kill;
      claim_of(*kill);
    }
    for (const auto& [leaf, kill] : last) {
      if (!has_what_it_is_due(leaf, *kill)) {
        verdict_.breach("kill-below-allocated",
                        fmt::format("{} of queue {} dies, which has less than is allocated to it "
                                    "of all that it takes",
                                    attempt_name(kill->attempt), path(leaf)));
      }
    }
    if (last.empty()) return;
    for (const Hold& hold : state_.claims().holds()) room_for(hold);
  }

 private:
  const std::vector<Dimension>& dims() const { return state_.space().dimensions(); }
  const std::string& path(QueueId queue) const { return state_.tree().node(queue).path; }
  QueueFigures figures(QueueId queue, Dimension d) const {
    return engine_.policy().figures(queue, d);
  }

  // Leaves with tasks that want room, the smallest RUN / GC first, ties as they stand in the file.
  std::vector<QueueId> in_order() const {
    std::vector<std::tuple<std::int64_t, std::int64_t, QueueId>> leaves;  // a part and a whole
    for (const QueueId leaf : state_.tree().leaves()) {
      if (jobs_of(leaf).empty()) continue;
      std::int64_t part = 0, whole = 1;
      for (const Dimension d : dims()) {
        if (state_.total()[d] == 0) continue;
        const std::int64_t run = state_.queue(leaf).running[d], gc = figures(leaf, d).guaranteed;
        if (is_less(part, whole, run, gc)) std::tie(part, whole) = std::pair(run, gc);
      }
      leaves.emplace_back(part, whole, leaf);
    }
    std::stable_sort(leaves.begin(), leaves.end(), [](const auto& a, const auto& b) {
      return is_less(std::get<0>(a), std::get<1>(a), std::get<0>(b), std::get<1>(b));
    });
    std::vector<QueueId> order;
    for (const auto& [part, whole, leaf] : leaves) order.push_back(leaf);
    return order;
  }

  // 0/0 is nothing, x/0 more than anything.
  static bool is_less(std::int64_t a, std::int64_t of_a, std::int64_t b, std::int64_t of_b) {
    if (a == 0) return b > 0;
    if (of_a == 0 || b == 0) return false;
    return of_b == 0 || Int128(a) * of_b < Int128(b) * of_a;
  }

  std::vector<const Job*> jobs_of(QueueId leaf) const {
    std::vector<const Job*> jobs;
    for (const auto& [id, job] : state_.jobs()) {
      if (job->queue != leaf || !job->schedulable()) continue;
      for (const TaskKind kind : job->items()) {
        if (wanted(*job, kind) == 0) continue;
        jobs.push_back(job.get());
        break;
      }
    }
    std::sort(jobs.begin(), jobs.end(), [this](const Job* a, const Job* b) {
      return job_order(state_, *a) < job_order(state_, *b);
    });
    return jobs;
  }

  std::int64_t wanted(const Job& job, TaskKind kind) const {
    if (job.is_gang(kind))  // and its groups beside each other, of which no two ways say the same
      return gang_fits(job) && fits_empty(state_, job) ? job.launchable(kind) : 0;
    const bool anywhere = std::any_of(
        state_.trackers().begin(), state_.trackers().end(), [&](const TrackerState& tracker) {
          if (is_group(kind) &&
              !meets(tracker, state_, job.spec->task_groups[group_number(kind)].require))
            return false;
          return tracker.counts() && !state_.avoided(job, tracker.id) &&
                 covers(tracker.total, job.need(kind));
        });
    return anywhere ? job.launchable(kind) : 0;  // but for what is dying and wanted again
  }

  // On trackers where nothing runs there is room for all members of each group, put one by one
  // where their label's value has the fewest.
  bool gang_fits(const Job& job) const {
    return std::all_of(job.kinds().begin(), job.kinds().end(), [&](TaskKind kind) {
      const TaskGroupSpec& group = job.spec->task_groups[group_number(kind)];
      std::map<std::string_view, std::int64_t> members, rooms;  // by value
      for (const TrackerState& tracker : state_.trackers()) {
        if (!tracker.counts() || !meets(tracker, state_, group.require)) continue;
        Resources room = tracker.total;
        const auto value = group.spread ? label_of(tracker, state_, group.spread->by) : "";
        for (std::uint32_t here = 1; here <= group.gang && covers(room, job.need(kind)) &&
                                     here * group.ports <= tracker.port_count;
             ++here) {
          room -= job.need(kind);
          ++rooms[value], members[value];
        }
      }
      for (std::uint32_t put = 0; put < group.gang; ++put) {
        std::optional<std::string_view> next;
        std::int64_t least = INT64_MAX;
        for (const auto& [value, there] : members) {
          least = std::min(least, there);
          if (there < rooms[value] && (!next || there < members[*next])) next = value;
        }
        if (!next) return false;
        if (group.spread && members[*next] + 1 - least > group.spread->max_skew) return false;
        ++members[*next];
      }
      return true;
    });
  }

  // All of it or nothing.
  bool put_gang(const Job& job) {
    const auto before = std::pair(free_, placed_);
    for (const TaskKey& member : members_without_room(state_, job)) {
      if (put(job, member.kind)) continue;
      std::tie(free_, placed_) = before;
      return false;
    }
    return true;
  }

  bool covers(const Resources& room, const Resources& need) const {
    return std::all_of(dims().begin(), dims().end(),
                       [&](Dimension d) { return need[d] <= room[d]; });
  }

  // What of the leaf's tasks within its guarantee no free room takes.
  Amount left_of(QueueId leaf) {
    Amount taken, left;
    std::map<UserId, Amount> taken_by;
    for (const Dimension d : dims()) taken[d.place()] = state_.queue(leaf).running[d];
    for (const Job* job : jobs_of(leaf)) {
      for (const TaskKind kind : job->items()) {
        const Resources& need = job->need(kind);
        Amount& of_user = taken_by[job->user];
        for (std::int64_t task = wanted(*job, kind); task > 0; --task) {
          if (!is_within(leaf, need, {})) break;  // it could never be
          if (at_hard_limit(leaf, job->user, need, of_user)) break;
          if (!is_within(leaf, need, taken)) return left;
          const bool placed = put(*job, kind);
          for (const Dimension d : dims()) {
            taken[d.place()] += need[d];
            of_user[d.place()] += need[d];
            if (!placed) left[d.place()] += need[d];
          }
        }
      }
    }
    return left;
  }

  // With one more such task beside what the user runs and `taken`.
  bool at_hard_limit(QueueId leaf, UserId user, const Resources& need, Amount& taken) const {
    const UserLimit& limit = state_.tree().node(leaf).settings.user_limit;
    const bool none = limit.minimum_hundredths == kWholeInHundredths && !limit.factor_millionths;
    if (limit.mode != UserLimit::Mode::kHard || none) return false;
    const auto& users = state_.queue(leaf).users;
    return std::any_of(dims().begin(), dims().end(), [&](Dimension d) {
      if (need[d] == 0) return false;
      std::int64_t active = 0;
      for (const auto& [id, uses] : users)
        active += uses.jobs_running > 0 || uses.running[d] > 0 ? 1 : 0;
      const auto own = users.find(user);
      const std::int64_t runs = own == users.end() ? 0 : own->second.running[d];
      const std::int64_t promised = figures(leaf, d).guaranteed;
      return runs + taken[d.place()] + need[d] > user_limit(limit, promised, promised,
                                                            state_.queue(leaf).running[d], need[d],
                                                            std::max<std::int64_t>(1, active));
    });
  }

  bool is_within(QueueId leaf, const Resources& need, const Amount& taken) const {
    return std::all_of(dims().begin(), dims().end(), [&](Dimension d) {
      const auto has = taken.find(d.place());
      return need[d] == 0 || (has == taken.end() ? 0 : has->second) + need[d] <=
                                 figures(leaf, d).guaranteed;
    });
  }

  // What the queue and those below it keep of their guarantees and neither run nor were given.
  std::int64_t kept_and_idle(QueueId queue, Dimension d) const {
    std::int64_t below = 0;
    for (const QueueId child : state_.tree().node(queue).children) below += kept_and_idle(child, d);
    std::int64_t own = std::max<std::int64_t>(figures(queue, d).kept, 0);
    own -= state_.queue(queue).running[d];
    for (const auto& [leaf, amount] : placed_) {
      if (leaf == queue || state_.tree().is_ancestor(queue, leaf)) own -= amount.at(d.place());
    }
    return std::max(below, own);
  }

  bool any_keeps() const {
    for (std::size_t q = 1; q < state_.tree().size(); ++q) {
      for (const Dimension d : dims()) {
        if (figures(QueueId(q), d).kept > 0) return true;
      }
    }
    return false;
  }

  // Beside it as much is free in all as others keep, where anybody keeps anything.
  bool leaves_what_is_kept(QueueId leaf, const Resources& need) const {
    return !any_keeps() || std::all_of(dims().begin(), dims().end(), [&](Dimension d) {
      std::int64_t left = state_.total()[d] - need[d];
      for (const TrackerState& tracker : state_.trackers())
        left -= tracker.counts() ? tracker.used[d] : 0;
      for (const auto& [other, amount] : placed_) left -= amount.at(d.place());
      for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
        for (const QueueId sibling : state_.tree().node(state_.tree().parent(q)).children)
          left -= sibling == q ? 0 : kept_and_idle(sibling, d);
      }
      return need[d] == 0 || left >= 0;
    });
  }

  bool put(const Job& job, TaskKind kind) {
    if (job.is_gang(kind)) return put_gang(job);
    const Resources& need = job.need(kind);
    if (!leaves_what_is_kept(job.queue, need)) return false;
    for (const TrackerState& tracker : state_.trackers()) {
      if (!tracker.in_pool() || state_.avoided(job, tracker.id)) continue;
      if (job.picky(kind) && !state_.allows(job, kind, tracker)) continue;
      const auto& reserved = state_.claims().reservations();
      const bool for_another =
          std::any_of(reserved.begin(), reserved.end(), [&](const Reservation& kept) {
            return kept.tracker == tracker.id && kept.job != job.id;
          });
      if (for_another) continue;
      Amount& room = free_[tracker.id];
      const bool fits = std::all_of(dims().begin(), dims().end(), [&](Dimension d) {
        return need[d] == 0 || need[d] <= room[d.place()];
      });
      if (!fits) continue;
      for (const Dimension d : dims()) {
        room[d.place()] -= need[d];
        placed_[job.queue][d.place()] += need[d];
      }
      return true;
    }
    return false;
  }

  void claim_of(const KillOrdered& kill) {
    const Claim* found = nullptr;
    for (const Dimension d : dims()) {
      if (const Claim* claim = state_.claims().find(kill.for_queue, d, kill.claim)) found = claim;
    }
    if (found == nullptr) {
      return verdict_.breach("kill-without-claim",
                             fmt::format("{} dies for queue {}, which has no claim {}",
                                         attempt_name(kill.attempt), path(kill.for_queue),
                                         kill.claim));
    }
    const DurationMs after = reclaim_after_ms(state_.tree(), kill.for_queue, found->dimension);
    if (engine_.now() >= found->born + after) return;
    verdict_.breach("kill-early", fmt::format("{} dies {} ms after claim {} of queue {}, which is "
                                              "due after {}",
                                              attempt_name(kill.attempt),
                                              engine_.now() - found->born, kill.claim,
                                              path(kill.for_queue), after));
  }

  bool has_what_it_is_due(QueueId leaf, const KillOrdered& kill) const {
    const Job* job = state_.find_job(kill.attempt.task.job);
    if (job == nullptr) return true;
    const Resources& need = job->need(kill.attempt.task.kind);
    return std::any_of(dims().begin(), dims().end(), [&](Dimension d) {
      return need[d] > 0 && state_.queue(leaf).running[d] >= figures(leaf, d).allocated;
    });
  }

  // With what is dying there the tracker has what all holds on it need.
  void room_for(const Hold& hold) {
    const TrackerState& tracker = state_.tracker(hold.tracker);
    Resources room = tracker.total;
    room -= tracker.used;
    for (const AttemptSlot slot : tracker.attempts) {
      const Attempt& attempt = state_.attempt(slot);
      const TaskKey& task = attempt.key.task;
      if (attempt.dying()) room += state_.job(task.job).need(task.kind);
    }
    for (const Dimension d : dims()) {
      std::int64_t held = 0;
      for (const Hold& other : state_.claims().holds())
        held += other.tracker == hold.tracker ? other.need[d] : 0;
      if (held <= std::max<std::int64_t>(0, room[d])) continue;
      verdict_.breach("kill-useless",
                      fmt::format("{} of {} are held on tracker {}, and all that dies makes room "
                                  "for {}",
                                  held, state_.space().name(d), tracker.name, room[d]));
    }
  }

  const Engine& engine_;
  const ClusterState& state_;
  Verdict& verdict_;
  std::map<TrackerId, Amount> free_;
  std::map<QueueId, Amount> placed_;  // into that, of each leaf's tasks
};

}  // namespace

void check_container_claims(const Engine& engine, const Input& input, const Output& output,
                            Verdict& verdict) {
  if (!std::holds_alternative<Tick>(input.body) || engine.policy().name() != "capacity") return;
  if (engine.recovering() || !engine.unreported().empty() || engine.claims_paused()) return;
  ClaimCheck check(engine, verdict);
  check.kills(output);
  // What the pass itself changed afterwards is not what it saw.
  const bool changed = std::any_of(output.events.begin(), output.events.end(), [](const Event& e) {
    const auto* kill = fact_as<KillOrdered>(e.fact);
    return (kill != nullptr && kill->claim != 0) || fact_as<Unreserved>(e.fact) != nullptr ||
           fact_as<GangHeld>(e.fact) != nullptr || fact_as<GangReleased>(e.fact) != nullptr;
  });
  if (!changed && engine.state().claims().holds().empty()) check.owed();
}

}  // namespace weir::check
