/**
 * Types that every service of Weir shares. Field numbers and enum values are frozen once released: add, never renumber.
 * Times are milliseconds since the Unix epoch (i64, suffix _ms); durations are milliseconds; progress is in millionths.
 */
namespace cpp weir.wire
namespace py weir_wire.common

/** The two kinds of task of a MapReduce job, and of slot; and a task of an application. */
enum TaskKind { MAP = 0, REDUCE = 1, TASK = 2 }

/** Why a call was refused. Stable: scripts may test it. */
enum ErrorCode {
  BAD_REQUEST = 1,            // a field is missing, out of range or contradicts another
  UNKNOWN_QUEUE = 2,
  QUEUE_NOT_LEAF = 3,         // jobs live in leaves only
  QUEUE_STOPPED = 4,          // refuses new jobs, runs the old ones to their end
  NOT_PERMITTED = 5,          // the queue's ACLs, checked against the (self-declared) user
  LIMIT_REACHED = 6,          // max_jobs, max_jobs_per_user, max_tasks_per_job
  UNKNOWN_JOB = 7,
  JOB_OVER = 8,               // the job has already ended
  OUTPUT_IN_USE = 9,          // an unfinished job writes to the same output directory
  STORE_FAILED = 10,          // the store did not take it: nothing was promised, nothing changed
  BUSY = 11,                  // a limit of the server; retry after a while
  UNKNOWN_TRACKER = 12,       // register first
  SETTINGS_REFUSED = 13,      // `diagnostics` has every finding
  UNKNOWN_POLICY = 14,
  SHUTTING_DOWN = 15,
  INTERNAL = 16,
  SETTINGS_CHANGED = 17       // others are in force than those that were to be replaced
}

/** Every refusal. `message` is one line that says where and what; `hint` what would be accepted. */
exception WeirError {
  1: required ErrorCode code
  2: required string message
  3: optional string hint
  4: optional list<string> diagnostics   // one line each, `file:line:column: what, what is allowed`
}

/** Who asks. Self-declared until TLS and tokens come; ACLs are checked against it all the same. */
struct Caller {
  1: required string user
  2: optional list<string> groups
}

/** One attempt of one task. */
struct AttemptId {
  1: required i64 job          // number of the job: 7 is job_0007
  2: required TaskKind kind
  3: required i32 index        // of the task, from 0
  4: required i32 attempt      // never reused for a task, not even across JobTracker restarts
  5: optional i32 group        // TASK: of which group of the application, from 0 in the order in which it names them
}

/** A resource vector. Where slots count a dimension that is 0 for the whole cluster is ignored. */
struct Resources {
  1: optional i64 map_slots = 0
  2: optional i64 reduce_slots = 0
  3: optional i64 memory_mb = 0
  4: optional i64 vcores = 0
  5: optional map<string, i64> named   // further resources that the settings name: gpu 2
}

/** A further piece of input for a map that reads several. */
struct FilePiece {
  1: required i32 file         // index into JobSpec.input_files
  2: required i64 offset       // bytes
  3: required i64 length
}

/** A piece of an input file; lines are never cut: a line belongs to the split in which it begins. */
struct Split {
  1: required i32 file         // index into JobSpec.input_files
  2: required i64 offset       // bytes
  3: required i64 length       // bytes; gzipped files are one split over the whole file
  4: optional list<string> hosts   // trackers (names) or hosts that hold the bytes
  5: optional list<FilePiece> more // read by the same map after this one, in this order; at most 999, and with the
                                   // splits at most 1,000,000 in a job. Where the input lies is said by the first piece.
}

/** A small file that travels with the job into the working directory of each of its attempts. */
struct JobFile {
  1: required string name      // without a `/`, and neither `.` nor `..`
  2: required binary content   // at most 1 MiB, 4 MiB in all of a job's files
  3: optional bool executable
}

/** What a tracker's label must be: one of the values, or none of them. `name` and `rack` are labels of every tracker. */
struct Requirement {
  1: required string label
  2: required list<string> values
  3: optional bool none_of
}

/** At no value of the label may more than `max_skew` more tasks of the group run than at another. */
struct Spread {
  1: required string by
  2: required i32 max_skew
}

/** A group of an application: an array of tasks that run the same command. */
struct TaskGroup {
  1: required string name                  // a-z 0-9 _ -, a letter first; not m or r
  2: required i32 count
  3: required string command               // run by `sh -c`
  4: optional Resources resources          // of one task: memory_mb, vcores, named
  5: optional i32 gang = 0                 // so many start together, or none
  6: optional bool replace                 // a member of a started gang that is lost is replaced alone
  7: optional list<Requirement> require
  8: optional Spread spread
  9: optional i64 time_limit_ms = 0        // of an attempt: then it has failed for good; 0 = none
  10: optional i32 retries = 3             // failures of one task that are forgiven
  11: optional i32 ports = 0               // of its tracker's, for each task
  12: optional map<string, string> environment
}

/** What a user asks for: the whole job. A MapReduce job, or, where there are task_groups, an application: then
    input_files, splits, output, mapper are empty, and what belongs to maps and reduces is not said. */
struct JobSpec {
  1: required string name
  2: required string queue                 // dotted path, or an unambiguous last part
  3: required list<string> input_files     // absolute paths, as the trackers see them
  4: required list<Split> splits           // one map each; at least one
  5: required string output                // absolute path of a directory that does not exist yet
  6: required string mapper                // run by `sh -c`
  7: optional string reducer               // required when reduces > 0
  8: optional string combiner
  9: optional i32 reduces = 1              // 0: map-only, the mapper's output is the job's
  10: optional string priority             // VERY_HIGH HIGH NORMAL LOW VERY_LOW; default NORMAL
  11: optional map<string, string> conf    // -> environment of the tasks; also `pool`
  12: optional i32 max_attempts = 4
  13: optional i64 task_timeout_ms = 600000   // no progress or output for this long: killed as failed; 0 = never
  14: optional i32 slowstart_millionths = 50000   // part of the maps that must be done before reduces start
  15: optional i64 slots_per_map = 1
  16: optional i64 slots_per_reduce = 1
  17: optional i64 map_memory_mb = 0       // asked of the tracker, and the address-space limit of the task's processes
  18: optional i64 reduce_memory_mb = 0
  19: optional i64 sort_memory_mb = 64     // buffer of the map side sort, before it spills
  20: optional map<string, string> environment   // extra environment variables for mapper, reducer, combiner
  21: optional string working_directory    // where relative programs are found; default the attempt's own directory
  22: optional bool hold                   // accepted, but nothing of it starts before release_job
  23: optional i64 time_limit_ms = 0       // so long after its first launch it is killed; 0 = never
  24: optional list<JobFile> files         // at most 100, of different names; not together with a working_directory
  25: optional i64 map_vcores = 0          // asked of the tracker, where containers count; 0: what the settings say
  26: optional i64 reduce_vcores = 0
  27: optional list<TaskGroup> task_groups // of an application, at most 64
  28: optional bool is_service              // an application that runs until it is killed
  // For people, and for submitting it again: how input_files and splits were asked for.
  29: optional list<string> input          // absolute paths and patterns
  30: optional i64 split_bytes = 0         // 0: not said
  31: optional i64 combine_bytes           // small files read by one map, up to so much
}

/** Counters of a task or job, `group -> name -> value`. */
typedef map<string, map<string, i64>> Counters
