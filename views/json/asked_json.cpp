// What a job was submitted with. Its fields are called as in a submission.
#include "views/json/json.h"

namespace weir {
namespace {

Json files_json(const JobSpec& spec) {
  Json files = Json::array();
  for (const JobFile& file : spec.files) {
    const std::int64_t bytes = file.left_out + static_cast<std::int64_t>(file.content.size());
    files.push_back({{"name", file.name}, {"bytes", bytes}, {"executable", file.executable}});
  }
  return files;
}

Json groups_json(const JobSpec& spec) {
  Json groups = Json::array();
  for (const TaskGroupSpec& group : spec.task_groups) {
    Json require = Json::array();
    for (const Requirement& asked : group.require)
      require.push_back(
          {{"label", asked.label}, {"values", asked.values}, {"none_of", asked.none_of}});
    Json json = {{"name", group.name},
                 {"count", group.count},
                 {"command", group.command},
                 {"memory_mb", group.asked.memory_mb},
                 {"vcores", group.asked.vcores},
                 {"resources", Json(group.asked.named)},
                 {"gang", group.gang},
                 {"require", std::move(require)},
                 {"retries", group.retries},
                 {"ports", group.ports},
                 {"time_limit_ms", group.time_limit_ms},
                 {"environment", Json(group.environment)}};
    if (group.replace) json["on_member"] = "replace";
    if (group.spread)
      json["spread"] = {{"by", group.spread->by}, {"max_skew", group.spread->max_skew}};
    groups.push_back(std::move(json));
  }
  return groups;
}

void add_mapreduce(const JobSpec& spec, Json& json) {
  const Resources& map = spec.need[index(TaskKind::kMap)];
  const Resources& reduce = spec.need[index(TaskKind::kReduce)];
  const JobOrigin& origin = spec.origin;
  json["input_files"] = origin.input.empty() ? spec.input_files : origin.input;
  json["files_read"] = origin.files;
  if (origin.split_bytes > 0) json["split_bytes"] = origin.split_bytes;
  if (origin.combine_bytes) json["combine_bytes"] = *origin.combine_bytes;
  json["output"] = spec.output;
  json["mapper"] = spec.mapper;
  if (!spec.combiner.empty()) json["combiner"] = spec.combiner;
  if (!spec.reducer.empty()) json["reducer"] = spec.reducer;
  json["maps"] = spec.maps_were;
  json["reduces"] = spec.reduces;
  json["slots_per_map"] = map[Dimension::kMapSlots];
  json["slots_per_reduce"] = reduce[Dimension::kReduceSlots];
  json["map_memory_mb"] = map[Dimension::kMemoryMb];
  json["reduce_memory_mb"] = reduce[Dimension::kMemoryMb];
  json["map_vcores"] = map[Dimension::kVcores];
  json["reduce_vcores"] = reduce[Dimension::kVcores];
  json["sort_memory_mb"] = spec.sort_memory_mb;
  json["max_attempts"] = spec.max_attempts;
  json["task_timeout_ms"] = spec.task_timeout_ms;
  json["slowstart_millionths"] = spec.slowstart_millionths;
}

}  // namespace

Json to_json(const AskedView& asked) {
  const JobSpec& spec = asked.spec;
  Json json = {{"job", job_name(asked.job)},
               {"number", asked.job.value},
               {"name", spec.name},
               {"user", spec.user},
               {"address", spec.origin.address},
               {"queue", spec.queue},
               {"priority", name(spec.priority)}};
  if (spec.application()) {
    json["service"] = spec.service;
    json["groups"] = groups_json(spec);
  } else {
    add_mapreduce(spec, json);
  }
  json["conf"] = Json(spec.conf);
  json["environment"] = Json(spec.environment);
  json["working_directory"] = spec.working_directory;
  json["files"] = files_json(spec);
  json["hold"] = spec.hold;
  json["time_limit_ms"] = spec.time_limit_ms;
  json["masked"] = asked.masked;
  return json;
}

}  // namespace weir
