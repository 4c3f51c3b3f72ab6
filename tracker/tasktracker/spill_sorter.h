// The map-side sort: lines in, one sorted and partitioned run out, in bounded memory. Full buffers
// are sorted and spilled as runs; finish() merges them, by way of intermediate runs when there are
// many. With a combiner every spill goes through it, and so does the last merge when there were at
// least three spills. What a combiner writes is partitioned and sorted again (by a second, small
// sorter), so it may change keys and their order as it likes. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tracker/tasktracker/merge.h"
#include "tracker/tasktracker/run_file.h"
#include "tracker/tasktracker/sort_buffer.h"

namespace weir::tasktracker {

class SpillSorter;

// Passes `lines` through the user's combiner, whose output goes to `out`.
using Combine = std::function<Status(LineStream& lines, SpillSorter& out)>;

struct SpillSorterOptions {
  std::string prefix;  // of the spills' paths: `<prefix>spill_0`
  std::uint32_t partitions = 1;
  std::size_t memory_bytes = 64u << 20;
  std::size_t max_line_bytes = 256u << 20;
  std::size_t fan_in = kMergeFanIn;
  MapOutputCodec codec = MapOutputCodec::kNone;  // of the spills and of the run
  Combine combine;                               // empty: no combiner
  MapOutputKeys keys;                            // of what comes in
};

class SpillSorter {
 public:
  explicit SpillSorter(SpillSorterOptions options);

  // Room to read the next bytes into, never empty; then how many were read.
  Result<std::span<char>> space() { return buffer_.space(); }
  Status commit(std::size_t bytes);

  // The input is over: everything as one run at `path`, with checksums if asked. Call once, last.
  Result<Run> finish(const std::string& path, bool checksums);

  std::int64_t lines_in() const { return lines_in_; }
  std::int64_t bytes_in() const { return bytes_in_; }
  std::int64_t lines_spilled() const { return lines_spilled_; }
  std::size_t spills() const { return spill_number_; }

 private:
  Status spill();
  Result<Run> write(LineStream& lines, bool combined, const std::string& path, bool checksums);
  Result<Run> write_combined(LineStream& lines, const std::string& path, bool checksums);

  SpillSorterOptions options_;
  SortBuffer buffer_;
  std::vector<Run> runs_;
  std::size_t spill_number_ = 0;
  std::size_t combine_number_ = 0;
  std::int64_t lines_in_ = 0, bytes_in_ = 0, lines_spilled_ = 0;
};

}  // namespace weir::tasktracker
