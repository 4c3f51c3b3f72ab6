#include "jobqueue/engine/gangs.h"

#include <algorithm>
#include <string>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/counted.h"
#include "jobqueue/policy/gang_search.h"

namespace weir {

void Gangs::follow(Job& job) {
  if (job.gang == nullptr) return;
  state_.follow_gang(job);
  core_.pending_changed(job, job.gang_kind());
}

// --- Room ---

void Gangs::begin(Job& job, bool beyond) {
  const Assembly* now = state_.assembly();
  if (now != nullptr && now->job == job.id) return;
  release(JobId{}, "gives_way");
  state_.begin_assembly(job, beyond);
}

void Gangs::release(JobId job, std::string_view why) {
  const Assembly* assembly = state_.assembly();
  if (assembly == nullptr || (job.valid() && assembly->job != job)) return;
  const JobId of = assembly->job;
  const QueueId queue = assembly->queue;
  const bool held = !assembly->rooms.empty();
  while (!assembly->rooms.empty()) state_.free_room(assembly->rooms.size() - 1);
  state_.end_assembly();
  state_.end_amount_wait(of);
  if (const Job* found = state_.find_job(of); found != nullptr && found->waits_for_gang_start())
    parts_.holds.release_reservations(of, TrackerId{}, why);
  policy_->on_reserved(of, queue);
  if (held) emit(GangReleased{of, std::string(why)});
}

void Gangs::release_on(TrackerId tracker) {
  const Assembly* assembly = state_.assembly();
  if (assembly == nullptr) return;
  const bool held = !assembly->rooms.empty();
  for (std::size_t i = assembly->rooms.size(); i-- > 0;) {
    if (assembly->rooms[i].tracker == tracker) state_.free_room(i);
  }
  if (held && assembly->rooms.empty()) emit(GangReleased{assembly->job, "tracker"});
}

// Others have their turn; when all had theirs it goes on from the start. One that gave way to a
// claim would be in its way again.
void Gangs::give_up(std::string_view why) {
  const Assembly* assembly = state_.assembly();
  if (why.empty() || assembly == nullptr) return;
  const JobId job = assembly->job;
  release(job, why);
  auto& had_turn = state_.mutable_gangs_had_turn();
  const bool gave_way = why == "gives_way";
  if (why == "hold" || gave_way) had_turn[job] = now_;
  std::erase_if(had_turn,
                [&](const auto& of) { return !state_.gangs_waiting().contains(of.first); });
  if (!gave_way && had_turn.size() == state_.gangs_waiting().size()) had_turn.clear();
}

// Room that another one has given up may be what it lacked.
const char* Gangs::assemble(TrackerState& tracker, Job& job, const Choice& choice, Offer& offer,
                            bool claimant) {
  const bool another = state_.assembly() != nullptr && state_.assembly_of(job.id) == nullptr;
  begin(job, choice.beyond);
  const bool may_start = choice.rooms >= gang_without_room(state_, job).size();
  if ((another || claimant) && may_start && gang_starts(state_, job, tracker, claimant))
    return start(tracker, job, offer, claimant);
  const std::vector<GangRoom> rooms =
      gang_rooms_on(state_, job, tracker, claimant, choice.rooms);
  if (rooms.empty()) return "there is no room for the gang";
  hold(job, rooms);
  parts_.holds.release_reservations(job.id, tracker.id, "used");
  return nullptr;
}

const char* Gangs::take_hold(TrackerState& tracker, Job& job, std::size_t place,
                             const Choice& choice, Offer& offer) {
  parts_.holds.use_hold(place, 0);
  return assemble(tracker, job, choice, offer, true);
}

void Gangs::hold_for_claimant(JobId id, const std::vector<GangRoom>& rooms) {
  if (!id.valid()) return;
  Job& job = state_.mutable_job(id);
  begin(job, false);
  hold(job, rooms);
}

void Gangs::hold(const Job& job, const std::vector<GangRoom>& rooms) {
  state_.end_amount_wait(job.id);
  for (const GangRoom& room : rooms) {
    state_.hold_room(room);
    emit(GangHeld{room.task, room.tracker});
  }
  policy_->on_reserved(job.id, job.queue);
}

// --- Start ---

const char* Gangs::start(TrackerState& tracker, Job& job, Offer& offer, bool claimant) {
  const auto last = gang_starts(state_, job, tracker, claimant);
  if (!last) return "there is no room for the gang";
  for (const GangRoom& room : *last) emit(GangHeld{room.task, room.tracker});
  std::vector<GangRoom> rooms = *last;
  if (const Assembly* own = state_.assembly_of(job.id)) {
    rooms.insert(rooms.end(), own->rooms.begin(), own->rooms.end());
    while (!own->rooms.empty()) state_.free_room(own->rooms.size() - 1);
    state_.end_assembly();
  }
  std::sort(rooms.begin(), rooms.end(),
            [](const GangRoom& a, const GangRoom& b) { return a.task < b.task; });
  parts_.holds.release_reservations(job.id, TrackerId{}, "used");
  // It has room for all of it elsewhere: what is held for it still is anybody's at once.
  const auto for_it = [&](const Hold& hold) {
    return hold.job == job.id && job.waits_for_gang(hold.kind);
  };
  parts_.holds.end_holds(for_it, KillRecord::Outcome::kWasted);
  state_.mutable_gangs_had_turn().erase(job.id);
  state_.end_amount_wait(job.id);
  state_.open_gang(job, true);
  emit(GangStarted{job.id, static_cast<std::uint32_t>(rooms.size())});
  for (const GangRoom& room : rooms) {
    TrackerState& on = state_.mutable_tracker(room.tracker);
    parts_.launches.start_member(on, room.task);
    if (room.tracker == tracker.id) ++offer.launched[0];
  }
  launch_members(tracker);
  follow(job);
  for (const TaskKind kind : job.kinds()) pending_changed(job, kind);
  return nullptr;
}

void Gangs::launch_members(TrackerState& tracker) {
  // What it is told to drop has its room until then.
  const bool fits = tracker.within_offer() && tracker.to_drop == 0;
  const std::vector<AttemptSlot> attempts = tracker.attempts;
  for (const AttemptSlot slot : attempts) {
    if (!state_.attempt(slot).live || !state_.attempt(slot).untold) continue;
    tracker.in_pool() && fits ? tell(slot) : parts_.attempts.attempt_killed(slot);
  }
}

void Gangs::tell(AttemptSlot slot) {
  Attempt& attempt = state_.mutable_attempt(slot);
  if (!attempt.untold) return;
  attempt.untold = false;
  --state_.mutable_tracker(attempt.tracker).untold;
  attempt.launched_at = now_;
  emit(AttemptLaunched{attempt.key, attempt.tracker, attempt.queue});
  parts_.jobs.set_task_deadline(attempt);
}

// --- Ports ---

bool Gangs::note_ports(AttemptSlot slot, const std::vector<std::uint16_t>& ports) {
  const AttemptKey key = state_.attempt(slot).key;
  Job& job = state_.mutable_job(key.task.job);
  if (job.gang == nullptr || job.gang->ports.contains(key)) return true;
  if (state_.attempt(slot).dying()) return true;
  const TaskGroupSpec& group = job.spec->task_groups[group_number(key.task.kind)];
  if (group.gang == 0) return true;
  if (ports.size() != group.ports) {
    parts_.attempts.attempt_failed(
        slot, "its tracker says that it has " + counted(ports.size(), "port") +
                  ", and its group asks for " + std::to_string(group.ports));
    return false;
  }
  job.gang->ports[key] = ports;
  if (!job.gang->ports_awaited && !all_have_ports(state_, job))
    await_ports(job, state_.settings().heartbeat.expiry_ms);
  return true;
}

void Gangs::await_ports(Job& job, DurationMs for_ms) {
  job.gang->ports_awaited = true;
  awaited_ports_.emplace(now_ + for_ms, job.id);
}

// Who was launched since then has as long as the others had.
void Gangs::end_waits_for_ports() {
  const DurationMs expiry = state_.settings().heartbeat.expiry_ms;
  while (!awaited_ports_.empty() && awaited_ports_.begin()->first <= now_) {
    const JobId id = awaited_ports_.begin()->second;
    awaited_ports_.erase(awaited_ports_.begin());
    if (state_.find_job(id) == nullptr) continue;
    Job& job = state_.mutable_job(id);
    job.gang->ports_awaited = false;
    const std::vector<TaskKey> members = job.gang->members;
    for (const TaskKey& member : members) {
      if (is_over(job.state) || !job.gang->started) break;  // it may have no tasks any more
      const AttemptSlot slot = running_member(state_, job, member);
      if (!slot.valid() || job.gang->ports.contains(state_.attempt(slot).key)) continue;
      const Attempt& attempt = state_.attempt(slot);
      if (attempt.untold || attempt.launched_at + expiry > now_) continue;
      parts_.attempts.attempt_failed(slot, "its tracker did not say within " +
                                               format_duration(expiry) +
                                               " which ports it has: the others waited for it");
    }
    if (!is_over(job.state) && job.gang->started && !all_have_ports(state_, job))
      await_ports(job, expiry);
  }
}

// --- End ---

void Gangs::member_lost(const AttemptKey& key) {
  Job& job = state_.mutable_job(key.task.job);
  if (job.gang == nullptr || !job.gang->started || is_over(job.state)) return;
  if (!job.gang->has(key.task)) return;
  if (job.spec->task_groups[group_number(key.task.kind)].replace) return;
  begin_again(job);
}

void Gangs::begin_again(Job& job) {
  const std::vector<TaskKey> members = job.gang->members;
  state_.open_gang(job, false);
  for (const TaskKey& member : members) {
    state_.each_attempt(job.tasks(member.kind).tasks[member.index], [&](AttemptSlot slot) {
      if (!state_.attempt(slot).dying())
        parts_.attempts.order_kill(slot, KillReason::kGang, QueueId{});
    });
  }
  for (const TaskKind kind : job.kinds()) pending_changed(job, kind);
}

// --- A start of the JobTracker ---

bool Gangs::may_adopt(const Job& job, TaskKind kind) const {
  if (job.gang == nullptr || job.spec->task_groups[group_number(kind)].gang == 0) return true;
  return !settled_ || job.gang->started;
}

// A gang of which members run had started. Those who are not there any more are lost.
void Gangs::settle() {
  settled_ = true;
  std::vector<JobId> gangs;
  for (const auto& [id, job] : state_.jobs()) {
    if (job->gang != nullptr && !is_over(job->state)) gangs.push_back(id);
  }
  for (const JobId id : gangs) {
    Job& job = state_.mutable_job(id);
    const auto runs = [&](const TaskKey& member) {
      return job.tasks(member.kind).tasks[member.index].state == Task::State::kRunning;
    };
    const std::vector<TaskKey> members = gang_members(job);
    if (std::none_of(members.begin(), members.end(), runs)) continue;
    state_.open_gang(job, true);
    // Those that have succeeded were of it, and tasks that came after it are not missing.
    bool complete = true;
    for (const TaskKind kind : job.kinds()) {
      const TaskGroupSpec& group = job.spec->task_groups[group_number(kind)];
      if (group.gang == 0 || group.replace) continue;
      const auto running = std::count_if(
          members.begin(), members.end(),
          [&](const TaskKey& member) { return member.kind == kind && runs(member); });
      complete = complete && running + job.tasks(kind).succeeded >= group.gang;
      if (job.tasks(kind).succeeded == 0) continue;
      std::erase_if(job.gang->members, [&](const TaskKey& member) {
        return member.kind == kind && !runs(member);
      });
    }
    if (!complete) begin_again(job);
    for (const TaskKind kind : job.kinds()) pending_changed(job, kind);
  }
}

}  // namespace weir
