/**
 * Submitting jobs, following and steering them. Framed binary protocol on the client port (`listen.thrift`);
 * one frame is at most 16 MiB. The port is multiplexed: service names "client" and "admin".
 */
namespace cpp weir.wire
namespace py weir_wire.client

include "common.thrift"

struct SubmitRequest {
  1: required common.Caller caller
  2: required common.JobSpec spec
  3: optional string upload            // id of an upload whose splits come before spec.splits
  // Drawn by the client, another one for each job, at most 128 bytes: asked again with the same one by the same user,
  // because an answer was lost, submit makes no second job but names the first, as long as that is listed.
  4: optional string submission
}

struct SubmitReply {
  1: required i64 job
  2: required string job_name          // job_0007
  3: required string queue             // the queue's full dotted path
  4: required i64 version              // pass as min_version to read what this made
  5: optional list<string> warnings    // what of the submission will not have the effect that was meant
}

/** Done durably; `version` as in SubmitReply. */
struct Done {
  1: required i64 version
}

struct TaskCounts {
  1: required i32 total
  2: required i32 pending
  3: required i32 running
  4: required i32 succeeded
  5: required i32 failed_attempts
  6: required i32 killed_attempts
  7: optional i32 copying              // reduces that copy, without a slot (copy_compute_split): not in `running`
  8: optional i32 copied               // those that have copied and wait for a slot: neither
  9: optional i32 speculative          // attempts launched beside another one of their task, since the JobTracker started
  10: optional i32 speculative_won     // those of them that were done first
}

/** Of an application. */
struct GroupStatus {
  1: required string name
  2: required TaskCounts tasks
  3: required i32 progress_millionths
}

struct JobStatus {
  1: required i64 job
  2: required string job_name
  3: required string name
  4: required string user
  5: required string queue
  6: required string priority
  7: required string state             // HELD WAITING PENDING RUNNING SUCCEEDED FAILED KILLED
  8: required TaskCounts maps
  9: required TaskCounts reduces
  10: required i32 map_progress_millionths
  11: required i32 reduce_progress_millionths
  12: required i64 submitted_at_ms
  13: optional i64 started_at_ms       // first task launched
  14: optional i64 finished_at_ms
  15: required string output
  16: optional string diagnostics      // why it failed or was killed
  17: optional common.Counters counters
  18: optional string status           // newest status line of a task
  19: optional bool from_history       // it is over for so long that only its record is left
  20: optional i64 now_ms              // when this was made, by the clock of the others; of job_status alone
  21: optional string reason           // of list_jobs, while no task of it runs: the first that explain gives; of the first 100
  22: optional string pool             // under a policy with pools, while it is not over
  23: optional i64 time_limit_ms       // as submitted, if it has one
  24: optional i64 deadline_ms         // when that is over; set from its first task to its end
  25: optional bool more               // the last of a page: others follow it
  26: optional list<GroupStatus> groups  // of an application, which has no maps and reduces
}

/** Which of the listed jobs; what is absent or empty does not matter, what is there must all be so. */
struct JobFilter {
  1: optional string queue             // and all below it
  2: optional string user
  3: optional string name              // a pattern of the job's name: * ? [a-z] [!a-z]
  4: optional list<string> states      // any of these
  5: optional bool unfinished_only
  6: optional i32 limit                // 0 = 1,000; at most 10,000
  7: optional i64 min_version
  8: optional i64 before_job           // page by page (about 1 MiB each): 0, then the last job of the page before
}

/** Which of the jobs that are over to list; what is absent does not matter. */
struct HistoryFilter {
  1: optional string queue             // and all below it
  2: optional string user
  3: optional i64 since_ms             // ended then or later
  4: optional i64 before_ms            // ended earlier than that
  5: optional i32 limit                // 0 = 1,000; at most 10,000
  6: optional i64 before_job           // page by page, as in JobFilter
  7: optional string name              // as in JobFilter
  8: optional list<string> states      // any of these: SUCCEEDED FAILED KILLED
  9: optional bool oldest_first        // the first to end first; else the last
}

/** All queues, page by page (about 1 MiB each): `after` the last one of the page before. */
struct QueueFilter {
  1: optional string after
  2: optional i64 min_version
}

/** All trackers by name, page by page (about 1 MiB each): `after` the last one of the page before. */
struct TrackerFilter {
  1: optional string after
}

/** What a job was submitted with, as far as it is kept: no splits, the first 1,000 input files, contents of files where they
    have 128 KiB or less in all. For all but its user secrets are masked, and contents of files left out. */
struct AskedJob {
  1: required i64 job
  2: required common.JobSpec spec
  3: required string user
  4: required string address           // that it was submitted from; empty: not known
  5: required i32 input_files          // so many were read
  6: required i32 maps
  7: required list<i64> left_out       // bytes of each file that spec does not have
  8: required list<string> masked      // fields of the spec: environment.TOKEN
}

/** Why a job (or a class of its tasks) waits: a stable code, the sentence, and the numbers in it. */
struct Reason {
  1: required string code
  2: required string message
  3: optional map<string, i64> numbers
}

struct JobExplanation {
  1: required JobStatus status
  2: required list<Reason> reasons
}

/** One attempt of a job, for `job logs` and `job status --tasks`. */
struct AttemptInfo {
  1: required common.AttemptId id
  2: required string name              // attempt_0007_m_000012_0
  3: required string state
  4: required string tracker
  5: required i64 launched_at_ms
  6: optional i64 ended_at_ms
  7: optional string diagnostics
  8: optional string log_host          // where its logs are served (the tracker's shuffle port)
  9: optional i32 log_port
  10: required i32 progress_millionths
  11: optional bool speculative        // it was launched beside another attempt of its task
  12: optional i64 ran_ms              // until its end, or until now
}

struct SlotFigures {
  1: required i64 guaranteed           // GC
  2: required i64 allocated            // AC
  3: required i64 running              // RUN
  4: required i64 pending              // PEND
  5: optional i64 maximum              // MAX; not set under a policy that has none
  6: optional i64 lends                // of its guarantee, allocated to others now
  7: optional i64 borrows              // running above its guarantee now
  8: optional i64 copying              // slots of reduces that copy without one, or wait for one (copy_compute_split); if any
  9: optional i64 share_thousandths    // under fair: of the pool of this path, as last dealt; in thousandths of a slot
}

/** What a queue has had in one class since totals_since_ms, in slot-milliseconds; of a dimension of containers in its units. */
struct SlotTime {
  1: required i64 used_ms              // by attempts that have ended
  2: required i64 lent_ms
  3: required i64 borrowed_ms
  4: required i64 lost_ms              // by its attempts that were killed for another queue
}

/** So much of a dimension of containers. */
struct Amount {
  1: required string dimension         // memory_mb
  2: required i64 amount
}

/** A user's part of one dimension of containers. */
struct UserAmounts {
  1: required string dimension
  2: required i64 running
  3: optional i64 limit                // that he may hold now; not set: he is not limited
  4: required i64 used_ms              // since totals_since_ms: amount times milliseconds
  5: required i64 lost_ms
}

struct UserFigures {
  1: required string user
  2: required i64 running_maps
  3: required i64 running_reduces
  4: required i32 jobs                 // waiting, pending and running
  5: optional i64 limit_maps           // slots he may hold now; not set under a policy without limits
  6: optional i64 limit_reduces
  7: optional i32 jobs_waiting
  8: optional i32 jobs_running         // of which a task has started
  9: optional i64 jobs_succeeded       // since totals_since_ms, as what follows
  10: optional i64 jobs_failed
  11: optional i64 jobs_killed
  12: optional i64 used_map_slot_ms
  13: optional i64 used_reduce_slot_ms
  14: optional i64 lost_map_slot_ms
  15: optional i64 lost_reduce_slot_ms
  16: optional i32 jobs_pending        // none of whose tasks has started yet
  17: optional list<UserAmounts> amounts  // where containers count, instead of maps and reduces
}

struct ClaimInfo {
  1: required common.TaskKind kind
  2: required i64 slots                // still owed
  3: required i64 milliseconds_left    // until it kills, 0 once it is due, -1: never (reclaim_after)
  4: optional i64 claim                // its number
  5: optional i64 opened_at_ms
  6: optional i64 deadline_ms
  7: optional i64 overdue_ms           // set from the deadline on
  8: optional string state             // waiting due unservable over_budget preemption_off log_only repeating
                                       // recovering (trackers are still to report after a restart) paused
  9: optional i64 width                // unservable: slots that one task needs on one tracker
  10: optional string dimension        // where containers count: memory_mb, of which `slots` is an amount; `kind` says nothing
  11: optional i64 owed_ms             // its age, in which the JobTracker was up and its policy ruled
}

/** Slots of a tracker that a kill has freed, or is freeing, for this queue. */
struct HoldInfo {
  1: required common.TaskKind kind
  2: required string tracker
  3: required i64 slots
  4: required i64 claim
  5: required i32 dying                // victims that are not gone yet
  6: optional string room              // where containers count: "3072 MB, 1 vcore"
}

/** One preempted attempt. */
struct KillInfo {
  1: required i64 at_ms
  2: required i64 claim
  3: required string claimant          // queue; empty if it is gone, as `victim`
  4: required i64 owed_ms              // how long the claim had been open
  5: required string victim            // queue
  6: required string user
  7: required string job_name
  8: required string attempt
  9: required string tracker
  10: required i64 slots               // a container counts as one, also for the kill_budget
  11: required i64 ran_ms              // slots * ran_ms is what was lost
  12: required string outcome          // pending used wasted logged_only finished_first unknown (the JobTracker ended first)
  13: optional list<Amount> container  // where containers count: what it had; each * ran_ms is what was lost
}

/** Of one dimension, memory_mb: in its units. */
struct AmountFigures {
  1: required string dimension
  2: required SlotFigures figures
  3: optional i64 reserved            // by tasks that wait for room on a tracker
  4: optional i64 kept                // of its guarantee, or its pool's minimum share: never lent
  5: optional i64 min_share
  6: optional SlotTime time
}

struct QueueStatus {
  1: required string name              // dotted path
  2: required bool leaf
  3: required string state             // RUNNING STOPPED
  4: required SlotFigures maps
  5: required SlotFigures reduces
  6: required i32 jobs_waiting
  7: required i32 jobs_running
  8: required i64 jobs_succeeded
  9: required i64 jobs_failed
  10: required i64 jobs_killed
  11: required list<UserFigures> users
  12: required list<ClaimInfo> claims
  13: required string guaranteed       // as set: "40%" or "40 / 20 slots"
  14: optional list<string> submit     // who may, by this queue's list and those above it; absent: everybody
  15: optional list<string> administer // likewise, with the cluster's administrators
  16: optional SlotTime map_time
  17: optional SlotTime reduce_time
  18: optional list<HoldInfo> holds
  19: optional list<KillInfo> kills    // the last ones for it or of its tasks, newest first
  20: optional i64 reclaim_after_map_ms      // -1: never
  21: optional i64 reclaim_after_reduce_ms
  22: optional i64 kill_budget         // slot-seconds an hour
  23: optional i32 jobs_pending       // none of whose tasks has started yet; not in jobs_running
  24: optional bool priorities        // a job's priority counts in it; of a leaf
  25: optional bool more              // the last of a page: others follow it
  26: optional i64 totals_since_ms    // totals count from then on, over restarts
  27: optional list<AmountFigures> amounts  // where containers count, instead of maps and reduces: by dimension
  28: optional i64 dominant_thousandths  // likewise: its largest part of the cluster
}

/** Where containers count: what a tracker offers of a dimension, and what of it its attempts have. */
struct OfferInfo {
  1: required string dimension
  2: required i64 total
  3: required i64 used
}

struct TrackerStatus {
  1: required string name
  2: required string state             // LIVE SILENT (not heard of for a few intervals) DRAINING DRAINED (nothing is left)
                                       // STOPPING FAULTY LOW_DISK UNHEALTHY (it takes no tasks) LOST
                                       // AWAITED (known to the store, not heard of since the JobTracker started)
                                       // RETURNING (likewise, but it reports by now, and is to register again)
  3: required string host
  4: required string rack
  5: required i32 shuffle_port
  6: required common.Resources total
  7: required common.Resources used
  8: required i64 last_heartbeat_ms_ago   // AWAITED, RETURNING: how long the JobTracker has known it since its start
  9: optional i64 free_disk_mb
  10: optional string health
  11: optional i64 copying             // slots of reduces that copy here without a slot, or wait for one
  12: optional i32 copied              // reduces that wait for one
  13: optional string order            // drain, stop, stop now
  14: optional string ordered_by
  15: optional i64 ordered_at_ms
  16: optional i32 attempts            // that it runs
  17: optional list<string> outputs_for   // under an order: unfinished jobs that still need map outputs kept here
  18: optional i32 outputs             // how many these are
  19: optional list<i64> faults        // when jobs succeeded that had come to avoid it, oldest first
  20: optional i64 back_at_ms          // FAULTY: when enough faults are forgotten
  21: optional string lost_why
  22: optional string order_reason
  23: optional list<string> protections   // of its tasks from each other: "cgroup: v2 memory, pids, cpu"
  24: optional bool more               // the last of a page: others follow it
  25: optional list<OfferInfo> offer   // where containers count, instead of slots
  26: optional map<string, string> labels
  27: optional i64 reserved_for        // where containers count: the job whose task waits for room here
  28: optional i64 room_for            // likewise: the job whose gang holds room here
  29: optional i32 rooms               // for so many members
  30: optional OfferInfo ports         // likewise: of its port_range
}

/** Waits until everything up to `min_version` (of a reply) is visible; 0 = whatever is there. */
service ClientService {
  /** Durable once answered. */
  SubmitReply submit(1: SubmitRequest request) throws (1: common.WeirError error)
  /** Splits of a job too large for one frame: begin, append chunks, then submit with `upload`. Dropped after 10 idle minutes. */
  string begin_upload(1: common.Caller caller) throws (1: common.WeirError error)
  void append_splits(1: string upload, 2: list<common.Split> splits) throws (1: common.WeirError error)

  JobStatus job_status(1: i64 job, 2: i64 min_version) throws (1: common.WeirError error)
  /** Newest first; empty `queue` or `user` = all. `limit` 0 = 1,000. */
  list<JobStatus> list_jobs(1: string queue, 2: string user, 3: bool unfinished_only, 4: i32 limit, 5: i64 min_version)
      throws (1: common.WeirError error)
  /** Newest first. */
  list<JobStatus> find_jobs(1: JobFilter filter) throws (1: common.WeirError error)
  /** Jobs that are over, also those that are in none of the other lists any more; the last to end first.
      Without counters, and with the first 500 bytes of diagnostics. */
  list<JobStatus> list_history(1: HistoryFilter filter) throws (1: common.WeirError error)
  /** Those of earlier starts of the JobTracker without the killed ones; of a job that is over at most 1,000 that succeeded;
      of one of which only the record is left the newest failed ones alone. */
  list<AttemptInfo> attempts(1: i64 job) throws (1: common.WeirError error)
  /** Also of a job that is over, as long as there is a record of it. `user`: who asks; empty: secrets are masked. */
  AskedJob job_submission(1: string user, 2: i64 job) throws (1: common.WeirError error)
  JobExplanation explain(1: i64 job) throws (1: common.WeirError error)

  Done kill_job(1: common.Caller caller, 2: i64 job) throws (1: common.WeirError error)
  Done set_priority(1: common.Caller caller, 2: i64 job, 3: string priority) throws (1: common.WeirError error)
  Done move_job(1: common.Caller caller, 2: i64 job, 3: string queue) throws (1: common.WeirError error)
  /** A job that was submitted with `hold` may start. */
  Done release_job(1: common.Caller caller, 2: i64 job) throws (1: common.WeirError error)

  /** All queues, parents before children, in the order of the settings; or the one named. */
  list<QueueStatus> queues(1: string name, 2: i64 min_version) throws (1: common.WeirError error)
  list<TrackerStatus> trackers() throws (1: common.WeirError error)
  /** As `queues` and `trackers`, for lists that may not fit a frame. */
  list<QueueStatus> find_queues(1: QueueFilter filter) throws (1: common.WeirError error)
  list<TrackerStatus> find_trackers(1: TrackerFilter filter) throws (1: common.WeirError error)
}
