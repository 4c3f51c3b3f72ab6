#include "tracker/tasktracker/task_spec.h"

#include <algorithm>
#include <charconv>

#include "tracker/tasktracker/duty.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

constexpr std::int64_t kMostSortMemoryMb = 2000;

// The split of a map, with the paths of its files.
Status set_input(TaskSpec& spec, const Split& split, const JobSpec& job) {
  const auto add = [&](std::uint32_t file, std::int64_t offset, std::int64_t length) -> Status {
    if (file >= job.input_files.size()) {
      return data_error(attempt_name(spec.id) + ": its split names input file " +
                        std::to_string(file) + ", the job has " +
                        std::to_string(job.input_files.size()));
    }
    spec.input.push_back({job.input_files[file], offset, length});
    return Ok{};
  };
  spec.input.reserve(1 + split.more.size());
  if (auto added = add(split.file, split.offset, split.length); !added) return added;
  for (const FilePiece& piece : split.more) {
    if (auto added = add(piece.file, piece.offset, piece.length); !added) return added;
  }
  return Ok{};
}

// What a line of the job may have, as its conf says.
Status set_max_line(TaskSpec& spec) {
  const auto line = spec.conf.find("weir.max.line.mb");
  if (line == spec.conf.end()) return Ok{};
  const char* const end = line->second.data() + line->second.size();
  const auto [stop, error] = std::from_chars(line->second.data(), end, spec.max_line_mb);
  if (error == std::errc() && stop == end && spec.max_line_mb >= 1 &&
      spec.max_line_mb <= kMostSortMemoryMb)
    return Ok{};
  return data_error("conf weir.max.line.mb: is '" + line->second +
                    "', allowed are whole numbers from 1 to 2000");
}

// The environment of the job and that of the group, which wins. Ports are left to the caller.
Result<TaskSpec> application_spec(TaskSpec spec, const JobSpec& job, const Launch& launch) {
  const TaskKey& task = launch.attempt.task;
  const std::size_t number = group_number(task.kind);
  if (number >= job.task_groups.size() || task.index >= job.task_groups[number].count) {
    return data_error(attempt_name(spec.id) + ": the job has no such task");
  }
  if (!launch.grant)
    return data_error(attempt_name(spec.id) + ": was launched without a container");
  const TaskGroupSpec& group = job.task_groups[number];
  spec.application = {group.name,
                      group.count,
                      group.command,
                      launch.grant->container[Dimension::kMemoryMb],
                      launch.grant->container[Dimension::kVcores],
                      launch.grant->units,
                      {},
                      {}};
  for (const auto& [name, value] : group.environment) spec.environment[name] = value;
  return spec;
}

}  // namespace

std::string peers_text(const std::vector<GangPeer>& peers) {
  std::string text;
  for (const GangPeer& peer : peers) {
    text += peer.group + " " + std::to_string(peer.index) + " " + peer.host;
    for (const std::uint16_t port : peer.ports) text += " " + std::to_string(port);
    text += "\n";
  }
  return text;
}

Result<TaskSpec> make_task_spec(const JobDescription& job, const Launch& launch) {
  const JobSpec& from = *job.spec;
  const TaskKey& task = launch.attempt.task;
  TaskSpec spec;
  spec.id = launch.attempt;
  spec.job_display_name = from.name;
  spec.mapper = from.mapper;
  spec.reducer = from.reducer;
  spec.combiner = from.combiner;
  spec.maps = from.tasks(TaskKind::kMap);
  spec.reduces = from.reduces;
  spec.output = from.output;
  spec.owner = output_of(job).owner;
  spec.conf = from.conf;
  spec.environment = from.environment;
  spec.working_directory = from.working_directory;
  spec.files = from.files;
  if (is_group(task.kind)) return application_spec(std::move(spec), from, launch);
  spec.memory_mb = from.need[index(task.kind)][Dimension::kMemoryMb];
  spec.sort_memory_mb = std::clamp<std::int64_t>(from.sort_memory_mb, 1, kMostSortMemoryMb);
  spec.compute_granted = launch.compute_granted;
  if (auto set = set_max_line(spec); !set) return set.error();
  if (!spec.is_map()) {
    if (task.index < spec.reduces) return spec;
    return data_error(attempt_name(spec.id) + ": the job has " + std::to_string(spec.reduces) +
                      " reduces");
  }
  if (!launch.split) return data_error(attempt_name(spec.id) + ": was launched without a split");
  if (auto set = set_input(spec, *launch.split, from); !set) return set.error();
  return spec;
}

}  // namespace weir::tasktracker
