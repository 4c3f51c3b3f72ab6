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
  std::int64_t left_out = 0;  // bytes of the content that are not here: see asked()
};

// How it was asked for: for people, and for submitting it again.
struct JobOrigin {
  std::string address;             // where it came from, as the JobTracker saw it
  std::vector<std::string> input;  // paths and patterns; none: input_files
  std::int64_t split_bytes = 0;    // 0: nobody said
  std::optional<std::int64_t> combine_bytes;  // small files read by one map, up to so much
  std::uint32_t files = 0;         // input files that there were, where only the first are here
  friend bool operator==(const JobOrigin&, const JobOrigin&) = default;
};

// What a task asks for, before it becomes a container.
struct Asked {
  std::int64_t memory_mb = 0;
  std::int64_t vcores = 0;
  std::map<std::string, std::int64_t> named;
  friend bool operator==(const Asked&, const Asked&) = default;
};

// A tracker's label must have one of the values, or none of them.
struct Requirement {
  std::string label;
  std::vector<std::string> values;
  bool none_of = false;
  friend bool operator==(const Requirement&, const Requirement&) = default;
};
// How many more tasks of the group may run at one value of the label than at another.
struct Spread {
  std::string by;
  std::uint32_t max_skew = 1;
  friend bool operator==(const Spread&, const Spread&) = default;
};

// A group of an application: an array of tasks that run the same command.
struct TaskGroupSpec {
  std::string name;
  std::uint32_t count = 1;
  std::string command;  // for sh -c
  Asked asked;
  std::uint32_t gang = 0;  // so many start together, or none
  bool replace = false;    // a member of a started gang that is lost is replaced alone
  std::vector<Requirement> require;
  std::optional<Spread> spread;
  DurationMs time_limit_ms = 0;  // of an attempt: then it has failed for good; 0: none
  std::uint32_t retries = 3;     // of a task; a service has as many as it needs
  std::uint32_t ports = 0;       // of the tracker's
  std::map<std::string, std::string> environment;
  friend bool operator==(const TaskGroupSpec&, const TaskGroupSpec&) = default;
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
  std::vector<TaskGroupSpec> task_groups;  // of an application; of MapReduce: none
  bool service = false;                    // its tasks run until it is killed
  JobOrigin origin;

  bool application() const { return !task_groups.empty(); }
  TaskKinds kinds() const {
    return application() ? TaskKinds(TaskKind::kFirstGroup, task_groups.size())
                         : TaskKinds(TaskKind::kMap, kTaskKindCount);
  }
  std::int64_t all_tasks() const;
  std::uint32_t tasks(TaskKind kind) const {
    if (is_group(kind)) return task_groups[group_number(kind)].count;
    if (application()) return 0;
    if (kind == TaskKind::kReduce) return reduces;
    return splits.empty() ? maps_were : static_cast<std::uint32_t>(splits.size());
  }
};

// What is kept of the spec of a job that is over: what people ask about and a client is known by,
// without splits, programs and texts.
std::shared_ptr<const JobSpec> brief(const JobSpec& spec);
// What is kept of it as long as there is a record of the job: all but splits, with the first input
// files (and not how more were asked for), and contents of files where they are small.
JobSpec asked(const JobSpec& spec);
inline constexpr std::size_t kInputFilesKept = 1'000;
inline constexpr std::size_t kFileBytesKept = 128 << 10;  // of all files of a job together
// Roughly what it holds in memory.
std::int64_t bytes_of(const JobSpec& spec);

// The entry of a job's conf that turns speculative attempts of the kind on or off for it (`true`,
// `false`), as Hadoop calls it.
inline constexpr std::string_view kSpeculativeConf[] = {"mapreduce.map.speculative",
                                                        "mapreduce.reduce.speculative"};
// What the job says of it, if anything that can be read.
std::optional<bool> speculation_asked(const JobSpec& spec, TaskKind kind);

}  // namespace weir
