#include "cli/conf_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/format.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/map_output_codec.h"
#include "jobqueue/model/ok_exits.h"

namespace weir::cli {
namespace {

struct Known {
  std::string_view key;
  std::string_view option;  // that does it here
};
constexpr Known kOptions[] = {
    {"mapreduce.job.reduces", "--reduces"},
    {"mapred.reduce.tasks", "--reduces"},
    {"mapreduce.job.maps", "--split-size"},
    {"mapred.map.tasks", "--split-size"},
    {"mapreduce.input.fileinputformat.split.maxsize", "--split-size"},
    {"mapreduce.input.fileinputformat.split.minsize", "--split-size"},
    {"mapred.max.split.size", "--split-size"},
    {"mapred.min.split.size", "--split-size"},
    {"mapreduce.job.queuename", "--queue"},
    {"mapred.job.queue.name", "--queue"},
    {"mapreduce.job.name", "--name"},
    {"mapred.job.name", "--name"},
    {"mapreduce.job.priority", "--priority"},
    {"mapred.job.priority", "--priority"},
    {"mapreduce.task.timeout", "--task-timeout"},
    {"mapred.task.timeout", "--task-timeout"},
    {"mapreduce.map.maxattempts", "--max-attempts"},
    {"mapreduce.reduce.maxattempts", "--max-attempts"},
    {"mapred.map.max.attempts", "--max-attempts"},
    {"mapred.reduce.max.attempts", "--max-attempts"},
    {"mapreduce.job.reduce.slowstart.completedmaps", "--slowstart"},
    {"mapred.reduce.slowstart.completed.maps", "--slowstart"},
    {"mapreduce.map.memory.mb", "--map-memory"},
    {"mapred.job.map.memory.mb", "--map-memory"},
    {"mapreduce.reduce.memory.mb", "--reduce-memory"},
    {"mapred.job.reduce.memory.mb", "--reduce-memory"},
    {"mapreduce.task.io.sort.mb", "--sort-memory"},
    {"io.sort.mb", "--sort-memory"},
};

// What Hadoop goes by has such a name.
constexpr std::string_view kHadoops[] = {"mapreduce.", "mapred.", "stream.", "map.output.", "io."};

// Of the job's lines: of use only where there are reduces.
constexpr std::string_view kOfLines[] = {
    "stream.map.output.field.separator",
    "stream.num.map.output.key.fields",
    "mapreduce.partition.keypartitioner.options",
    "mapred.text.key.partitioner.options",
    "mapreduce.map.output.key.field.separator",
    "map.output.key.field.separator",
    kCompressConf,
    kCodecConf,
};

template <class Names>
bool is_one_of(const Names& names, std::string_view key) {
  return std::find(std::begin(names), std::end(names), key) != std::end(names);
}

bool has_effect(std::string_view key) {
  // A property that names the job's pool is the settings' to say.
  return is_one_of(kSpeculativeConf, key) || key == kExitFailsConf ||
         key.find("pool") != std::string_view::npos;
}

}  // namespace

std::vector<std::string> conf_warnings(const std::map<std::string, std::string>& conf,
                                       bool reduces) {
  std::vector<std::string> warnings;
  for (const auto& [key, value] : conf) {
    const bool hadoops = std::any_of(std::begin(kHadoops), std::end(kHadoops),
                                     [&key = key](auto name) { return key.starts_with(name); });
    if (!hadoops || has_effect(key)) continue;
    if (is_one_of(kOfLines, key)) {
      if (!reduces)
        warnings.push_back(fmt::format("--conf {} has no effect in a job of maps alone", key));
      continue;
    }
    const auto* known = std::find_if(std::begin(kOptions), std::end(kOptions),
                                     [&key = key](const Known& each) { return each.key == key; });
    warnings.push_back(fmt::format(
        "--conf {} has no effect here but in the environment of the tasks{}", printable(key),
        known == std::end(kOptions) ? "" : fmt::format("; {} does that", known->option)));
  }
  return warnings;
}

}  // namespace weir::cli
