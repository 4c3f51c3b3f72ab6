// What one submission may ask for, whatever its queue allows. The JobTracker refuses what is beyond
// these (thrift/wire_job.h), and `weir submit` does so before it sends anything, in the same words.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

struct SubmissionLimits {
  static constexpr std::size_t kInputFiles = 100'000;
  static constexpr std::size_t kInputPathBytes = 8 << 20;   // of all input files together
  static constexpr std::size_t kPieces = 1'000'000;         // of input, in all splits
  static constexpr std::size_t kPiecesPerSplit = 1'000;     // that one map reads
  static constexpr std::size_t kHostsPerSplit = 16;
  static constexpr std::int32_t kReduces = 100'000;

  static constexpr std::size_t kNameBytes = 256;            // of a job, user, group or host
  static constexpr std::size_t kPathBytes = 4096;           // of one path, or a dotted queue
  static constexpr std::size_t kCommandBytes = 128 * 1024;  // what `sh -c` takes as one argument
  static constexpr std::size_t kMapEntries = 1000;          // of conf, and of the environment
  static constexpr std::size_t kMapBytes = 128 * 1024;      // of keys and values of one of them
  static constexpr std::size_t kGroups = 1000;              // that the user is in
  static constexpr std::size_t kSubmissionBytes = 128;      // of the id that a client draws

  static constexpr std::size_t kFiles = 100;                // that travel with the job
  static constexpr std::size_t kFileNameBytes = 255;        // as file systems have it
  static constexpr std::size_t kFileBytes = 1 << 20;        // of one of them
  static constexpr std::size_t kFilesBytes = 4 << 20;       // of all of them

  static constexpr std::size_t kGroupNameBytes = 64;        // of a group of an application
  static constexpr std::int64_t kTasksPerGroup = 1'000'000;  // and in all groups
  static constexpr std::int64_t kVcoresPerTask = 10'000;
  static constexpr std::int64_t kNamedPerTask = 10'000;     // of a resource that the settings name
  static constexpr std::int64_t kPortsPerTask = 100;
  static constexpr std::size_t kRequirements = 100;         // labels of a group, and values of one

  static constexpr std::int32_t kAttemptsPerTask = 100;
  static constexpr std::int64_t kSlotsPerTask = 10'000;
  static constexpr std::int64_t kTaskMemoryMb = 16 << 20;   // 16 TiB
  static constexpr std::int64_t kSortMemoryMb = 64 << 10;   // 64 GiB
  static constexpr std::int64_t kTaskTimeoutMs = 365LL * 24 * 3600 * 1000;
  static constexpr std::int64_t kTimeLimitMs = 10LL * 366 * 24 * 3600 * 1000;
};

}  // namespace weir
