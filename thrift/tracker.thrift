/**
 * JobTracker <-> TaskTracker. Framed binary protocol on the tracker port; one frame is at most 256 KiB.
 * Every exchange is level-triggered: a report says all that the tracker holds, a reply all that it should hold.
 * Losing or repeating either is harmless. One heartbeat is in flight per tracker at a time.
 */
namespace cpp weir.wire
namespace py weir_wire.tracker

include "common.thrift"

/** A tracker introduces itself: at start, and whenever the JobTracker answers UNKNOWN_TRACKER. */
struct Registration {
  1: required string name            // unique in the cluster: refused while another one of that name is there
  2: required i64 incarnation        // drawn at process start; a restarted tracker has lost its attempts and outputs
  3: required string host            // where reducers reach `shuffle_port`
  4: required i32 shuffle_port
  5: required common.Resources total // slots of a kind, and vcores: at most 100,000
  6: optional string rack            // default "default"
  7: optional list<string> local_paths   // path prefixes whose blocks count as local to this tracker
  8: optional string version
  9: optional string home            // drawn when its work directory was first used, the same in each of its lives there:
                                     // so that one that was restarted is told from another one of the same name
  10: optional bool ended_in_order   // the life before in that directory ended as it was told to: no task took it down
  11: optional list<string> protections  // of its tasks from each other, to be shown: "cgroup: v2 memory, pids, cpu"
  12: optional map<string, string> labels
  13: optional i32 ports = 0             // that it can give to tasks
  14: optional i64 reported = 0          // sequence of its last heartbeat: those until then may still arrive, and are old
  15: optional string key                // drawn at random at process start, and a secret: heartbeats of this life have to have it
}

struct RegistrationReply {
  1: required i64 interval_ms        // time to the first heartbeat
}

enum AttemptState {
  RUNNING = 0,
  COMMIT_PENDING = 1,   // output is complete, waits to be told to publish it
  SUCCEEDED = 2,        // published (or, for a map with reduces, its output is ready to be fetched)
  FAILED = 3,
  KILLED = 4
}

/** Where in its life a task is. Reduces copy, then sort, then compute; one that was launched to copy only is in
    SORT once it has, and waits there for the grant; REDUCE and later say that it got it. */
enum TaskPhase { STARTING = 0, MAP = 1, SHUFFLE = 2, SORT = 3, REDUCE = 4, COMMIT = 5 }

/** A reducer could not fetch the output of a map, after its own retries. */
struct FetchFailure {
  1: required i32 map_index      // index of the map
  2: required i32 map_attempt
}

/** One attempt that the tracker holds; finished ones are repeated until the reply acknowledges them. */
struct AttemptStatus {
  1: required common.AttemptId id
  2: required AttemptState state
  3: required i32 progress_millionths
  4: required TaskPhase phase
  5: optional string status            // the task's own status line (reporter:status:...)
  6: optional string diagnostics       // why it failed; at most 4 KiB
  7: optional common.Counters counters // with a finished attempt, and now and then before
  8: optional list<FetchFailure> fetch_failures
  9: optional i64 started_at_ms        // by the tracker's clock, for display only
  10: optional i64 finished_at_ms
  11: optional bool compute_granted    // reduces; false: copies in phase SHUFFLE, has copied and waits in SORT. Absent: true
  12: optional i64 age_ms              // since the tracker started it, by its steady clock
  13: optional map<string, list<i32>> units   // that it was granted: gpu 0, 3
  14: optional list<i32> ports         // of a gang's member: that it has here
}

/** The outcome of a job-level duty, repeated until the reply no longer asks for it. */
struct DutyReport {
  1: required i64 job
  2: required bool ok
  3: optional string message
  4: optional bool succeed             // of the Duty that was done: a kill may have asked for the other one since
  5: optional bool elsewhere           // not ok: it cannot be begun here, another tracker is to be asked
}

struct Heartbeat {
  1: required string name
  2: required i64 incarnation
  3: required i64 sequence             // grows by one a heartbeat; an old or repeated one changes nothing
  4: required list<AttemptStatus> attempts
  5: optional common.Resources total   // slots may change while running
  6: optional i64 free_disk_mb
  7: optional bool accepts_tasks = true    // false: disk low, draining, unhealthy
  8: optional i32 load_millionths = 0      // load average per core
  9: optional list<i64> held_jobs          // jobs of which map outputs or files are kept here
  10: optional list<DutyReport> duties
  11: optional string health               // why accepts_tasks is false
  12: optional bool low_disk               // accepts_tasks is false for want of disk
  13: optional bool leaving                // the last report: it was told to leave, and ends
  14: optional string key                  // as in Registration; another one is answered like another incarnation
}

/** What a task has where containers count. */
struct Grant {
  1: required common.Resources container
  2: optional map<string, list<i32>> units    // which ones of a named resource: gpu 0, 3
  3: optional i32 ports = 0                    // the tracker says which
  4: optional bool peers                       // of a gang: it reports its ports, and starts once gang_peers is complete
}

/** An attempt to start. Repeated until a report contains it. What it runs is fetched once a job with `job()`. */
struct Launch {
  1: required common.AttemptId id
  2: optional common.Split split       // maps
  3: optional bool compute_granted = true   // reduces: false = copy only, wait for the grant before computing
  4: optional Grant grant                   // absent where slots count
}

/** A job-level duty, given to one tracker once all tasks are done or the job is over. */
struct Duty {
  1: required i64 job
  2: required bool succeed             // true: write _SUCCESS; false: remove all that the job has written
  3: required string output
  4: optional string owner             // that _SUCCESS names: this job and no other, also of its number
  5: optional i64 parts                // how many files of the job may stand published there
  6: optional string user              // whose job it is
}

struct HeartbeatReply {
  1: required i64 interval_ms                  // until the next regular heartbeat
  2: required list<Launch> launch
  3: required list<common.AttemptId> kill      // until reported as ended
  4: required list<common.AttemptId> commit    // publish the output now
  5: required list<common.AttemptId> acknowledged   // finished attempts that need not be reported again
  6: required list<i64> drop_jobs              // of held_jobs: delete all that is kept of them
  7: required list<Duty> duties
  8: optional list<common.AttemptId> compute_granted  // reduces that may go on from copying to computing
  9: optional i64 out_of_band_gap_ms = 0       // least time between two heartbeats sent early because a task ended
  10: optional string leave                    // it has nothing left to do: report once more, as leaving, and end; why
}

/** What a tracker needs to run tasks of a job. */
struct JobDescription {
  1: required i64 job
  2: required string job_name          // job_0007
  3: required string user
  4: required common.JobSpec spec      // without splits: each launch carries its own
  5: required i32 maps
  6: optional string owner             // as in Duty
}

/** A finished map's output, or the news that one is no longer to be used. */
struct MapOutput {
  1: required i32 map_index
  2: required i32 attempt
  3: required bool obsolete            // true: forget this attempt's output
  4: required string host
  5: required i32 port
}

struct MapOutputs {
  1: required list<MapOutput> outputs  // in the order they became known, from `first` on
  2: required i32 next_from            // `first` of the next question
  3: required i32 maps                 // of the job in all
  4: optional i64 list_id              // another one than before (after a restart): another list, to be read from 0
}

/** A member of a gang that runs. */
struct Peer {
  1: required string group
  2: required i32 index
  3: required string host
  4: required list<i32> ports
}

struct Peers {
  1: required bool complete            // false: some have not reported their ports yet, ask again
  2: required list<Peer> peers         // from `first` on
  3: required i32 next_from            // `first` of the next question
  4: required i32 members              // of the gang in all
}

service TrackerService {
  RegistrationReply register_tracker(1: Registration registration) throws (1: common.WeirError error)
  HeartbeatReply heartbeat(1: Heartbeat report) throws (1: common.WeirError error)
  /** The description of a job that the tracker was told to run tasks of. */
  JobDescription job(1: i64 job) throws (1: common.WeirError error)
  /** Map outputs of a job from entry `first` of its list on, at most 2,000 a call. */
  MapOutputs map_outputs(1: i64 job, 2: i32 first) throws (1: common.WeirError error)
  /** The members of a job's gang that run, once all of them have reported their ports; at most 1,000 a call. */
  Peers gang_peers(1: i64 job, 2: i32 first) throws (1: common.WeirError error)
}
