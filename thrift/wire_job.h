// Jobs on the wire: what a client sends is checked field by field before it becomes a JobSpec of
// the engine, so that nothing behind this file meets a negative count, a relative path or a split
// of a file that is not there. The first thing wrong is the refusal; its message names the field
// and the value, its hint what is allowed. Jobs that are already checked (in the store, on their
// way to a tracker) go the other way unchanged. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common_types.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/input.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/result.h"

namespace weir {

// What one job may ask for. Beyond these no queue's limit matters.
struct JobLimits {
  static constexpr std::size_t kSplits = 1'000'000;       // and further pieces
  static constexpr std::size_t kPiecesPerSplit = 1'000;
  static constexpr std::int32_t kReduces = 100'000;
  static constexpr std::size_t kInputFiles = 100'000;
  static constexpr std::size_t kInputFileBytes = 8 << 20;  // of all paths together
  static constexpr std::size_t kNameBytes = 256;
  static constexpr std::size_t kPathBytes = 4096;
  static constexpr std::size_t kCommandBytes = 128 * 1024;  // what `sh -c` takes as one argument
  static constexpr std::size_t kMapEntries = 1000;          // of conf and of environment
  static constexpr std::size_t kMapBytes = 128 * 1024;
  static constexpr std::size_t kHostsPerSplit = 16;
  static constexpr std::int32_t kAttempts = 100;
  static constexpr std::int64_t kSlotsPerTask = 10'000;
  static constexpr std::int64_t kMemoryMb = 16 << 20;
  static constexpr std::int64_t kTimeLimitMs = 10LL * 366 * 24 * 3600 * 1000;
  static constexpr std::size_t kFiles = 100;  // that travel with the job
  static constexpr std::size_t kFileNameBytes = 255;
  static constexpr std::size_t kFileBytes = 1 << 20;   // of one of them,
  static constexpr std::size_t kFilesBytes = 4 << 20;  // and of all
  static constexpr std::size_t kGroups = 1000;
  static constexpr std::size_t kSubmissionBytes = 128;
};

// What one tracker may offer. The engine's indexes of free slots grow with the most that one has.
struct TrackerLimits {
  static constexpr std::int64_t kSlots = 100'000;  // of a kind, and vcores; as in its settings
  static constexpr std::int64_t kMemoryMb = 1LL << 40;
};

Result<Caller> from_wire(const wire::Caller& caller);
wire::Caller to_wire(const Caller& caller);

// Checked; `user` and `groups` come from the caller. An empty name becomes the last part of the
// output path.
Result<JobSpec> from_wire(const wire::JobSpec& spec, const Caller& caller);
wire::JobSpec to_wire(const JobSpec& spec);
// As a tracker needs it: each launch carries its own split.
wire::JobSpec to_wire_without_splits(const JobSpec& spec);
wire::Split to_wire(const Split& split);
wire::Split to_wire_without_hosts(const Split& split);
// What the JobTracker says of a job, which has checked it: as it is, and without splits.
JobSpec from_wire_without_splits(const wire::JobSpec& spec);
Split from_wire(const wire::Split& split);

Result<Priority> priority_from_wire(const std::string& text);
Result<JobId> job_from_wire(std::int64_t job);
inline std::int64_t to_wire(JobId job) {
  return job.value;
}

Result<Resources> from_wire(const wire::Resources& resources);
wire::Resources to_wire(const Resources& resources);

Result<AttemptKey> from_wire(const wire::AttemptId& id);
wire::AttemptId to_wire(const AttemptKey& attempt);

wire::Counters to_wire(const Counters& counters);

// The refusal of a text field that is empty (where it must not be), too long, or has control
// characters in it.
struct TextRule {
  std::size_t max_bytes = 256;
  bool may_be_empty = false;
  bool may_have_newlines = false;
};
Status check_text(const std::string& field, const std::string& text, const TextRule& rule);

}  // namespace weir
