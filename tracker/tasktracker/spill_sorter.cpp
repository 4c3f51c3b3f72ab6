#include "tracker/tasktracker/spill_sorter.h"

#include <unistd.h>

#include <algorithm>

namespace weir::tasktracker {
namespace {

constexpr std::size_t kSpillsThatCombineAgain = 3;
constexpr std::size_t kCombinedMemoryBytes = 16u << 20;

}  // namespace

SpillSorter::SpillSorter(SpillSorterOptions options)
    : options_(std::move(options)),
      buffer_(options_.partitions, options_.memory_bytes, options_.max_line_bytes,
              options_.keys) {}

Status SpillSorter::commit(std::size_t bytes) {
  bytes_in_ += static_cast<std::int64_t>(bytes);
  buffer_.commit(bytes);
  while (buffer_.full()) {
    if (auto spilled = spill(); !spilled) return spilled;
  }
  return buffer_.status();
}

Status SpillSorter::spill() {
  buffer_.sort();
  lines_in_ += static_cast<std::int64_t>(buffer_.lines());
  SortBuffer::Stream lines(buffer_);
  auto run =
      write(lines, true, options_.prefix + "spill_" + std::to_string(spill_number_++), false);
  if (!run) return run.error();
  for (const Segment& segment : run->segments) lines_spilled_ += segment.lines;
  runs_.push_back(std::move(*run));
  buffer_.start_over();
  return Ok{};
}

Result<Run> SpillSorter::write(LineStream& lines, bool combined, const std::string& path,
                               bool checksums) {
  if (combined && options_.combine) return write_combined(lines, path, checksums);
  return write_run(lines, path, options_.partitions, checksums, options_.codec);
}

Result<Run> SpillSorter::write_combined(LineStream& lines, const std::string& path,
                                        bool checksums) {
  SpillSorterOptions options;
  options.prefix = options_.prefix + "combine_" + std::to_string(combine_number_++) + "_";
  options.partitions = options_.partitions;
  options.memory_bytes = std::min(options_.memory_bytes, kCombinedMemoryBytes);
  options.max_line_bytes = options_.max_line_bytes;
  options.fan_in = options_.fan_in;
  options.codec = options_.codec;
  options.keys = options_.keys.stored();
  SpillSorter out(std::move(options));
  if (auto combined = options_.combine(lines, out); !combined) return combined.error();
  return out.finish(path, checksums);
}

Result<Run> SpillSorter::finish(const std::string& path, bool checksums) {
  if (auto ended = buffer_.end_last_line(); !ended) return ended.error();
  if (runs_.empty()) {
    buffer_.sort();
    lines_in_ += static_cast<std::int64_t>(buffer_.lines());
    SortBuffer::Stream lines(buffer_);
    // A combiner is not started for nothing.
    auto run = write(lines, buffer_.lines() > 0, path, checksums);
    if (run) {
      for (const Segment& segment : run->segments) lines_spilled_ += segment.lines;
    }
    buffer_.release();
    return run;
  }
  if (buffer_.lines() > 0) {
    if (auto spilled = spill(); !spilled) return spilled.error();
  }
  buffer_.release();
  if (auto folded = merge_to_fan_in(runs_, options_.partitions, options_.fan_in,
                                    options_.prefix + "merge_", options_.codec,
                                    options_.keys.stored_fields());
      !folded) {
    return folded.error();
  }
  auto merged = RunMerge::open(runs_, options_.partitions, options_.keys.stored_fields());
  if (!merged) return merged.error();
  auto run = write(**merged, spill_number_ >= kSpillsThatCombineAgain, path, checksums);
  if (!run) return run;
  for (const Run& old : runs_) ::unlink(old.path.c_str());
  return run;
}

}  // namespace weir::tasktracker
