// What one attempt's process is told at its start: everything about its task and nothing about the
// rest of the job. It is handed over as bytes (task_spec_codec.h). Pure, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conf/daemon_settings.h"
#include "jobqueue/model/input.h"

namespace weir::tasktracker {

struct InputPiece {
  std::string file;
  std::int64_t offset = 0, length = 0;
};

// What a task of an application has besides; of a map or reduce it is empty.
struct ApplicationTask {
  std::string group;
  std::uint32_t count = 0;  // of tasks in its group
  std::string command;
  std::int64_t memory_mb = 0, vcores = 0;  // of its container
  Units units;
  std::vector<std::uint16_t> ports;
  std::string peers;  // of a gang's member: its file; empty: it is of none
};

// `group index host port0 ...` a line, of all members.
std::string peers_text(const std::vector<GangPeer>& peers);

struct TaskSpec {
  AttemptKey id;
  std::string job_display_name;  // the user's name for the job
  std::string mapper, reducer, combiner;
  std::uint32_t maps = 1, reduces = 0;
  std::vector<InputPiece> input;  // maps: at least one, read in this order
  std::string output;             // directory of the job
  std::string owner;              // whom the output directory names (output_directory.h)
  // An attempt of the job on this tracker has published there: directories were made for good.
  bool output_is_durable = false;
  std::string spare_output_dir;  // by its name aside, of an attempt that has ended; mostly none
  std::map<std::string, std::string> conf, environment;
  std::string working_directory;  // empty: the attempt's own
  std::vector<JobFile> files;     // that travel with the job
  std::int64_t memory_mb = 0;     // address space limit of the commands; 0 = none
  std::int64_t sort_memory_mb = 64;
  std::int64_t max_line_mb = 256;
  bool compute_granted = true;
  std::string attempt_dir;     // scratch, removed after the attempt
  std::string map_output_dir;  // maps with reduces: where file.out and file.idx go
  std::string log_dir;         // stderr of the commands goes to <log_dir>/stderr
  std::int64_t log_stream_mb = 8;
  TaskSettings settings;                   // the tracker's
  std::vector<std::string> cgroups;        // directories of the attempt's control group
  std::string hidden_root;                 // work directory whose other attempts it must not see
  std::vector<std::string> sealed_mounts;  // read-only then
  ApplicationTask application;

  bool of_application() const { return is_group(id.task.kind); }
  bool is_map() const { return id.task.kind == TaskKind::kMap; }
  bool map_only() const { return reduces == 0; }
  // Into the output of the job, when it is told to.
  bool publishes() const { return !of_application() && (!is_map() || map_only()); }
  // By another task of its job in the same process (run_task.h).
  bool may_be_followed() const { return is_map() && map_only() && maps > 1; }
  std::int64_t input_bytes() const {
    std::int64_t bytes = 0;
    for (const InputPiece& piece : input) {
      if (__builtin_add_overflow(bytes, piece.length, &bytes)) return INT64_MAX;
    }
    return bytes;
  }
  // The work directory of the commands.
  std::string command_dir() const {
    return working_directory.empty() ? attempt_dir + "/work" : working_directory;
  }
};

// From what the JobTracker said; the directories are left to the caller.
Result<TaskSpec> make_task_spec(const JobDescription& job, const Launch& launch);

}  // namespace weir::tasktracker
