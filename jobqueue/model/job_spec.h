// A job as its user asked for it: immutable after submission, shared by pointer. The engine
// schedules by the counts, widths and locations; programs and paths it only hands on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/time.h"

namespace weir {

enum class Priority : std::uint8_t {
  kVeryHigh = 0,
  kHigh = 1,
  kNormal = 2,
  kLow = 3,
  kVeryLow = 4
};
inline constexpr std::string_view kPriorityNames[] = {"VERY_HIGH", "HIGH", "NORMAL", "LOW",
                                                      "VERY_LOW"};
const char* name(Priority priority);                       // "VERY_HIGH"
std::optional<Priority> parse_priority(std::string_view);  // case-insensitive

struct FilePiece {
  std::uint32_t file = 0;
  std::int64_t offset = 0;
  std::int64_t length = 0;
};

// A piece of an input file, read by one map. `hosts` names trackers or hosts that hold its bytes.
struct Split {
  std::uint32_t file = 0;
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::vector<std::string> hosts;
  std::vector<FilePiece> more;  // what the same map reads after it
};

// It travels with the job into the working directory of each of its attempts.
struct JobFile {
  std::string name;  // without a `/`
  std::string content;
  bool executable = false;
};

struct JobSpec {
  std::string name;
  std::string user;
  std::vector<std::string> groups;
  std::string queue;  // as asked for; the Job has the queue it is in
  // Drawn by the client, to be known again by when an answer was lost; empty: none.
  std::string submission;
  Priority priority = Priority::kNormal;
  std::vector<std::string> input_files;
  std::vector<Split> splits;  // one map each
  std::string output;
  std::string mapper, reducer, combiner;
  std::uint32_t reduces = 1;
  std::map<std::string, std::string> conf;  // `pool` and whatever else policies or tasks look at
  std::map<std::string, std::string> environment;
  std::string working_directory;
  std::vector<JobFile> files;
  std::uint32_t max_attempts = 4;
  DurationMs task_timeout_ms = 600000;
  std::int64_t slowstart_millionths = 50000;
  Resources need[kTaskKindCount] = {Resources{{1, 0, 0, 0}},
                                    Resources{{0, 1, 0, 0}}};  // of one map, one reduce
  std::int64_t sort_memory_mb = 64;
  bool hold = false;             // nothing of it starts before it is released
  DurationMs time_limit_ms = 0;  // after its first launch; 0: none
  std::uint32_t maps_were = 0;   // without splits: how many there were

  std::uint32_t tasks(TaskKind kind) const {
    if (kind == TaskKind::kReduce) return reduces;
    return splits.empty() ? maps_were : static_cast<std::uint32_t>(splits.size());
  }
};

// What is kept of the spec of a job that is over: what people ask about and a client is known by,
// without splits, programs and texts.
std::shared_ptr<const JobSpec> brief(const JobSpec& spec);
// Roughly what it holds in memory.
std::int64_t bytes_of(const JobSpec& spec);

// The entry of a job's conf that turns speculative attempts of the kind on or off for it (`true`,
// `false`), as Hadoop calls it.
inline constexpr std::string_view kSpeculativeConf[] = {"mapreduce.map.speculative",
                                                        "mapreduce.reduce.speculative"};
// What the job says of it, if anything that can be read.
std::optional<bool> speculation_asked(const JobSpec& spec, TaskKind kind);

}  // namespace weir
