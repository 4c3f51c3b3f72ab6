#include "thrift/spec_check.h"

#include <limits>
#include <set>
#include <string_view>

#include "jobqueue/model/submission_limits.h"
#include "thrift/wire_error.h"
#include "thrift/wire_groups.h"

namespace weir {
namespace {

using Limits = SubmissionLimits;

Status check_commands(const wire::JobSpec& spec) {
  const TextRule required{.max_bytes = Limits::kCommandBytes, .may_have_newlines = true};
  const TextRule optional{
      .max_bytes = Limits::kCommandBytes, .may_be_empty = true, .may_have_newlines = true};
  if (spec.mapper.empty()) {
    return bad_request("mapper: is empty", "a command for `sh -c`, for example `cat`");
  }
  if (Status s = check_text("mapper", spec.mapper, required); !s) return s;
  if (Status s = check_text("reducer", spec.reducer, optional); !s) return s;
  if (Status s = check_text("combiner", spec.combiner, optional); !s) return s;
  if (Status s = check_reduces(spec.reduces); !s) return s;
  if (spec.reduces > 0 && spec.reducer.empty()) {
    return bad_request("reducer: is missing, but reduces is " + std::to_string(spec.reduces),
                       "a command for `sh -c`, or reduces 0 for a map-only job");
  }
  return Ok{};
}

Status check_numbers(const wire::JobSpec& spec) {
  const struct {
    const char* field;
    std::int64_t value, least, most;
  } numbers[] = {
      {"task_timeout_ms", spec.task_timeout_ms, 0, Limits::kTaskTimeoutMs},
      {"slowstart_millionths", spec.slowstart_millionths, 0, 1'000'000},
      {"slots_per_map", spec.slots_per_map, 1, Limits::kSlotsPerTask},
      {"slots_per_reduce", spec.slots_per_reduce, 1, Limits::kSlotsPerTask},
      {"map_memory_mb", spec.map_memory_mb, 0, Limits::kTaskMemoryMb},
      {"reduce_memory_mb", spec.reduce_memory_mb, 0, Limits::kTaskMemoryMb},
      {"map_vcores", spec.map_vcores, 0, Limits::kVcoresPerTask},
      {"reduce_vcores", spec.reduce_vcores, 0, Limits::kVcoresPerTask},
      {"sort_memory_mb", spec.sort_memory_mb, 1, Limits::kSortMemoryMb},
      {"time_limit_ms", spec.time_limit_ms, 0, Limits::kTimeLimitMs},
  };
  if (Status s = check_max_attempts(spec.max_attempts); !s) return s;
  for (const auto& n : numbers) {
    if (Status s = check_range(n.field, n.value, n.least, n.most); !s) return s;
  }
  return Ok{};
}

Status check_file(std::size_t place, const wire::JobFile& file) {
  const std::string field = "files[" + std::to_string(place) + "].name";
  const TextRule rule{.max_bytes = Limits::kFileNameBytes};
  if (Status s = check_text(field, file.name, rule); !s) return s;
  if (file.name.find('/') != std::string::npos || file.name == "." || file.name == "..") {
    return bad_request(field + ": '" + file.name + "' is no name of a file",
                       "a name without `/`, and neither `.` nor `..`");
  }
  return check_file_bytes(place, file.name, static_cast<std::int64_t>(file.content.size()));
}

// What travels with the job.
Status check_files(const wire::JobSpec& spec) {
  if (spec.files.empty()) return Ok{};
  if (Status s = check_file_count(spec.files.size()); !s) return s;
  if (!spec.working_directory.empty()) {
    return bad_request("files: the job has a working_directory",
                       "files without it: they go into each attempt's own directory");
  }
  std::size_t bytes = 0;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < spec.files.size(); ++i) {
    const wire::JobFile& file = spec.files[i];
    if (Status s = check_file(i, file); !s) return s;
    if (!names.insert(file.name).second) {
      return bad_request(
          "files[" + std::to_string(i) + "].name: '" + file.name + "' is there already",
          "files of different names");
    }
    bytes += file.content.size();
  }
  if (bytes > Limits::kFilesBytes) {
    return bad_request("files: have " + std::to_string(bytes) + " bytes",
                       "at most " + std::to_string(Limits::kFilesBytes) +
                           " in all; put large ones where the trackers see them");
  }
  return Ok{};
}

// How the input was asked for, where that is said.
Status check_origin(const wire::JobSpec& spec) {
  if (!spec.input.empty()) {
    if (Status s = check_paths("input", spec.input); !s) return s;
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (Status s = check_range("split_bytes", spec.split_bytes, 0, most); !s) return s;
  if (!spec.__isset.combine_bytes) return Ok{};
  return check_range("combine_bytes", spec.combine_bytes, 1, most);
}

// What its tasks run, and where that goes.
Status check_programs(const wire::JobSpec& spec) {
  if (!spec.task_groups.empty()) return check_application(spec);
  if (spec.__isset.is_service && spec.is_service)
    return bad_request("is_service: the job has no task_groups", "a service is an application");
  if (Status s = check_commands(spec); !s) return s;
  return check_path("output", spec.output);
}

}  // namespace

Status check_spec(const wire::JobSpec& spec) {
  if (Status s = check_description(spec); !s) return s;
  if (!spec.task_groups.empty()) return Ok{};
  if (Status s = check_input_files(spec.input_files); !s) return s;
  std::size_t pieces = spec.splits.size();
  for (const wire::Split& split : spec.splits) pieces += split.more.size();
  return check_pieces(spec.splits.size(), pieces);
}

Status check_description(const wire::JobSpec& spec) {
  if (Status s = check_text("name", spec.name, {Limits::kNameBytes, true}); !s) return s;
  if (Status s = check_text("queue", spec.queue, {Limits::kPathBytes}); !s) return s;
  if (Status s = check_programs(spec); !s) return s;
  if (!spec.working_directory.empty()) {
    if (Status s = check_path("working_directory", spec.working_directory); !s) return s;
  }
  if (Status s = check_files(spec); !s) return s;
  if (Status s = check_origin(spec); !s) return s;
  if (Status s = check_entries("conf", spec.conf); !s) return s;
  if (Status s = check_entries("environment", spec.environment); !s) return s;
  return check_numbers(spec);
}

}  // namespace weir
