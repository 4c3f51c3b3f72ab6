// How much is killed for a queue: for the slots that its claims lack at a pass, less those that
// kills under way will free and free ones that it could use (capacity.md, "Claims and kill
// timers"). Judged for queues to whom one slot is as good as another; elsewhere a free slot may be
// of no use. Each kill must be for a need that is left when all others for the queue are counted.
#include <fmt/format.h>

#include <algorithm>

#include "sim/checker/free_slots.h"
#include "sim/checker/limits.h"
#include "sim/checker/step.h"

namespace weir::check {
namespace {

// All that the leaf's tasks need is a slot, on whatever tracker.
bool takes_any_slot(const Step& step, QueueId leaf, TaskKind kind) {
  if (step.state.tree().node(leaf).settings.user_limit.mode == UserLimit::Mode::kHard) return false;
  const auto& jobs = step.census.jobs(kind);
  return std::all_of(jobs.begin(), jobs.end(), [&](const JobCount& count) {
    if (count.job->queue != leaf || count.launchable == 0) return true;
    Resources need = count.job->need(kind);
    need.slots(kind) = 0;
    return count.width == 1 && need == Resources{} && count.job->tracker_failures.empty() &&
           count.job->failed_on.empty();
  });
}

// Free slots that are kept for nobody, less what other queues are short of.
std::int64_t spare_free(const Step& step, QueueId leaf, TaskKind kind) {
  std::int64_t free = FreeSlots(step.census, kind).all;
  for (const Hold& hold : step.state.claims().holds()) free -= hold.kind == kind ? hold.kept() : 0;
  for (const Reservation& kept : step.state.claims().reservations()) {
    if (kept.kind == kind) free -= kept.slots;
  }
  for (const QueueId other : step.state.tree().leaves()) {
    const ExpectedQueue& line = step.expected[index(kind)][other.index()];
    if (other != leaf) free -= std::max<std::int64_t>(0, line.kept() - line.running);
  }
  return std::max<std::int64_t>(0, free);
}

// How many more than all that is being freed the maximums above the leaf leave it, were the last
// kill for it, of `slots`, left out; what died within a queue has made its own room there.
std::int64_t room_below_maximums(const Step& step, QueueId leaf, TaskKind kind,
                                 std::int64_t slots) {
  const QueueTree& tree = step.state.tree();
  std::int64_t least = INT64_MAX;
  for (QueueId q = leaf; q != QueueTree::root(); q = tree.parent(q)) {
    const ExpectedQueue& line = step.expected[index(kind)][q.index()];
    std::int64_t room = line.maximum - line.running;
    for (const Hold& hold : step.state.claims().holds()) {
      if (hold.kind == kind && hold.pool.empty() && tree.is_ancestor(q, hold.queue))
        room -= std::max(hold.slots, hold.dying_slots);
    }
    const bool makes_room =
        std::any_of(step.kills.begin(), step.kills.end(), [&](const KillOrdered* kill) {
          const Job* job = step.state.find_job(kill->attempt.task.job);
          return job != nullptr && tree.is_ancestor(q, job->queue);
        });
    least = std::min(least, makes_room ? room : room + slots);
  }
  return std::max<std::int64_t>(0, least);
}

}  // namespace

void check_kill_need(const Step& step, Verdict& verdict) {
  if (!step.rules || step.kills.empty() || !step.memory.every_step) return;
  for (const TaskKind kind : kTaskKinds) {
    std::map<QueueId, std::int64_t> coming, last;  // slots; of the last kill of this step at most
    for (const Hold& hold : step.state.claims().holds()) {
      if (hold.kind != kind || !hold.pool.empty()) continue;
      const std::int64_t slots = std::max(hold.slots, hold.dying_slots);
      coming[hold.queue] += slots;
      if (step.memory.pending(hold.id)) continue;
      last[hold.queue] = std::max(last[hold.queue], slots);
    }
    for (const auto& [leaf, slots] : last) {
      const ExpectedQueue& line = step.expected[index(kind)][leaf.index()];
      const std::int64_t missing = line.kept() - line.running;
      if (!takes_any_slot(step, leaf, kind)) continue;
      const std::int64_t free = std::min(spare_free(step, leaf, kind),
                                         room_below_maximums(step, leaf, kind, slots));
      if (coming[leaf] - slots + free < missing) continue;
      verdict.breach("kill-excess",
                     fmt::format("{} {} slots are being freed for queue {}, which is short of {} "
                                 "and could use {} free ones",
                                 coming[leaf], name(kind), step.path(leaf), missing, free));
    }
  }
}

}  // namespace weir::check
