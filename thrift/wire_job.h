// Jobs on the wire: what a client sends is checked field by field (spec_check.h) before it becomes
// a JobSpec of the engine, so that nothing behind this file meets a negative count, a relative path
// or a split of a file that is not there. Jobs that are already checked (in the store, on their
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

// What one tracker may offer. The engine's indexes of free slots grow with the most that one has.
struct TrackerLimits {
  static constexpr std::int64_t kSlots = 100'000;  // of a kind, and vcores; as in its settings
  static constexpr std::int64_t kMemoryMb = 1LL << 40;
};

Result<Caller> from_wire(const wire::Caller& caller);
wire::Caller to_wire(const Caller& caller);

// Checked; `user` and `groups` come from the caller. An empty name becomes the last part of the
// output path, of an application the name of its first group.
Result<JobSpec> from_wire(const wire::JobSpec& spec, const Caller& caller);
wire::JobSpec to_wire(const JobSpec& spec);
// As a tracker needs it: each launch carries its own split.
wire::JobSpec to_wire_without_splits(const JobSpec& spec);
wire::Split to_wire(const Split& split);
wire::Split to_wire_without_hosts(const Split& split);
// What the JobTracker says of a job, which has checked it: as it is, and without splits.
JobSpec from_wire_without_splits(const wire::JobSpec& spec);
// How the input was asked for: only to the JobTracker and from it, to no tracker.
void origin_to_wire(const JobOrigin& origin, wire::JobSpec& out);
JobOrigin origin_from_wire(const wire::JobSpec& spec);
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

}  // namespace weir
