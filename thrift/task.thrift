/**
 * What a TaskTracker tells the process of one attempt at its start: a file that is one TaskSpec in binary protocol.
 * Both ends are the same program, so all of its fields are always there: one that is missing, is not known or is of
 * another type is an error, and so are bytes behind the end.
 */
namespace cpp weir.wire
namespace py weir_wire.task

include "common.thrift"

/** A piece of an input file, by its path. */
struct InputPiece {
  1: required string file
  2: required i64 offset
  3: required i64 length
}

/** The tracker's own settings for tasks. 0: no limit is set. */
struct TaskSettings {
  1: required i64 open_files
  2: required i64 file_mb
  3: required i64 core_mb
  4: required i64 user_processes
  5: required list<string> environment  // variables that are passed on
  6: required i32 map_output_codec      // as in map_output_codec.h
}

/** Of a task of an application. */
struct ApplicationTask {
  1: required string group
  2: required i32 count                 // of its group
  3: required string command
  4: required i64 memory_mb             // of its container
  5: required i64 vcores
  6: required map<string, list<i32>> units  // gpu 0, 3
  7: required list<i32> ports
  8: required string peers              // of a gang's member: its file
}

struct TaskSpec {
  1: common.AttemptId attempt
  2: string job_display_name
  3: string mapper
  4: string reducer
  5: string combiner
  6: i32 maps                           // of the job
  7: i32 reduces
  8: list<InputPiece> input             // maps: read in this order
  9: string output                      // directory of the job
  10: string owner                      // whom that names, as in Duty
  11: map<string, string> conf
  12: map<string, string> environment
  13: string working_directory          // empty: the attempt's own
  14: list<common.JobFile> files
  15: i64 memory_mb                     // address space of the commands; 0: no limit
  16: i64 sort_memory_mb
  17: i64 max_line_mb
  18: bool compute_granted
  19: string attempt_dir
  20: string map_output_dir
  21: string log_dir
  22: i64 log_stream_mb
  23: TaskSettings settings
  24: list<string> cgroups
  25: string hidden_root
  26: list<string> sealed_mounts
  27: bool output_is_durable            // an attempt of the job on this tracker has published into it
  28: string spare_output_dir
  29: ApplicationTask application       // of a map or reduce: with an empty group
}
