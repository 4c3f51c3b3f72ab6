// The engine: inputs with time in; events, replies and kills out. Single-threaded, no I/O, no
// clock, no randomness: the same inputs give the same events, byte for byte, in the daemon, the
// simulator and the benchmark alike.
//
// It is the mechanism: it keeps the ClusterState, asks the policy what to launch and what to kill,
// and checks each answer again, so that a wrong policy can be unfair but cannot corrupt. Promises
// wait for the store: a command takes effect at Durable{seq >= its own}, and is refused at
// StoreFailed; a commit is granted, and a reported end is acknowledged, only when durable.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "jobqueue/engine/job_bytes.h"
#include "jobqueue/engine/job_queue_manager.h"
#include "jobqueue/engine/running_limits.h"
#include "jobqueue/model/arrival_list.h"
#include "jobqueue/model/changed_ids.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/input.h"
#include "jobqueue/model/snapshot.h"
#include "jobqueue/policy/policy.h"
#include "jobqueue/policy/policy_memory.h"
#include "jobqueue/policy/shortfalls.h"

namespace weir {

// What changed since it was last asked, for those who publish records to readers.
struct Changes {
  ChangedIds<JobId> jobs;
  ChangedIds<TrackerId> trackers;
  bool queues = false;
  void clear() {
    jobs.clear();
    trackers.clear();
    queues = false;
  }
};

// Attempt numbers grow by start of the JobTracker, so that none repeats although running attempts
// are not stored.
inline constexpr std::uint32_t kAttemptsPerEpoch = 10000;

class Engine {
 public:
  // `snapshot` is what the store gave back; `settings` are validated. Time starts at `now` >=
  // snapshot.last_time. An error names what in the settings does not fit the jobs in the snapshot
  // (a queue with jobs that is gone).
  static Result<std::unique_ptr<Engine>> create(std::shared_ptr<const Settings> settings,
                                                PolicyFactory factory, Snapshot snapshot,
                                                TimeMs now);
  ~Engine();

  // One step. Appends to `output`.
  void handle(const Input& input, Output& output);

  const ClusterState& state() const { return state_; }
  const JobQueueManager& queues() const { return manager_; }
  const Policy& policy() const { return *policy_; }
  const PolicyMemory& memory() const { return *memory_; }
  const RunningLimits& running_limits() const { return limits_; }
  const JobBytes& job_bytes() const { return job_bytes_; }
  TimeMs now() const { return now_; }
  TimeMs policy_since() const { return policy_since_; }
  // When a Tick is due at the latest.
  TimeMs next_tick() const;
  std::uint64_t last_seq() const { return last_seq_; }
  std::uint64_t durable_seq() const { return durable_seq_; }
  DurationMs heartbeat_interval_ms() const { return state_.heartbeat_interval_ms(); }
  Changes& changes() { return changes_; }
  // The state that readers may see: an end counts once it is durable.
  JobState visible_state(const Job& job) const;
  // After a restart nothing is launched until every tracker that the store names has reported what
  // it runs, or is lost; and not for longer than recovery_ms(), which is also what is waited when
  // it names none.
  bool recovering() const {
    return now_ < recovering_until_ && !(trackers_known_ && recovering_for_.empty());
  }
  // After a restart: trackers that counted in the totals and have not reported yet. Until they
  // have, or are lost, no claim opens and nobody is preempted.
  const std::set<TrackerId>& unreported() const { return unreported_; }
  // A faulty tracker: when enough of its faults are forgotten for it to be back in the pool.
  std::optional<TimeMs> back_at(const TrackerState& tracker) const;
  // Under a policy without claims the time by which they age stands still.
  bool claims_paused() const { return claims_paused_at_.has_value(); }
  TimeMs claims_now() const { return claims_paused_at_.value_or(now_); }
  // Why an unfinished job's tasks wait; empty if nothing does.
  std::vector<Reason> explain(JobId job) const;  // engine_explain.cpp
  // Whether new settings fit the live state (queues with jobs that would vanish...), besides being
  // valid themselves.
  Status check_settings(const Settings& settings) const;
  // Makes the named policy from the state as it is, without switching to it; null if there is none
  // of that name.
  std::unique_ptr<Policy> make_policy(std::string_view name) const;
  // Whose claims stand still while another policy rules; empty: none do.
  const std::string& claims_policy() const { return claims_policy_; }

 private:
  struct PendingCommand {
    std::uint64_t seq = 0;
    Token token = 0;
    Command command;
    std::vector<Token> again;  // a submission: of those who have asked for it once more since
  };
  struct ParkedHeartbeat {
    std::uint64_t seq = 0;  // reply when this is durable,
    Token token = 0;
    TrackerId tracker;
    TimeMs until = 0;       // or at that time
    // Of the report that the reply is level with:
    struct Reported {
      AttemptKey attempt;
      ReportedState state = ReportedState::kRunning;
    };
    std::vector<Reported> attempts;
    std::vector<JobId> held_jobs;
  };

  Engine(std::shared_ptr<const Settings> settings, QueueTree tree, PolicyFactory factory,
         const Snapshot& snapshot, TimeMs now);

  // engine_restore.cpp
  Status restore(const Snapshot& snapshot, const std::string& policy);
  Status restore_state(const Snapshot& snapshot);
  Status restore_job(const JobSnapshot& job);
  void restore_finished(Job& job, const JobSnapshot& old);
  void restore_orders(const Snapshot& snapshot);
  void restore_faults(const Snapshot& snapshot);
  TrackerState& awaited_tracker(const std::string& name);
  DurationMs recovery_ms() const;

  // command_submit.cpp
  void on(const SubmitJob& input, Token token);
  Status check_width(const JobSpec& spec) const;
  bool answered_before(const SubmitJob& input, Token token);
  void remember_submission(const JobSpec& spec, JobId job);
  void forget_submission(const JobSpec& spec);
  void drop_submission(const JobSubmitted& submitted);

  // engine_shed.cpp: what a job no longer needs once it is over
  void note_over(const Job& job);
  void shed_ended();
  void shed(Job& job);

  // engine.cpp
  void on(const Tick& input, Token token);
  void count_slot_time();

  // promises.cpp
  void on(const Durable& input, Token token);
  void on(const StoreFailed& input, Token token);
  void promise(Token token, Command command);  // written now, applied when durable
  void drop(const PendingCommand& command, const std::string& why);
  void settle(std::uint64_t seq);

  // Commands, each in its file (command_kill.cpp...): its check, which promises it or says why not,
  // and its effect, once it is durable, with what is answered.
  void on(const KillJob& input, Token token);
  void on(const SetPriority& input, Token token);
  void on(const MoveJob& input, Token token);
  void on(const ReleaseJob& input, Token token);
  void on(const SetQueueState& input, Token token);
  void on(const ApplySettings& input, Token token);
  void on(const SetPolicy& input, Token token);
  void on(const OrderTrackers& input, Token token);
  void on(const DeclareLost& input, Token token);  // takes effect at once
  void on(const ForgetTrackers& input, Token token);
  using Answer = decltype(Reply::body);
  Answer apply(const JobSubmitted& submitted);
  Answer apply(const JobKillRequested& kill);
  Answer apply(const PriorityChanged& change);
  Answer apply(const JobMoved& move);
  Answer apply(const JobReleased& released);
  Answer apply(const QueueStateChanged& change);
  Answer apply(const SettingsChanged& change);
  Answer apply(const PolicyChanged& change);
  Answer apply(const TrackersOrdered& ordered);
  void switch_policy(const std::string& name);

  // engine_time_limits.cpp
  void set_deadline(Job& job);
  void stop_late_jobs();

  // command_settings.cpp; forget_stop: command_queue_state.cpp
  void forget_stop(const std::string& path);
  std::vector<std::string> structure_findings(const Settings& settings,
                                              const QueueTree& tree) const;
  std::vector<std::pair<std::string, std::string>> moves_of(const Settings& settings) const;
  Status check_stays(QueueId queue) const;

  // engine_heartbeat.cpp
  void on(const Heartbeat& input, Token token);
  void take_report(TrackerState& tracker, const Heartbeat& report);
  void prefetch_for(const TrackerState& tracker, const Heartbeat& report);
  void take_attempt(TrackerState& tracker, const AttemptReport& report);
  bool adopt(TrackerState& tracker, const AttemptReport& report);
  void release_given_up(TrackerState& tracker, const Heartbeat& report);
  void drop_missing_attempts(TrackerState& tracker);
  void forget_ends(TrackerState& tracker, const Heartbeat& report);
  static Error not_registered(const std::string& tracker);
  bool is_another(const TrackerState& known, const RegisterTracker& input) const;
  void take_live_attempt(AttemptSlot slot, const AttemptReport& report);
  void grant_commit(AttemptSlot slot);
  void schedule(TrackerState& tracker);
  bool held_for(const Hold& hold, const Job& job) const;
  bool launch(TrackerState& tracker, const Choice& choice, Offer& offer);
  const char* wrong_hold(const TrackerState& tracker, const Choice& choice, const Job& job,
                         std::size_t& place) const;
  void start(TrackerState& tracker, const Choice& choice, Offer& offer, std::size_t held,
             bool beside);
  void refuse_choice(const TrackerState& tracker, const Choice& choice, const char* wrong);
  template <class Report>  // a Heartbeat, or what is kept of one
  HeartbeatReply compose_reply(TrackerState& tracker, const Report& report);
  HeartbeatReply compose_parked(TrackerState& tracker, const ParkedHeartbeat& parked);
  void compose_orders(const TrackerState& tracker, HeartbeatReply& out) const;

  // engine_duties.cpp: the last duty of each job
  void open_duty(Job& job, Job::Duty duty);
  void take_duty(TrackerState& tracker, const DutyReport& report);
  void end_duty(Job& job, bool ok, const std::string& message);
  void give_duties(TrackerState& tracker);
  void list_duties(const TrackerState& tracker, HeartbeatReply& out) const;
  void leave_duties(TrackerState& tracker);
  void pass_on_duty(Job& job, const std::string& why);
  void pass_on_slow_duties();

  // engine_losses.cpp: tasks that take their trackers down
  std::vector<TaskKey> blame_for(TrackerState& tracker);
  void fail_those_who_take_trackers_down(const std::vector<TaskKey>& blamed,
                                         const TrackerState& tracker);
  bool may_come_back(const TrackerState& tracker, const AttemptKey& attempt) const;
  void came_back(const TrackerState& tracker, Job& job, const AttemptKey& attempt);

  // engine_parked.cpp: replies that wait for a commit grant to be durable
  std::uint64_t awaited_grant(const TrackerState& tracker) const;
  void park(TrackerState& tracker, const Heartbeat& report, Token token, std::uint64_t awaited);
  void answer_parked();

  // engine_speculation.cpp: second attempts of stragglers
  bool speculate(TrackerState& tracker, Offer& offer, std::array<bool, kTaskKindCount>& speculated);
  std::optional<Choice> choose_straggler(TaskKind kind, const Offer& offer);
  bool may_adopt_beside(const Job& job, const TrackerState& tracker,
                        const AttemptReport& report) const;
  void kill_losers(Job& job, const TaskKey& key);

  // engine_copies.cpp: reduces that copy without slots
  void take_copy(AttemptSlot slot, const AttemptReport& report);
  void grant_slots(TrackerState& tracker);
  void end_stranded(const TrackerState& tracker);
  void grant_in_order(TrackerState& tracker);
  bool compute(TrackerState& tracker, const Choice& choice);
  void grant(AttemptSlot slot);
  std::int64_t launch_room(const TrackerState& tracker, TaskKind kind) const;

  // engine_claims.cpp: what queues are owed
  void review_claims(bool tick);
  void enter(const ClaimStep& step);
  void reduce_claims(const ClaimStep& step);
  void preempt_for_claims();
  bool preempt(const KillOrder& order);
  const char* wrong_with(const KillOrder& order) const;
  void end_hold(std::size_t place, KillRecord::Outcome outcome);
  void use_hold(std::size_t place, std::int64_t slots);
  void end_holds(const std::function<bool(const Hold&)>& which, KillRecord::Outcome outcome);
  void claim_over(const Claim& claim);
  void expire_holds();
  void victim_left(const Attempt& attempt);
  bool settle_choice(TrackerState& tracker, const Choice& choice);  // all but launches
  bool reserve(const Choice& choice);
  void release_reservations(JobId job, TrackerId tracker);  // of either; invalid: of none
  std::string claims_owner(const Policy& next) const;
  void free_kept_slots();
  void meet_paused_claims();
  void drop_paused_claims();
  void resume_claims();
  void restore_claims(const Snapshot& snapshot);
  void pause_claims(const Snapshot& snapshot);  // as they stood before the restart

  // engine_trackers.cpp: coming, going, asking
  void on(const RegisterTracker& input, Token token);
  void on(const LoseTracker& input, Token token);
  Status may_ask(const std::optional<std::vector<std::string>>& askers, JobId job) const;
  void on(const DescribeJob& input, Token token);
  void on(const QueryMapOutputs& input, Token token);
  enum class Loss : std::uint8_t { kOrdered, kUnforeseen };  // the second may be a task's doing
  void lose_tracker(TrackerState& tracker, const std::string& why, Loss loss);
  void store_total(TrackerState& tracker);
  void lose_outputs(TrackerState& tracker, const std::string& why);
  void expire_trackers();
  void begin_anew(TrackerState& tracker);
  void take_fetch_failures(const AttemptReport& report);

  // command_trackers.cpp: drain, stop, resume
  Result<std::vector<TrackerId>> named(const Caller& caller,
                                       const std::vector<std::string>& names) const;
  void set_order(TrackerState& tracker, TrackerOrder order);
  void pool_changed(TrackerState& tracker);
  void evacuate(TrackerState& tracker);
  bool output_needed(const TrackerState& tracker, const TaskKey& key) const;
  void review_order(TrackerState& tracker);
  bool may_leave(const TrackerState& tracker) const;
  void leave(TrackerState& tracker);
  void end_stop(TrackerState& tracker);

  // engine_faults.cpp: trackers that failed many jobs
  void note_faults(const Job& job);
  void judge(TrackerState& tracker, bool may_put_out);
  void judge_all();
  std::size_t faulty_present() const;
  bool at_most_half_faulty(std::size_t faulty) const;
  void heal_trackers();
  void keep_half();
  void forgive(TrackerState& tracker);

  // engine_jobs.cpp: the life of jobs, tasks and attempts
  void admit(Job& job);  // from WAITING to RUNNING
  void admit_waiting(QueueId queue);
  void admit_everywhere();
  void note_pools();  // jobs may be in other pools now, or in none
  void demote(Job& job);  // from RUNNING to WAITING
  void admit_if_stuck(Job& job);
  void note_yield(const Job& job);
  void settle_yields();
  void regroup();
  void attempt_succeeded(AttemptSlot slot, const AttemptReport& report);
  void attempt_failed(AttemptSlot slot, const std::string& diagnostics);
  void attempt_killed(AttemptSlot slot);
  void reopen_if_left(Job& job, const TaskKey& key);
  void order_kill(AttemptSlot slot, KillReason reason, QueueId for_queue, ClaimId claim = 0,
                  const std::string& for_pool = {});
  void finish_attempt(AttemptSlot slot, AttemptEnded::How how);
  void release_commit(Job& job, TaskKind kind, std::uint32_t index, std::uint32_t attempt);
  void note_failure(Job& job, TaskKind kind, std::uint32_t index, TrackerId where);
  void add_counters(Job& job, Task& task, const Counters* counters);
  void reopen(Job& job, TaskKind kind, std::uint32_t index, const std::string& why);
  void after_progress(Job& job);  // slow-start reached, all done?
  void begin_end(Job& job, JobState outcome, const std::string& diagnostics, KillReason reason);
  void end_job(Job& job, JobState state, const std::string& diagnostics, bool cleanup);
  std::shared_ptr<const JobRecord> record_of(const Job& job) const;
  void make_schedulable(Job& job);
  void release_output(const Job& job);
  void forget_old_jobs();
  std::uint32_t first_attempt_number() const;
  std::uint32_t next_attempt_number(Task& task) const;

  // Emitting
  std::uint64_t emit(Command command) { return emit_written(std::move(command)); }
  template <class F>
    requires kIsOneOf<F, DurableFact>
  std::uint64_t emit(F fact) {
    return emit_written(DurableFact(std::move(fact)));
  }
  template <class F>
    requires kIsOneOf<F, SoftFact>
  void emit(F fact) {
    output_->events.push_back(Event{0, now_, SoftFact(std::move(fact))});
  }
  // For logs alone: the store writes it as a part of what is being applied.
  void tell(JobMoved moved) {
    output_->events.push_back(Event{0, now_, Command(std::move(moved))});
  }
  template <class Written>
  std::uint64_t emit_written(Written&& fact) {
    output_->events.push_back(Event{++last_seq_, now_, std::forward<Written>(fact)});
    return last_seq_;
  }
  void reply(Token token, decltype(Reply::body) body);
  void refuse(Token token, const char* what, Error error);
  // The job of a command, if it is there, goes on and is the caller's; otherwise refused.
  const Job* job_to_change(JobId id, const Caller& caller, Token token, const char* what);
  void touch(const Job& job);  // whatever it was that changed of it
  void heard_of(TrackerState& tracker);
  void touch(const TrackerState& tracker) { changes_.trackers.insert(tracker.id); }
  void pending_changed(Job& job, TaskKind kind);

  ClusterState state_;
  std::unique_ptr<PolicyMemory> memory_ = std::make_unique<PolicyMemory>();
  JobQueueManager manager_;
  PolicyFactory factory_;
  std::unique_ptr<Policy> policy_;
  RunningLimits limits_;          // those of the policy
  std::vector<JobId> regrouped_;  // reused
  std::vector<JobId> yielding_;   // in this step: no longer keep their places
  TimeMs now_ = 0;
  TimeMs policy_since_ = 0;
  TimeMs last_tick_ = 0;
  std::uint32_t next_job_ = 1;
  std::uint64_t reports_ = 0;  // taken from trackers
  std::uint64_t last_seq_ = 0;
  std::uint64_t durable_seq_ = 0;
  std::uint64_t applied_seq_ = 0;  // of the command that is being applied
  std::deque<PendingCommand> pending_;  // by seq
  std::vector<ParkedHeartbeat> parked_;
  ArrivalList<TrackerId> by_silence_;              // live and awaited trackers, by last_heartbeat
  std::deque<std::pair<TimeMs, JobId>> finished_;  // to be forgotten in time, or when too many
  std::set<std::pair<TimeMs, JobId>> deadlines_;   // of running jobs with a time limit
  std::set<JobId> unassigned_duties_;              // jobs whose last duty no tracker has yet
  struct DutyGiven {
    TimeMs at = 0;
    JobId job;
    TrackerId tracker;
  };
  std::deque<DutyGiven> duties_given_;  // oldest first
  std::deque<std::pair<std::uint64_t, JobId>> ending_;  // ended, but not durably yet
  std::vector<JobId> over_;     // in this step: durably, or the last attempt of one that is
  JobBytes job_bytes_;          // of the descriptions that are kept
  std::map<std::string, JobId> outputs_;                // output directories of unfinished jobs
  std::map<std::pair<std::string, std::string>, JobId> submissions_;  // (user, id) of listed jobs
  std::optional<TimeMs> claims_paused_at_;              // while another policy than theirs rules
  std::string claims_policy_;                           // whose they are, then
  std::unique_ptr<Shortfalls> shortfalls_;              // likewise
  std::vector<ClaimStep> claim_steps_;                  // reused
  std::vector<AttemptSlot> ended_;                      // reused, as the next
  std::vector<TaskKey> asked_about_;
  JobId speculated_last_[kTaskKindCount];           // where the look for stragglers stopped
  std::set<std::pair<TimeMs, TrackerId>> healing_;  // faulty trackers, by when they come back
  std::set<TrackerId> unreported_;
  TimeMs recovering_until_ = 0;         // after a restart: trackers first report what they run
  bool trackers_known_ = false;         // by the store, at the start
  std::set<TrackerId> recovering_for_;  // of those: not heard of yet
  Changes changes_;
  Output restored_;           // what restoring made happen; goes out with the first step
  Output* output_ = nullptr;  // of the step being handled
};

}  // namespace weir
