// The cluster as it is: queues, jobs, trackers, attempts, users, and the sums that decisions need,
// kept current at each change so that nobody has to count. Policies read it; only the engine
// changes it, through the functions below, each of which keeps every sum right. Dense ids index
// vectors; iteration order is the order of ids, never of a hash table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/arrival_list.h"
#include "jobqueue/model/attempt.h"
#include "jobqueue/model/claims.h"
#include "jobqueue/model/gang.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/job.h"
#include "jobqueue/model/name_table.h"
#include "jobqueue/model/paged_table.h"
#include "jobqueue/model/queue_state.h"
#include "jobqueue/model/queue_tree.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/space.h"
#include "jobqueue/model/terms.h"
#include "jobqueue/model/time.h"
#include "jobqueue/model/tracker_table.h"

namespace weir {

// The task of a job that a tracker should run next.
struct TaskPick {
  TaskKey task;
  Locality locality = Locality::kAny;
  bool located = false;  // it is known where its input lies
};

class ClusterState {
 public:
  ClusterState(std::shared_ptr<const Settings> settings, QueueTree tree, std::uint32_t epoch);

  // --- Reading ---
  TimeMs now() const { return now_; }  // of the step that is being handled
  const Settings& settings() const { return *settings_; }
  std::shared_ptr<const Settings> settings_ptr() const { return settings_; }
  const QueueTree& tree() const { return tree_; }
  const Space& space() const { return space_; }
  const SizeTable& sizes() const { return sizes_; }
  const QueueState& queue(QueueId id) const { return queues_[id.index()]; }
  const Job* find_job(JobId id) const;
  const Job& job(JobId id) const;
  const TrackerState& tracker(TrackerId id) const { return trackers_.at(id); }
  const std::vector<TrackerState>& trackers() const { return trackers_.all(); }
  const TrackerState* find_tracker(std::string_view name) const { return trackers_.find(name); }
  const Attempt& attempt(AttemptSlot slot) const { return attempts_[slot.index()]; }
  const std::string& user_name(UserId id) const { return users_.name(id); }
  const std::string& rack_name(RackId id) const { return trackers_.rack_name(id); }
  const Resources& total() const { return trackers_.total(); }  // of those that count
  const Resources& held() const { return trackers_.held(); }    // HELD on those
  std::int64_t total_slots(TaskKind kind) const { return total().slots(kind); }
  std::uint32_t live_trackers() const { return trackers_.live(); }
  std::uint32_t awaited_trackers() const { return trackers_.awaited(); }
  DurationMs heartbeat_interval_ms() const;  // as it is set, or grows with the cluster
  const std::map<JobId, std::unique_ptr<Job>>& jobs() const { return jobs_; }
  std::uint32_t waiting_jobs() const { return waiting_jobs_; }  // in all queues
  std::uint32_t epoch() const { return epoch_; }
  const ClaimBook& claims() const { return claims_; }
  // What reservations of containers for the queue's jobs, and those below it, keep.
  const PerDimension<std::int64_t>& reserved(QueueId queue) const {
    return reserved_[queue.index()];
  }
  // The gang that collects room, if one does; and if it is the job's.
  const Assembly* assembly() const { return assembly_ ? &*assembly_ : nullptr; }
  const Assembly* assembly_of(JobId job) const {
    return assembly_ && assembly_->job == job ? &*assembly_ : nullptr;
  }
  // Jobs whose gangs could start.
  const std::set<JobId>& gangs_waiting() const { return gangs_waiting_; }
  // Of these, who has collected room for as long as it may and lets others have their turn, and
  // since when.
  const std::map<JobId, TimeMs>& gangs_that_had_their_turn() const { return gangs_had_turn_; }
  // Tasks whose room is there but for what others keep, first come first; one of a job. Not stored:
  // after a restart they begin to wait once more.
  struct AmountWait {
    JobId job;
    TaskKind kind;
  };
  const std::vector<AmountWait>& amount_waits() const { return amount_waits_; }
  // Who was first where it could have reserved a tracker, and no more could be: the next
  // reservation is its. Not stored, likewise.
  struct ReserveTurn {
    JobId job;
    TaskKind kind;
    std::optional<TimeMs> open_since;  // nobody else's reservation has been in its way since
    // Leaf queues, or pools, whose smaller tasks have reserved trackers since it began, by path.
    std::set<std::string, std::less<>> had;
  };
  const ReserveTurn* reserve_turn() const { return reserve_turn_ ? &*reserve_turn_ : nullptr; }
  // On how many trackers that take tasks, and keep nothing, a container so large finds room.
  std::int64_t trackers_with_room(const Resources& need) const { return trackers_.with_room(need); }
  const std::vector<Attempt>& attempts() const { return attempts_; }  // by slot; look at `live`
  // The attempt's slot if the engine holds it as live.
  AttemptSlot find_attempt(const AttemptKey& key) const;
  // The attempt's place in the tracker's list of attempts, or kNoPlace.
  static constexpr std::size_t kNoPlace = SIZE_MAX;
  std::size_t place_of(const TrackerState& tracker, const AttemptKey& key) const;
  // Calls f(slot) for the task's live attempts, dying ones too, in the order of their launch.
  template <class F>
  void each_attempt(const Task& task, F f) const {
    for (AttemptSlot slot = task.attempt; slot.valid();) {
      const AttemptSlot next = attempt(slot).next;
      f(slot);
      slot = next;
    }
  }
  // The task's attempt on the tracker, if there is one.
  AttemptSlot attempt_on(const Task& task, TrackerId tracker) const;
  // How many of its attempts are alive and not to die.
  std::uint32_t alive_attempts(const Task& task) const;
  // Hints that a live attempt will end soon, or a task be looked at: fetch it, then the records of
  // its job and queue, then what these point to. What will be waited for line by line comes
  // together if asked for early.
  void prefetch_attempt(AttemptSlot slot) const;
  void prefetch(const Attempt& attempt, int step) const;
  void prefetch(const TaskKey& task, int step) const;
  // The most any live tracker offers in each dimension: what is larger can never run.
  const Resources& largest_tracker() const { return trackers_.largest(); }
  // Whether the tracker has the output of this finished map, of a job that is not over.
  bool serves(TrackerId tracker, const TaskKey& map) const;
  // Whether the job passes this tracker over because it failed there too often (unless most
  // trackers did).
  bool avoided(const Job& job, TrackerId tracker) const;
  // The task has failed there, and another tracker could take it.
  bool to_run_elsewhere(const Job& job, const TaskKey& task, TrackerId tracker) const;
  bool keeps_apart(JobId suspect, const TrackerState& tracker) const;
  // Whether a task of the job that waits may run there, once nothing else does: not one that is to
  // run elsewhere.
  bool may_run_on(const Job& job, TaskKind kind, const TrackerState& tracker) const;

  // The task of this job that this tracker should run next: retries first, then node-local,
  // rack-local, any; no map further from its input than `allowed`. Nothing if none may run there or
  // it does not fit. Does not ask whether the queue may.
  std::optional<TaskPick> pick_task(JobId job, TaskKind kind, TrackerId tracker,
                                  Locality allowed = Locality::kAny) const;

  // --- Stragglers (cluster_state_stragglers.cpp) ---
  // Jobs that have a task so far behind, and launched for so long, that a second attempt may start.
  const std::set<JobId>& jobs_with_stragglers(TaskKind kind) const {
    return with_stragglers_[index(kind)];
  }
  // The task of this job that has fallen furthest behind and that this tracker may try as well.
  std::optional<TaskPick> pick_straggler(JobId job, TaskKind kind, TrackerId tracker) const;
  // How many tasks of the job may have a second attempt now.
  std::uint32_t stragglers(const Job& job, TaskKind kind) const;
  // What a job does by its own word, or else the settings.
  bool speculates(const JobSpec& spec, TaskKind kind) const;

  // Whether it is known of any of its maps where their input lies.
  bool has_locations(JobId job) const;
  // Whether the tracker could start a task of the job if `freed` were free there besides.
  bool could_start(JobId job, TaskKind kind, TrackerId tracker, const Resources& freed) const;
  // Slots of live trackers that take tasks which nothing holds; and on how many trackers at least
  // `slots` (>= 1) are free.
  std::int64_t free_slots(TaskKind kind) const { return trackers_.free_slots().total(kind); }
  std::int64_t trackers_with_free(TaskKind kind, std::int64_t slots) const {
    return trackers_.free_slots().trackers_with(kind, slots);
  }
  std::int64_t free_slots_for(TaskKind kind, std::int64_t width) const {  // by tasks so wide
    return trackers_.free_slots().total_for(kind, width);
  }
  static std::int64_t free_slots(const TrackerState& tracker, TaskKind kind) {
    return TrackerTable::free_slots(tracker, kind);
  }
  // Copy-compute splitting, as the ruling policy has it: a tracker holds copying reduces of up to
  // so many times its reduce slots. 0: reduces have their slots from their launch on.
  std::int64_t copy_factor() const { return copy_factor_; }
  // Whether launched tasks of the kind only copy at first.
  bool splits(TaskKind kind) const { return copy_factor_ > 0 && kind == TaskKind::kReduce; }
  // The slots of further reduces that the tracker may hold copying.
  std::int64_t copy_room(const TrackerState& tracker) const;
  // What launching a task of the job takes at once, whether the tracker has it, and whether it has
  // what more a reduce that has copied needs in order to compute.
  bool may_launch(const Job& job, TaskKind kind, const TrackerState& tracker) const;
  // Whether a task of that need fits the tracker with `used` of it in use.
  bool fits_in(const Resources& need, const TrackerState& tracker, const Resources& used) const {
    return fits(need, tracker.total, used, space_.looked_at(total()));
  }
  bool may_compute(const Job& job, const TrackerState& tracker) const;
  // Whether the tracker's labels and ports let a task of the group run there (labels.cpp).
  // `planned`: rooms that members of its gang are to have besides.
  bool allows(const Job& job, TaskKind kind, const TrackerState& tracker,
              const std::vector<GangRoom>& planned = {}) const;

  // --- Changing: the engine only ---
  void set_now(TimeMs now) { now_ = now; }
  Job& add_job(std::unique_ptr<Job> job);
  Job& mutable_job(JobId id);
  void forget_job(JobId id);                     // over, and old
  void set_job_state(Job& job, JobState state);  // keeps the queue's and the user's counts
  void set_durable(Job& job);
  void release(Job& job);  // it was held
  void set_priority(Job& job, Priority priority) { job.priority = priority; }
  void set_queue(Job& job, QueueId queue);  // carries running tasks and counts along
  void expand_tasks(Job& job);              // makes the tasks, all pending
  void drop_tasks(Job& job);                // over and done with
  UserId intern_user(const std::string& name) { return users_.intern(name); }
  TrackerState& add_tracker(const std::string& name) { return trackers_.add(name); }
  TrackerState& mutable_tracker(TrackerId id) { return trackers_.at(id); }
  void set_tracker_live(TrackerState& tracker, TrackerState::State state);
  // Of memory, vcores and slots; with what it offers by name.
  void set_tracker_total(TrackerState& tracker, const Resources& total);
  void set_tracker_named(TrackerState& tracker, std::map<std::string, std::int64_t> named);
  void set_tracker_accepts(TrackerState& tracker, bool accepts_tasks);
  void set_tracker_order(TrackerState& tracker, TrackerOrder order);
  void set_tracker_faulty(TrackerState& tracker, bool faulty);
  void set_tracker_forgotten(TrackerState& tracker);  // lost, until it comes back
  void set_tracker_address(TrackerState& tracker, const TrackerAddress& address) {
    trackers_.set_address(tracker, address);
  }
  // `to_copy`: a reduce that gets no slots before it is granted them.
  // `beside`: the task runs already.
  AttemptSlot launch(const TaskKey& task, std::uint32_t number, TrackerId tracker, TimeMs now,
                     bool to_copy = false, bool beside = false);
  void set_copied(Attempt& attempt);               // it copied
  void grant_slots(Attempt& attempt, TimeMs now);  // it copied, or waited
  void set_computing(Attempt& attempt);            // it was granted its slots
  void set_copy_factor(std::int64_t factor) { copy_factor_ = factor; }
  ClaimBook& mutable_claims() { return claims_; }
  void keep_on(TrackerState& tracker, int sign) { trackers_.keep(tracker, sign); }
  void reserve(const Reservation& reservation);
  void unreserve(std::size_t place);  // in the book's list
  // --- Gangs (cluster_state_gangs.cpp) ---
  void follow_gang(Job& job);  // who of it runs has changed
  void open_gang(Job& job, bool started);
  void begin_assembly(const Job& job, bool beyond);
  void end_assembly() { assembly_.reset(); }  // it has no room any more
  std::map<JobId, TimeMs>& mutable_gangs_had_turn() { return gangs_had_turn_; }
  void wait_for_amount(const AmountWait& wait) { amount_waits_.push_back(wait); }
  void end_amount_waits() { amount_waits_.clear(); }
  void set_reserve_turn(const std::optional<ReserveTurn>& turn) { reserve_turn_ = turn; }
  void end_amount_wait(JobId job) {
    std::erase_if(amount_waits_, [job](const AmountWait& wait) { return wait.job == job; });
  }
  void hold_room(const GangRoom& room);
  void free_room(std::size_t place);  // in its list
  Attempt& mutable_attempt(AttemptSlot slot) { return attempts_[slot.index()]; }
  void set_progress(Attempt& attempt, std::int32_t millionths);
  void age_attempts();  // by the time that it is now
  void set_attempt_state(Attempt& attempt, Attempt::State state);
  void order_kill(Attempt& attempt, KillReason reason);  // leaves RUN, still HELD
  // Leaves RUN if it was there, and HELD; the slot is free.
  void end_attempt(AttemptSlot slot, AttemptState end);
  void reopen_task(Job& job, TaskKind kind, std::uint32_t index);  // pending again
  // It is pending, but not to start before it is woken: nobody sees that it is wanted.
  void rest_task(Job& job, TaskKind kind, std::uint32_t index);
  void wake_task(Job& job, TaskKind kind, std::uint32_t index);
  void mark_succeeded(Job& job, TaskKind kind, std::uint32_t index, std::uint32_t attempt,
                      TrackerId where);
  void stop_by_command(QueueId queue, bool stopped);
  QueueCounters& counters(QueueId queue) { return queues_[queue.index()].counters; }
  // Between slots and containers only while nothing is held on any tracker.
  void replace_settings(std::shared_ptr<const Settings> settings, QueueTree tree);
  // What its tasks take, as it was accepted; each group then has its size.
  void set_containers(Job& job, std::vector<Resources> containers);
  // A copy to put other settings to and ask a policy about, where slots count: all sums, without
  // the single tasks. Nothing can be launched or ended in it, and it must not outlive this one.
  std::unique_ptr<ClusterState> outlined() const;

 private:
  // What a task adds to the sums of its group.
  struct TaskStanding {
    std::int64_t progress = 0;                   // of the foremost attempt
    bool returning = false;                      // all its attempts are to die
    std::optional<std::int32_t> alone_and_aged;  // progress of its only attempt
  };
  TaskStanding standing(const Task& task) const;
  // Changes a task or its attempts, and keeps the sums right.
  template <class Change>
  void change_task(Job& job, TaskKind kind, std::uint32_t index, Change change);
  void set_aged(TaskGroup& group, std::uint32_t index, const TaskStanding& before,
                const TaskStanding& after);
  bool may_try_beside(const Job& job, TaskKind kind, std::uint32_t index) const;
  void link_attempt(Task& task, AttemptSlot slot);
  void unlink_attempt(Task& task, AttemptSlot slot);
  bool falls_behind(const TaskGroup& group, std::int64_t progress) const;
  void review_stragglers(Job& job, TaskKind kind);
  void follow_speculation();  // the settings have changed

  void count_job(const Job& job, std::int32_t by);
  void count_pending(const Job& job, std::int32_t by);
  void note_launch(Job& job, TimeMs at);
  void leave_run(Attempt& attempt);
  void index_locations(const Job& job) const;  // from the splits' hosts, the trackers' local paths
  std::optional<std::uint32_t> pick_retry(const Job& job, TaskKind kind,
                                          const TrackerState& tracker, Locality allowed) const;
  void refresh_locations(JobId job) const;
  // So many tasks of the size come into RUN; negative: leave it.
  void add_running(QueueId queue, UserId user, const Size& size, std::int64_t tasks);
  void size_groups(Job& job);
  void replace_space(Space space);
  void release_sizes(Job& job);
  void count_reserved(const Reservation& reservation, int sign);
  void count_kept(QueueId queue, const Resources& need, int sign);
  void count_room(const GangRoom& room, int sign);
  void hold(TrackerState& tracker, const Attempt& attempt, int sign);
  void count_copy(const Attempt& attempt, int sign);
  void set_copy_stage(Attempt& attempt, CopyStage stage);

  std::shared_ptr<const Settings> settings_;
  QueueTree tree_;
  Space space_;
  SizeTable sizes_;
  std::uint32_t epoch_;
  TimeMs now_ = 0;
  std::vector<QueueState> queues_;
  std::vector<PerDimension<std::int64_t>> reserved_;  // by queue
  std::map<JobId, std::unique_ptr<Job>> jobs_;
  std::uint32_t waiting_jobs_ = 0;
  PagedTable<Job*> job_index_;  // by JobId: the hot path's way
  TrackerTable trackers_;
  std::vector<Attempt> attempts_;
  std::vector<AttemptSlot> free_attempts_;
  ArrivalList<AttemptSlot> young_;  // of tasks that may speculate, by launch: not aged yet
  std::set<JobId> with_stragglers_[kTaskKindCount];
  ClaimBook claims_;
  std::optional<Assembly> assembly_;
  std::set<JobId> gangs_waiting_;
  std::map<JobId, TimeMs> gangs_had_turn_;
  std::vector<AmountWait> amount_waits_;
  std::optional<ReserveTurn> reserve_turn_;
  NameTable<UserId> users_;
  std::uint64_t launches_ = 0;
  std::int64_t copy_factor_ = 0;
  bool outline_ = false;  // it knows no single tasks
};

template <class Change>
void ClusterState::change_task(Job& job, TaskKind kind, std::uint32_t index, Change change) {
  TaskGroup& group = job.tasks(kind);
  const Task& task = group.tasks[index];
  const bool may_lag = job.speculates_in(kind);
  const bool watched = may_lag && group.aged != nullptr;
  const TaskStanding before = standing(task);
  change();
  const TaskStanding after = standing(task);
  group.running_progress_millionths += after.progress - before.progress;
  if (after.returning != before.returning) group.dying += after.returning ? 1 : -1;
  if (after.alone_and_aged != before.alone_and_aged) set_aged(group, index, before, after);
  if (watched || (may_lag && group.aged != nullptr)) review_stragglers(job, kind);
}

// The leaf of `tree` in which the jobs of the leaf that has that path go on under `settings`: the
// same one, or the one that its removal names. Invalid if there is none.
QueueId queue_after(const Settings& settings, const QueueTree& tree, std::string_view path);

// Who has under `settings` what the queue of that path, a leaf or not, has had of its own; an inner
// queue's own is what it had as a leaf, besides what its leaves have. Invalid: nobody.
struct TotalsAfter {
  // Jobs, use and losses go with the jobs, or else to the nearest queue there is that it stood in:
  // so no queue that stays has had less than before.
  QueueId to;
  // What it lent and borrowed was its own: it stays with it, or goes with a leaf's jobs; but not to
  // a queue it stood in, for which that was within the family.
  QueueId lent_to;
};
TotalsAfter totals_after(const Settings& settings, const QueueTree& tree, std::string_view path,
                         bool leaf);

// Whether `queue`'s own `priorities` setting lets priorities count.
bool priorities_count(const ClusterState& state, QueueId queue);
JobOrder job_order(const ClusterState& state, const Job& job);

}  // namespace weir
