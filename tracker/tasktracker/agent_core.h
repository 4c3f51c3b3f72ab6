// The mind of a tracker: a deterministic state machine without I/O. It holds the attempts and what
// is known of them, builds heartbeats, applies replies, and says what to do as a list of actions;
// time is an argument. Everything is level-triggered: a reply that is repeated changes nothing, one
// that is lost is made up for by the next. Invariants: an attempt is started at most once; a
// finished attempt is reported until acknowledged; a commit is passed on only while the reply that
// ordered it is fresh; at most one call of each kind is in flight. Used by the agent's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "jobqueue/model/input.h"
#include "tracker/tasktracker/duty.h"
#include "tracker/tasktracker/task_report.h"

namespace weir::tasktracker {

struct Now {
  std::int64_t steady_ms = 0;  // for every decision
  std::int64_t wall_ms = 0;    // for display
};

struct AgentLimits {
  // A commit and a last duty are obeyed this long after their heartbeat was sent.
  std::int64_t commit_fresh_ms = 5000;
  // From there on an attempt may publish for as long, if its job sets it no task_timeout.
  std::int64_t publish_ms = 600'000;
  // At least so long from one early heartbeat to the next, so that one carries what several short
  // tasks have come to: each is worked on at both ends, whatever is in it.
  std::int64_t early_gap_ms = 5;
  // Of a failed call; doubles. Up to a half is taken off, so that after a restart of the JobTracker
  // not all of its trackers come back in one instant.
  std::int64_t first_retry_ms = 200;
  std::int64_t longest_retry_ms = 5000;
  std::int64_t outputs_poll_ms = 500;        // while reduces still miss outputs
  std::int64_t outputs_idle_poll_ms = 2000;  // while they copy and all are known
  std::int64_t peers_poll_ms = 100;          // while members of a gang wait for each other
  std::int64_t duty_retry_ms = 5000;
  std::size_t heartbeat_bytes = 200 * 1024;  // the frame's limit is 256 KiB
  std::size_t held_jobs_a_heartbeat = 1000;  // others are in the next ones
  std::int64_t min_free_disk_mb = 0;
  std::int64_t starter_answers_within_ms = 5000;  // a fork's time; then it is started anew
};

namespace action {
struct Register {};
struct SendHeartbeat {
  Heartbeat heartbeat;
};
struct FetchJob {
  JobId job;
};
struct FetchOutputs {
  JobId job;
  std::uint32_t first = 0;
};
// Of a gang's member, before it starts: its answer is on_ports().
struct TakePorts {
  AttemptKey key;
  std::uint32_t count = 0;
};
struct GivePortsBack {  // it never started
  AttemptKey key;
};
struct FetchPeers {
  JobId job;
  std::uint32_t first = 0;
};
struct StartAttempt {
  JobDescription job;
  Launch launch;
  // Of a gang's member: the ports that were taken for it, and all members.
  std::shared_ptr<const std::vector<std::uint16_t>> ports = nullptr;
  std::shared_ptr<const std::vector<GangPeer>> peers = nullptr;
};
struct KillAttempt {
  AttemptKey key;
};
struct CommitAttempt {
  AttemptKey key;
  std::int64_t until_steady_ms = 0;
};
struct GrantAttempt {
  AttemptKey key;
};
struct PushOutputs {
  AttemptKey key;
  std::vector<MapOutput> outputs;
};
struct RunDuty {
  Duty duty;
  std::int64_t until_steady_ms = 0;  // later it must not be begun: somebody else may be at it
};
struct DropJob {
  JobId job;
  JobOutput output;  // empty path: not known here
  std::string user;  // empty: not known either
};
struct Leave {  // the process is to end
  std::string why;
};
}  // namespace action

using Action = std::variant<action::Register, action::SendHeartbeat, action::FetchJob,
                            action::FetchOutputs, action::TakePorts, action::GivePortsBack,
                            action::FetchPeers, action::StartAttempt, action::KillAttempt,
                            action::CommitAttempt, action::GrantAttempt, action::PushOutputs,
                            action::RunDuty, action::DropJob, action::Leave>;

class AgentCore {
 public:
  AgentCore(RegisterTracker registration, AgentLimits limits);

  const RegisterTracker& registration() const { return registration_; }
  std::vector<Action> take_actions();
  // Does what is due; call after every event and at next_wakeup_ms().
  void poll(Now now);
  std::int64_t next_wakeup_ms() const;
  void set_health(std::int64_t free_disk_mb, std::int32_t load_millionths);

  // Answers of the JobTracker.
  void on_registered(const Registered& reply, Now now);
  void on_reply(const HeartbeatReply& reply, std::int64_t sent_steady_ms, Now now);
  void on_call_failed(bool unknown_tracker, Now now);  // of register or heartbeat
  void on_job(const JobDescription& description, Now now);
  void on_job_failed(JobId job, bool refused, const std::string& message, Now now);
  void on_outputs(JobId job, const MapOutputs& outputs, Now now);
  void on_outputs_failed(JobId job, Now now);
  void on_peers(JobId job, const GangPeers& peers, Now now);
  void on_peers_failed(JobId job, Now now);

  // What happens on this machine.
  void on_ports(const AttemptKey& key, std::vector<std::uint16_t> ports);
  void on_start_failed(const AttemptKey& key, const std::string& message, Now now);
  void on_report(const AttemptKey& key, TaskReport report, Now now);
  // Its process has said so after it was told to commit, and nobody wants it killed. (A command
  // that has found its process' pipe can say so only before.)
  bool has_succeeded(const AttemptKey& key) const;
  // It took more than it may have of something: it is killed, and has failed with `why`.
  void on_over_limit(const AttemptKey& key, const std::string& why, Now now);
  // The process is gone and nothing is left of it; `how` says how it ended, for a task that did not
  // report its end, and `note` what is to be known of a failure besides. Whether it has succeeded:
  // its output is of use then.
  bool on_exit(const AttemptKey& key, const std::string& how, Now now,
               const std::string& note = "");
  std::string user_of(JobId job) const;  // empty: not known here
  void on_duty_done(const Duty& duty, bool ok, const std::string& message, Now now);
  void on_duty_too_late(const Duty& duty);  // it was not begun; it is, if asked for again
  void on_duty_elsewhere(const Duty& duty, const std::string& why, Now now);  // cannot begin

  std::size_t live_attempts() const;
  bool registered() const { return registered_; }

 private:
  enum class Stage { kWaitsForJob, kWaitsForPeers, kRuns, kEnded };
  enum class KillCause { kNone, kOrdered, kTimeout, kOverLimit };
  struct Attempt {
    Launch launch;
    Stage stage = Stage::kWaitsForJob;
    KillCause kill = KillCause::kNone;
    std::string over_limit;  // why, if that is the cause
    AttemptReport status;
    std::optional<ReportedState> final_state;  // as reported, before the process was gone
    bool waiting = false, committing = false, granted = false;
    std::int64_t launched_ms = 0, last_active_ms = 0;  // by the steady clock
    std::size_t outputs_pushed = 0;
  };
  struct Job {
    std::optional<JobDescription> description;
    bool fetching = false, polling = false;
    std::int64_t next_fetch_ms = 0, fetch_retry_ms = 0, next_poll_ms = 0, poll_retry_ms = 0;
    std::vector<MapOutput> outputs;
    std::uint32_t next_output = 0;
    std::uint32_t output_list = 0;      // the JobTracker's list that `outputs` is read from
    std::set<AttemptKey> acknowledged;  // never started again
    // Of its gang, while members here wait for it.
    std::vector<GangPeer> peers;
    bool fetching_peers = false, other_peers = false;  // another member has come to wait meanwhile
    std::uint32_t next_peer = 0;
    std::int64_t next_peers_ms = 0, peers_retry_ms = 0;
  };
  using Attempts = std::map<AttemptKey, Attempt>;
  // When to ask for what the attempts of a job wait for. For a job that has none here, of which
  // only outputs or logs are kept, nothing is asked: there may be thousands.
  struct Due {
    std::int64_t description_ms = INT64_MAX, outputs_ms = INT64_MAX, peers_ms = INT64_MAX;
    std::int64_t first_ms() const { return std::min({description_ms, outputs_ms, peers_ms}); }
  };
  struct DutyState {
    Duty duty;
    std::optional<DutyReport> report;
    std::int64_t ended_ms = 0;
  };

  void launch(const Launch& launch, Now now);
  void start(Attempt& attempt, Job& job, Now now);
  void wait_for_peers(Attempt& attempt, Job& job, Now now);
  void start_members(JobId id, Job& job, Now now);
  void kill(Attempt& attempt, KillCause cause, Now now);
  void end(Attempt& attempt, ReportedState state, const std::string& diagnostics, Now now);
  void acknowledge(const AttemptKey& key);
  void commit(const AttemptKey& key, std::int64_t sent_steady_ms, Now now);
  void grant(const AttemptKey& key);
  void prepare_to_leave(const std::string& why);
  void drop_job(JobId id);
  void apply_duties(const std::vector<Duty>& duties, std::int64_t sent_steady_ms, Now now);
  void push_outputs(Job& job, Attempt& attempt);
  bool copies(const Attempt& attempt) const;
  DurationMs patience_with(const Attempt& attempt) const;
  std::int64_t timeout_at(const Attempt& attempt) const;
  std::int64_t heartbeat_due_ms() const;
  Due next_due(Attempts::const_iterator& at) const;
  void ask_about(JobId id, Due due, Now now);
  std::int64_t spread(std::int64_t pause_ms);
  Heartbeat build_heartbeat(Now now);
  std::vector<AttemptReport> build_reports(Now now) const;
  std::vector<JobId> next_held_jobs();
  Attempt* find(const AttemptKey& key);

  RegisterTracker registration_;
  AgentLimits limits_;
  std::vector<Action> actions_;
  Attempts attempts_;
  std::map<JobId, Job> jobs_;
  JobId last_held_{};  // of those of the last heartbeat
  std::map<JobId, DutyState> duties_;
  bool registered_ = false, in_flight_ = false, urgent_ = false;
  std::int64_t next_regular_ms_ = 0, retry_ms_ = 0, gap_ms_ = 0, last_early_ms_ = INT64_MIN / 2;
  std::string leaving_;  // why; it says goodbye with its next heartbeat, and ends
  bool goodbye_sent_ = false;
  std::int64_t sequence_ = 0, free_disk_mb_ = INT64_MAX;
  std::uint64_t spread_;  // another series for each tracker and life
  std::int32_t load_millionths_ = 0;
};

}  // namespace weir::tasktracker
