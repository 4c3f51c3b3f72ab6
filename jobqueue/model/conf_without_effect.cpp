#include "jobqueue/model/conf_without_effect.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "jobqueue/model/map_output_codec.h"
#include "jobqueue/model/ok_exits.h"

namespace weir {
namespace {

using Conf = std::map<std::string, std::string>;

// What Hadoop or Weir itself goes by begins so.
constexpr std::string_view kTheirs[] = {
    "weir.", "stream.", "mapreduce.", "mapred.", "yarn.", "dfs.",  "fs.",       "io.",
    "ipc.",  "hadoop.", "map.",       "job.",    "min.",  "keep.", "num.key.", "jobclient."};

constexpr std::string_view kMaxLineConf = "weir.max.line.mb";
constexpr std::string_view kPartitionConf[] = {"mapreduce.partition.keypartitioner.options",
                                               "mapred.text.key.partitioner.options",
                                               "num.key.fields.for.partition"};
constexpr std::string_view kPartSeparatorConf[] = {"mapreduce.map.output.key.field.separator",
                                                   "map.output.key.field.separator"};
constexpr std::string_view kPartitionerConf[] = {"mapreduce.job.partitioner.class",
                                                 "mapred.partitioner.class"};
// Of use only where there are reduces, as those of partitions are.
constexpr std::string_view kOfReduces[] = {"stream.map.output.field.separator",
                                           "stream.num.map.output.key.fields", kCompressConf,
                                           kCodecConf, kSpeculativeConf[1]};

constexpr std::string_view kAsWritten = "what the reducer writes is the output as it is";
constexpr std::string_view kAsStored = "lines are sorted by the bytes of the whole key";
constexpr std::string_view kByPool = "say --conf pool=NAME, which counts under policy fair";
constexpr std::string_view kBySplits = "the splits decide, see --split-size and --combine-files";

// Names that users of Hadoop know, and what does it here, or why nothing does.
constexpr struct {
  std::string_view key, instead;
} kElsewhere[] = {
    {"mapreduce.job.reduces", "say --reduces"},
    {"mapred.reduce.tasks", "say --reduces"},
    {"mapreduce.job.maps", kBySplits},
    {"mapred.map.tasks", kBySplits},
    {"mapreduce.input.fileinputformat.split.maxsize", "say --split-size"},
    {"mapreduce.input.fileinputformat.split.minsize", "say --split-size"},
    {"mapred.max.split.size", "say --split-size"},
    {"mapred.min.split.size", "say --split-size"},
    {"mapreduce.job.queuename", "say --queue"},
    {"mapred.job.queue.name", "say --queue"},
    {"mapred.fairscheduler.pool", kByPool},
    {"mapreduce.fairscheduler.pool", kByPool},
    {"mapreduce.job.name", "say --name"},
    {"mapred.job.name", "say --name"},
    {"mapreduce.job.priority", "say --priority"},
    {"mapred.job.priority", "say --priority"},
    {"mapreduce.task.timeout", "say --task-timeout"},
    {"mapred.task.timeout", "say --task-timeout"},
    {"mapreduce.map.maxattempts", "say --max-attempts"},
    {"mapreduce.reduce.maxattempts", "say --max-attempts"},
    {"mapred.map.max.attempts", "say --max-attempts"},
    {"mapred.reduce.max.attempts", "say --max-attempts"},
    {"mapreduce.job.reduce.slowstart.completedmaps", "say --slowstart"},
    {"mapred.reduce.slowstart.completed.maps", "say --slowstart"},
    {"mapreduce.map.memory.mb", "say --map-memory"},
    {"mapred.job.map.memory.mb", "say --map-memory"},
    {"mapreduce.reduce.memory.mb", "say --reduce-memory"},
    {"mapred.job.reduce.memory.mb", "say --reduce-memory"},
    {"mapreduce.task.io.sort.mb", "say --sort-memory"},
    {"io.sort.mb", "say --sort-memory"},
    {"mapreduce.map.env", "say --env"},
    {"mapreduce.reduce.env", "say --env"},
    {"mapred.child.env", "say --env"},
    {"stream.addenvironment", "say --env"},
    {"mapred.compress.map.output", "say mapreduce.map.output.compress"},
    {"mapred.map.output.compression.codec", "say mapreduce.map.output.compress.codec"},
    {"mapred.map.tasks.speculative.execution", "say mapreduce.map.speculative"},
    {"mapred.reduce.tasks.speculative.execution", "say mapreduce.reduce.speculative"},
    {"stream.reduce.input.field.separator", "reducers read `key TAB value`"},
    {"stream.reduce.output.field.separator", kAsWritten},
    {"stream.num.reduce.output.key.fields", kAsWritten},
    {"mapreduce.output.textoutputformat.separator", kAsWritten},
    {"mapred.textoutputformat.separator", kAsWritten},
    {"mapreduce.output.fileoutputformat.compress", kAsWritten},
    {"mapred.output.compress", kAsWritten},
    {"mapreduce.partition.keycomparator.options", kAsStored},
    {"mapred.text.key.comparator.options", kAsStored},
    {"mapreduce.job.output.key.comparator.class", kAsStored},
    {"mapred.output.key.comparator.class", kAsStored},
};

template <class Names>
bool is_one_of(const Names& names, std::string_view key) {
  return std::find(std::begin(names), std::end(names), key) != std::end(names);
}

// What is done here in any case.
bool is_done_anyway(std::string_view partitioner) {
  return partitioner.ends_with(".HashPartitioner") ||
         partitioner.ends_with(".KeyFieldBasedPartitioner");
}

bool has_effect(std::string_view key) {
  return key == kSpeculativeConf[0] || key == kOkExitConf || key == kExitFailsConf ||
         key == kMaxLineConf;
}

// Why the entry changes nothing, with what to say instead; empty: it does change something.
std::string why_nothing(const Conf::value_type& entry, const Conf& conf, bool has_reduces,
                        std::string_view pool_property) {
  const std::string_view key = entry.first;
  const bool separates = is_one_of(kPartSeparatorConf, key);
  const bool deals = separates || is_one_of(kPartitionConf, key);
  const bool dealer = is_one_of(kPartitionerConf, key);
  if (has_effect(key) || key == pool_property ||
      std::none_of(std::begin(kTheirs), std::end(kTheirs),
                   [key](auto name) { return key.starts_with(name); }))
    return "";
  if (!has_reduces && (deals || dealer || is_one_of(kOfReduces, key)))
    return "the job has no reduces";
  if (separates && std::none_of(std::begin(kPartitionConf), std::end(kPartitionConf),
                                [&conf](auto name) { return conf.contains(std::string(name)); }))
    return "it counts together with " + std::string(kPartitionConf[0]);
  if (deals || is_one_of(kOfReduces, key) || (dealer && is_done_anyway(entry.second))) return "";
  if (dealer)
    return "the hash of a key decides, or of its fields: " + std::string(kPartitionConf[0]);
  for (const auto& [name, instead] : kElsewhere) {
    if (key == name) return std::string(instead);
  }
  return "nothing goes by it";
}

}  // namespace

std::vector<std::string> conf_without_effect(const Conf& conf, bool has_reduces,
                                             std::string_view pool_property) {
  std::vector<std::string> lines;
  for (const auto& entry : conf) {
    const std::string why = why_nothing(entry, conf, has_reduces, pool_property);
    if (why.empty()) continue;
    lines.push_back("setting " + entry.first +
                    " has no effect here but in the environment of the tasks: " + why);
  }
  return lines;
}

std::vector<std::string> groups_without_effect(const std::vector<TaskGroupSpec>& groups) {
  std::vector<std::string> lines;
  for (const TaskGroupSpec& group : groups) {
    if (!group.replace || group.gang > 0) continue;
    lines.push_back("group " + group.name +
                    ": on_member: replace has no effect: the group has no gang");
  }
  return lines;
}

}  // namespace weir
