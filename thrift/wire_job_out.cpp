// The way out, and the small types in both directions: nothing here can be refused but numbers out
// of range.
#include <iterator>
#include <limits>

#include "thrift/wire_error.h"
#include "thrift/wire_groups.h"
#include "thrift/wire_job.h"

namespace weir {

wire::Split to_wire_without_hosts(const Split& split) {
  wire::Split out;
  out.file = static_cast<std::int32_t>(split.file);
  out.offset = split.offset;
  out.length = split.length;
  if (split.more.empty()) return out;
  out.more.reserve(split.more.size());
  for (const FilePiece& piece : split.more) {
    wire::FilePiece& more = out.more.emplace_back();
    more.file = static_cast<std::int32_t>(piece.file);
    more.offset = piece.offset;
    more.length = piece.length;
  }
  out.__isset.more = true;
  return out;
}

wire::Split to_wire(const Split& split) {
  wire::Split out = to_wire_without_hosts(split);
  if (!split.hosts.empty()) out.__set_hosts(split.hosts);
  return out;
}

wire::JobSpec to_wire_without_splits(const JobSpec& spec) {
  wire::JobSpec out;
  out.name = spec.name;
  out.queue = spec.queue;
  out.input_files = spec.input_files;
  out.output = spec.output;
  out.mapper = spec.mapper;
  if (!spec.reducer.empty()) out.__set_reducer(spec.reducer);
  if (!spec.combiner.empty()) out.__set_combiner(spec.combiner);
  out.__set_reduces(static_cast<std::int32_t>(spec.reduces));
  out.__set_priority(name(spec.priority));
  if (!spec.conf.empty()) out.__set_conf(spec.conf);
  out.__set_max_attempts(static_cast<std::int32_t>(spec.max_attempts));
  out.__set_task_timeout_ms(spec.task_timeout_ms);
  out.__set_slowstart_millionths(static_cast<std::int32_t>(spec.slowstart_millionths));
  const Resources& map = spec.need[index(TaskKind::kMap)];
  const Resources& reduce = spec.need[index(TaskKind::kReduce)];
  out.__set_slots_per_map(map[Dimension::kMapSlots]);
  out.__set_slots_per_reduce(reduce[Dimension::kReduceSlots]);
  out.__set_map_memory_mb(map[Dimension::kMemoryMb]);
  out.__set_reduce_memory_mb(reduce[Dimension::kMemoryMb]);
  out.__set_sort_memory_mb(spec.sort_memory_mb);
  if (!spec.environment.empty()) out.__set_environment(spec.environment);
  if (!spec.working_directory.empty()) out.__set_working_directory(spec.working_directory);
  for (const JobFile& file : spec.files) {
    wire::JobFile& shipped = out.files.emplace_back();
    shipped.name = file.name;
    shipped.content = file.content;
    if (file.executable) shipped.__set_executable(true);
    out.__isset.files = true;
  }
  if (map[Dimension::kVcores] > 0) out.__set_map_vcores(map[Dimension::kVcores]);
  if (reduce[Dimension::kVcores] > 0) out.__set_reduce_vcores(reduce[Dimension::kVcores]);
  if (spec.application()) out.__set_task_groups(groups_to_wire(spec));
  if (spec.service) out.__set_is_service(true);
  if (spec.hold) out.__set_hold(true);
  if (spec.time_limit_ms > 0) out.__set_time_limit_ms(spec.time_limit_ms);
  return out;
}

void origin_to_wire(const JobOrigin& origin, wire::JobSpec& out) {
  if (!origin.input.empty()) out.__set_input(origin.input);
  if (origin.split_bytes > 0) out.__set_split_bytes(origin.split_bytes);
  if (origin.combine_bytes) out.__set_combine_bytes(*origin.combine_bytes);
}

JobOrigin origin_from_wire(const wire::JobSpec& spec) {
  JobOrigin out;
  out.input = spec.input;
  out.split_bytes = spec.split_bytes;
  if (spec.__isset.combine_bytes) out.combine_bytes = spec.combine_bytes;
  return out;
}

wire::JobSpec to_wire(const JobSpec& spec) {
  wire::JobSpec out = to_wire_without_splits(spec);
  origin_to_wire(spec.origin, out);
  out.splits.reserve(spec.splits.size());
  for (const Split& split : spec.splits) out.splits.push_back(to_wire(split));
  return out;
}

JobSpec from_wire_without_splits(const wire::JobSpec& spec) {
  JobSpec out;
  out.name = spec.name;
  if (const auto priority = parse_priority(spec.priority)) out.priority = *priority;
  out.output = spec.output;
  out.queue = spec.queue;
  out.input_files = spec.input_files;
  out.mapper = spec.mapper;
  out.reducer = spec.reducer;
  out.combiner = spec.combiner;
  out.reduces = static_cast<std::uint32_t>(spec.reduces);
  out.conf = spec.conf;
  out.environment = spec.environment;
  out.working_directory = spec.working_directory;
  for (const wire::JobFile& file : spec.files)
    out.files.push_back({file.name, file.content, file.__isset.executable && file.executable, 0});
  out.max_attempts = static_cast<std::uint32_t>(spec.max_attempts);
  out.task_timeout_ms = spec.task_timeout_ms;
  out.slowstart_millionths = spec.slowstart_millionths;
  out.need[index(TaskKind::kMap)] =
      Resources{{spec.slots_per_map, 0, spec.map_memory_mb, spec.map_vcores}};
  out.need[index(TaskKind::kReduce)] =
      Resources{{0, spec.slots_per_reduce, spec.reduce_memory_mb, spec.reduce_vcores}};
  out.task_groups = groups_from_wire(spec);
  out.service = spec.__isset.is_service && spec.is_service;
  if (out.application()) out.reduces = 0;
  out.sort_memory_mb = spec.sort_memory_mb;
  out.hold = spec.__isset.hold && spec.hold;
  out.time_limit_ms = spec.time_limit_ms;
  return out;
}

Split from_wire(const wire::Split& split) {
  Split out{static_cast<std::uint32_t>(split.file), split.offset, split.length, split.hosts, {}};
  out.more.reserve(split.more.size());
  for (const wire::FilePiece& piece : split.more)
    out.more.push_back({static_cast<std::uint32_t>(piece.file), piece.offset, piece.length});
  return out;
}

Result<JobId> job_from_wire(std::int64_t job) {
  if (job < 1 || job >= std::numeric_limits<std::uint32_t>::max()) {
    return bad_request("job: " + std::to_string(job) + " is no job number",
                       "a number from 1 on: 7 is job_0007");
  }
  return JobId(static_cast<std::size_t>(job));
}

Result<Resources> from_wire(const wire::Resources& resources) {
  const Resources out{
      {resources.map_slots, resources.reduce_slots, resources.memory_mb, resources.vcores}};
  constexpr const char* kFields[] = {"map_slots", "reduce_slots", "memory_mb", "vcores"};
  for (std::size_t i = 0; i < std::size(kFields); ++i) {
    const std::int64_t most = i == Dimension::kMemoryMb.value()
                                  ? TrackerLimits::kMemoryMb
                                  : TrackerLimits::kSlots;
    if (out.amount[i] < 0 || out.amount[i] > most) {
      return bad_request(
          std::string(kFields[i]) + ": " + std::to_string(out.amount[i]) + " is out of range",
          "0 to " + std::to_string(most));
    }
  }
  return out;
}

wire::Resources to_wire(const Resources& resources) {
  wire::Resources out;
  out.__set_map_slots(resources[Dimension::kMapSlots]);
  out.__set_reduce_slots(resources[Dimension::kReduceSlots]);
  out.__set_memory_mb(resources[Dimension::kMemoryMb]);
  out.__set_vcores(resources[Dimension::kVcores]);
  return out;
}

Result<AttemptKey> from_wire(const wire::AttemptId& id) {
  const auto job = job_from_wire(id.job);
  if (!job) return job.error();
  if (id.kind < wire::TaskKind::MAP || id.kind > wire::TaskKind::TASK) {
    return bad_request("attempt.kind: " + std::to_string(id.kind) + " is none",
                       "0 (MAP), 1 (REDUCE), 2 (TASK)");
  }
  const bool of_group = id.kind == wire::TaskKind::TASK;
  const auto groups = static_cast<std::int32_t>(kGroupsAtMost);
  if (of_group && (id.group < 0 || id.group >= groups)) {
    return bad_request("attempt.group: " + std::to_string(id.group) + " is none",
                       "0 to " + std::to_string(groups - 1));
  }
  if (id.index < 0 || id.attempt < 0) {
    return bad_request("attempt: index " + std::to_string(id.index) + ", attempt " +
                           std::to_string(id.attempt) + " is out of range",
                       "numbers from 0 on");
  }
  const TaskKind kind = of_group ? group_kind(static_cast<std::size_t>(id.group))
                                 : static_cast<TaskKind>(id.kind);
  return AttemptKey{{*job, kind, static_cast<std::uint32_t>(id.index)},
                    static_cast<std::uint32_t>(id.attempt)};
}

wire::AttemptId to_wire(const AttemptKey& attempt) {
  wire::AttemptId out;
  out.job = attempt.task.job.value;
  const TaskKind kind = attempt.task.kind;
  if (is_group(kind)) {
    out.kind = wire::TaskKind::TASK;
    out.__set_group(static_cast<std::int32_t>(group_number(kind)));
  } else {
    out.kind = static_cast<wire::TaskKind::type>(kind);
  }
  out.index = static_cast<std::int32_t>(attempt.task.index);
  out.attempt = static_cast<std::int32_t>(attempt.attempt);
  return out;
}

wire::Counters to_wire(const Counters& counters) {
  return counters;
}

}  // namespace weir
