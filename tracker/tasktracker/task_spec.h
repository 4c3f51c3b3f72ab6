// What one attempt's process is told at its start: everything about its task and nothing about the
// rest of the job. The agent writes it as a file of records `name SP length LF bytes LF`, which
// carries any bytes and is read back strictly: an unknown name, a bad number or a short file is an
// error that says which. Pure, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conf/daemon_settings.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"
#include "tracker_types.h"

namespace weir::tasktracker {

struct InputPiece {
  std::string file;
  std::int64_t offset = 0, length = 0;
};

struct TaskSpec {
  AttemptKey id;
  std::string job_display_name;  // the user's name for the job
  std::string mapper, reducer, combiner;
  std::uint32_t maps = 1, reduces = 0;
  std::string input_file;  // maps
  std::int64_t input_offset = 0, input_length = 0;
  std::vector<InputPiece> more_input;  // maps: read after that
  std::string output;  // directory of the job
  std::string owner;   // whom the output directory names (output_directory.h)
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

  bool is_map() const { return id.task.kind == TaskKind::kMap; }
  bool map_only() const { return reduces == 0; }
  std::vector<InputPiece> input() const {
    std::vector<InputPiece> pieces{{input_file, input_offset, input_length}};
    pieces.insert(pieces.end(), more_input.begin(), more_input.end());
    return pieces;
  }
  std::int64_t input_bytes() const {
    std::int64_t bytes = input_length;
    for (const InputPiece& piece : more_input) {
      if (__builtin_add_overflow(bytes, piece.length, &bytes)) return INT64_MAX;
    }
    return bytes;
  }
  // The work directory of the commands.
  std::string command_dir() const {
    return working_directory.empty() ? attempt_dir + "/work" : working_directory;
  }
};

std::string encode_task_spec(const TaskSpec& spec);
Result<TaskSpec> decode_task_spec(std::string_view bytes);

// From what the JobTracker sent; the directories are left to the caller.
Result<TaskSpec> make_task_spec(const wire::JobDescription& job, const wire::Launch& launch);

}  // namespace weir::tasktracker
