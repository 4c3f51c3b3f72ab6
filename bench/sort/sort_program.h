// sort(1) as the program that a sort by MapReduce is compared with: by bytes (LC_ALL=C), on as many
// cores and with as much memory, its temporary files and output where the job has its own. A job's
// output is on the disk when the job has succeeded, so the same is waited for here, and told apart.
// Blocks until it is done.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace weir::bench {

struct SortProgram {
  std::string input, output;
  std::string directory;  // of temporary files
  std::int64_t memory_mb = 512;
  std::uint32_t threads = 2;
};

struct SortProgramTimes {
  double seconds = 0;         // until it has ended
  double synced_seconds = 0;  // until its output is on the disk, too
  double cpu_seconds = 0;
};

// `stopped` is asked now and then: the program is ended when it says so. Throws std::runtime_error
// if it fails or is stopped.
SortProgramTimes run_sort_program(const SortProgram& sort, const std::function<bool()>& stopped);

// Waits until what has been written to the file system of the path is on its disk, so that what is
// measured next does not pay for it.
void settle_disk(const std::string& path);

}  // namespace weir::bench
