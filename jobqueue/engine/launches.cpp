#include "jobqueue/engine/launches.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <tuple>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/check.h"
#include "jobqueue/model/prefetch.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {
namespace {

// What a policy has said of one tracker since a task started there last. Who says it again has
// taken it back in between, and would be asked for ever.
class Said {
 public:
  bool before(const Choice& choice) {
    using enum Choice::What;
    if (choice.what == kLaunch || choice.what == kCompute || choice.what == kAssemble)
      said_.clear();
    if (choice.what != kReserve && choice.what != kWaitToReserve) return false;
    const std::tuple said(choice.what, choice.task.job, choice.task.kind);
    if (std::find(said_.begin(), said_.end(), said) != said_.end()) return true;
    said_.push_back(said);
    return false;
  }

 private:
  boost::container::small_vector<std::tuple<Choice::What, JobId, TaskKind>, 4> said_;
};

}  // namespace

// --- Scheduling ---

void Launches::schedule(TrackerState& tracker) {
  if (!state_.claims().freed().empty()) state_.mutable_claims().forget_freed(tracker.id);
  if (parts_.recovery.recovering()) return;
  parts_.gangs.settle_after_restart();
  if (parts_.administration.changes_mode()) return;
  if (tracker.copied > 0) parts_.copies.grant_slots(tracker);  // also where nothing new may start
  if (!tracker.in_pool()) return;
  Offer offer;
  offer.tracker = tracker.id;
  offer.now = now_;
  const bool containers = state_.space().containers();
  // What it is told to drop has its room, and its units, until it has; and one that offers less
  // than it holds gets nothing until that fits.
  if (containers && (tracker.to_drop > 0 || !tracker.within_offer())) return;
  if (!containers) {
    for (const TaskKind kind : kTaskKinds)
      offer.free[index(kind)] = parts_.copies.launch_room(tracker, kind);
  }
  policy_->begin_offer(offer);
  std::array<bool, kTaskKindCount> speculated{};
  bool done = true;
  Said said;
  do {  // what a second attempt changes may let a task in
    while (done && (containers || offer.free[0] > 0 || offer.free[1] > 0)) {
      const auto choice = policy_->choose(offer);
      if (!choice) break;
      const bool again = said.before(*choice);
      if (again) refuse_choice(tracker, *choice, "it was taken back since");
      done = !again && settle(tracker, *choice, offer);
    }
  } while (done && parts_.stragglers.speculate(tracker, offer, speculated));
  policy_->end_offer(offer);
}

bool Launches::settle(TrackerState& tracker, const Choice& choice, Offer& offer) {
  if (is_group(choice.task.kind)) {
    const Job* job = state_.find_job(choice.task.job);
    if (job != nullptr && job->is_gang(choice.task.kind))
      return settle_gang(tracker, choice, offer);
  }
  return choice.what == Choice::What::kLaunch ? launch(tracker, choice, offer)
                                              : parts_.holds.settle_choice(tracker, choice);
}

bool Launches::settle_gang(TrackerState& tracker, const Choice& choice, Offer& offer) {
  Job& job = state_.mutable_job(choice.task.job);
  const char* wrong = nullptr;
  std::size_t held = 0;
  if (job.launchable(choice.task.kind) == 0) {
    wrong = "the gang may not start";
  } else if (choice.hold != 0) {
    wrong = wrong_hold(tracker, choice, job, held);
    if (wrong == nullptr) wrong = parts_.gangs.take_hold(tracker, job, held, choice, offer);
  } else if (choice.what == Choice::What::kAssemble) {
    wrong = parts_.gangs.assemble(tracker, job, choice, offer);
  } else {
    wrong = parts_.gangs.start(tracker, job, offer);
  }
  if (wrong != nullptr) refuse_choice(tracker, choice, wrong);
  return wrong == nullptr;
}

// Whether the slots are for jobs such as this one: of the queue, or of the pool or one in it.
bool Launches::held_for(const Hold& hold, const Job& job) const {
  if (hold.pool.empty()) return hold.queue == job.queue;
  const std::string_view pool = pool_of(*policy_, job.id);
  return pool == hold.pool || pool.starts_with(hold.pool + ".");
}

// Where in the book of holds the chosen task's slots are, if it takes some that are held.
const char* Launches::wrong_hold(const TrackerState& tracker, const Choice& choice, const Job& job,
                                 std::size_t& place) const {
  if (choice.hold == 0) return nullptr;
  const auto& holds = state_.claims().holds();
  while (place < holds.size() && holds[place].id != choice.hold) ++place;
  if (place == holds.size() || holds[place].tracker != tracker.id || !held_for(holds[place], job) ||
      !holds[place].complete()) {
    return "the slots are not held for it";
  }
  return nullptr;
}

void Launches::refuse_choice(const TrackerState& tracker, const Choice& choice, const char* wrong) {
  emit(Refused{"policy",
               Error{ErrorCode::kInternal,
                     "policy " + std::string(policy_->name()) + " chose " + task_name(choice.task) +
                         " for tracker " + tracker.name + ": " + wrong,
                     ""}});
}

// The mechanism's own check: whatever the policy said, no slot is given twice and nothing runs that
// must not.
bool Launches::launch(TrackerState& tracker, const Choice& choice, Offer& offer) {
  const TaskKey key = choice.task;
  const Job* found = state_.find_job(key.job);
  const char* wrong = nullptr;
  if (found == nullptr || !found->schedulable()) {
    wrong = "the job may not run";
  } else if (!found->has(key.kind) || key.index >= found->tasks(key.kind).total ||
             found->tasks(key.kind).tasks[key.index].state != Task::State::kPending) {
    wrong = "the task is not pending";
  } else if (!found->tasks(key.kind).open) {
    wrong = "tasks of its kind may not start yet";
  } else if (!state_.may_launch(*found, key.kind, tracker)) {
    wrong = "the tracker has no room";
  }
  std::size_t held = 0;
  if (wrong == nullptr) wrong = wrong_hold(tracker, choice, *found, held);
  if (wrong != nullptr) {
    refuse_choice(tracker, choice, wrong);
    return false;
  }
  start(tracker, choice, offer, held, false);
  return true;
}

// `held`: the place of the choice's hold, if it has one. `beside`: the task runs elsewhere already.
void Launches::start(TrackerState& tracker, const Choice& choice, Offer& offer, std::size_t held,
                     bool beside) {
  const TaskKey key = choice.task;
  Job& job = state_.mutable_job(key.job);
  const std::uint32_t number = parts_.attempts.next_number(job, key);
  const bool to_copy = state_.splits(key.kind);
  const AttemptSlot slot = state_.launch(key, number, tracker.id, now_, to_copy, beside);
  if (choice.hold != 0) parts_.holds.use_hold(held, job.width(key.kind));
  if (job.width(key.kind) > 1)
    parts_.holds.release_reservations(job.id, TrackerId{}, "used", key.kind);
  if (tracker.keeps > 0 && state_.space().containers())
    parts_.holds.release_reservations(job.id, tracker.id, "used");
  if (!state_.amount_waits().empty()) state_.end_amount_wait(job.id);
  if (state_.reserve_turn() != nullptr && state_.reserve_turn()->job == job.id)
    parts_.holds.end_reserve_turn();
  emit(AttemptLaunched{{key, number}, tracker.id, job.queue, choice.locality, to_copy, beside});
  policy_->on_launched(slot);
  if (job.limited) parts_.jobs.set_deadline(job);
  if (is_group(key.kind)) {
    parts_.jobs.set_task_deadline(state_.attempt(slot));
    take_units(tracker, job, {key, number});
  }
  if (key.kind == TaskKind::kMap) parts_.own_maps.started(job);
  pending_changed(job, key.kind);
  if (state_.space().containers()) return void(++offer.launched[0]);
  offer.free[index(key.kind)] -= job.width(key.kind);
  ++offer.launched[index(key.kind)];
}

void Launches::take_units(TrackerState& tracker, const Job& job, const AttemptKey& attempt) {
  const auto& named = job.spec->task_groups[group_number(attempt.task.kind)].asked.named;
  if (!named.empty()) tracker.units.grant(attempt, named);
}

void Launches::start_member(TrackerState& tracker, const TaskKey& key) {
  Job& job = state_.mutable_job(key.job);
  const std::uint32_t number = parts_.attempts.next_number(job, key);
  const AttemptSlot slot = state_.launch(key, number, tracker.id, now_);
  state_.mutable_attempt(slot).untold = true;
  ++tracker.untold;
  take_units(tracker, job, {key, number});
  policy_->on_launched(slot);
  if (job.limited) parts_.jobs.set_deadline(job);
  touch(tracker);
}

}  // namespace weir
