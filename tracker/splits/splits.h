// From the paths a user names to the maps of their job. list_inputs looks at the disk: a file is
// itself, a directory is its regular files that do not begin with "_" or ".", by name; what is not
// there but has one of *?[{ in it is a pattern, and stands for what it matches, by name; what is
// missing, unreadable or matches nothing is refused by its path. compute_splits is arithmetic:
// equal pieces of split_bytes, the last one shorter; a gzipped file cannot be entered in the middle
// and is one split; an empty file contributes nothing. Lines are not looked at here: a line belongs
// to the split in which it begins, and the task that reads the split sees to that. combine_splits
// then joins neighbours into maps of several pieces. Any thread; list_inputs waits for the disk.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"

namespace weir {

inline constexpr std::int64_t kDefaultSplitBytes = 64LL << 20;

struct InputFile {
  std::string path;  // absolute
  std::int64_t bytes = 0;
};

struct InputSplits {
  std::vector<std::string> files;
  std::vector<Split> splits;
  std::int64_t bytes = 0;
};

// How much of the disk may be looked at; who looks for somebody else bounds it.
struct LookLimits {
  std::size_t entries = SIZE_MAX;  // of directories, in all
  std::size_t alternatives = 100'000;  // that the braces of one pattern stand for
  const std::atomic<bool>* ended = nullptr;  // once true, nobody waits for the answer any more
};

// Absolute and without "." and "..", as trackers see it.
Result<std::string> absolute_path(const std::string& path);
Result<std::vector<InputFile>> list_inputs(const std::vector<std::string>& given,
                                           const LookLimits& limits = {});
// What no submission may have is refused before any split is made.
Result<InputSplits> compute_splits(const std::vector<InputFile>& files, std::int64_t split_bytes);
// In their order, as many to a map as together have at most so many bytes; a larger one stays
// alone.
void combine_splits(InputSplits& input, std::int64_t most_bytes);

}  // namespace weir
