#include "jobqueue/model/job_spec.h"

#include <algorithm>

namespace weir {

constexpr std::size_t kMapEntryBytes = 2 * sizeof(std::string) + 4 * sizeof(void*);

const char* name(Priority priority) {
  return kPriorityNames[static_cast<std::size_t>(priority)].data();
}

std::optional<Priority> parse_priority(std::string_view s) {
  const auto same = [](char a, char b) {
    return a == (b >= 'a' && b <= 'z' ? static_cast<char>(b - 'a' + 'A') : b);
  };
  for (std::size_t i = 0; i < std::size(kPriorityNames); ++i) {
    const std::string_view candidate = kPriorityNames[i];
    if (std::equal(candidate.begin(), candidate.end(), s.begin(), s.end(), same)) {
      return static_cast<Priority>(i);
    }
  }
  return std::nullopt;
}

std::int64_t JobSpec::all_tasks() const {
  std::int64_t all = 0;
  for (const TaskKind kind : kinds()) all += tasks(kind);
  return all;
}

std::shared_ptr<const JobSpec> brief(const JobSpec& spec) {
  auto out = std::make_shared<JobSpec>();
  out->name = spec.name;
  out->user = spec.user;
  out->queue = spec.queue;
  out->submission = spec.submission;
  out->priority = spec.priority;
  out->output = spec.output;
  out->reduces = spec.reduces;
  out->maps_were = spec.tasks(TaskKind::kMap);
  for (const TaskKind kind : kTaskKinds) out->need[index(kind)] = spec.need[index(kind)];
  out->time_limit_ms = spec.time_limit_ms;
  out->service = spec.service;
  for (const TaskGroupSpec& group : spec.task_groups) {
    TaskGroupSpec& kept = out->task_groups.emplace_back();
    kept.name = group.name;
    kept.count = group.count;
    kept.asked = group.asked;
  }
  return out;
}

JobSpec asked(const JobSpec& spec) {
  JobSpec out = *brief(spec);
  out.groups = spec.groups;
  const std::size_t files = std::min(spec.input_files.size(), kInputFilesKept);
  out.input_files.assign(spec.input_files.begin(),
                         spec.input_files.begin() + static_cast<std::ptrdiff_t>(files));
  out.mapper = spec.mapper;
  out.reducer = spec.reducer;
  out.combiner = spec.combiner;
  out.conf = spec.conf;
  out.environment = spec.environment;
  out.working_directory = spec.working_directory;
  out.max_attempts = spec.max_attempts;
  out.task_timeout_ms = spec.task_timeout_ms;
  out.slowstart_millionths = spec.slowstart_millionths;
  out.sort_memory_mb = spec.sort_memory_mb;
  out.hold = spec.hold;
  out.task_groups = spec.task_groups;
  out.origin = spec.origin;
  if (out.origin.input.size() > kInputFilesKept) out.origin.input.clear();
  out.origin.files = static_cast<std::uint32_t>(spec.input_files.size());
  std::size_t bytes = 0;
  for (const JobFile& file : spec.files) bytes += file.content.size();
  for (const JobFile& file : spec.files) {
    JobFile& kept = out.files.emplace_back(JobFile{file.name, {}, file.executable});
    if (bytes <= kFileBytesKept) kept.content = file.content;
    else kept.left_out = static_cast<std::int64_t>(file.content.size());
  }
  return out;
}

std::int64_t bytes_of(const JobSpec& spec) {
  std::size_t bytes = sizeof(JobSpec) + spec.output.size() + spec.working_directory.size() +
                      spec.mapper.size() + spec.reducer.size() + spec.combiner.size();
  for (const Split& split : spec.splits) {
    bytes += sizeof(Split) + split.more.size() * sizeof(FilePiece);
    for (const std::string& host : split.hosts) bytes += sizeof(std::string) + host.size();
  }
  for (const std::string& file : spec.input_files) bytes += sizeof(std::string) + file.size();
  for (const std::string& input : spec.origin.input) bytes += sizeof(std::string) + input.size();
  for (const std::string& group : spec.groups) bytes += sizeof(std::string) + group.size();
  for (const JobFile& file : spec.files)
    bytes += sizeof(JobFile) + file.name.size() + file.content.size();
  const auto count = [&bytes](const std::map<std::string, std::string>& texts) {
    for (const auto& [key, value] : texts) bytes += kMapEntryBytes + key.size() + value.size();
  };
  count(spec.conf);
  count(spec.environment);
  for (const TaskGroupSpec& group : spec.task_groups) {
    bytes += sizeof(TaskGroupSpec) + group.name.size() + group.command.size();
    bytes += group.asked.named.size() * kMapEntryBytes;
    for (const Requirement& asked : group.require) {
      bytes += sizeof(Requirement) + asked.label.size();
      for (const std::string& value : asked.values) bytes += sizeof(std::string) + value.size();
    }
    count(group.environment);
  }
  return static_cast<std::int64_t>(bytes);
}

std::optional<bool> speculation_asked(const JobSpec& spec, TaskKind kind) {
  if (is_group(kind)) return false;
  const auto said = spec.conf.find(std::string(kSpeculativeConf[index(kind)]));
  if (said == spec.conf.end()) return std::nullopt;
  if (said->second == "true") return true;
  if (said->second == "false") return false;
  return std::nullopt;
}

}  // namespace weir
