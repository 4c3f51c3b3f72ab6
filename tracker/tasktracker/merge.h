// Merging sorted pieces. A heap holds one cursor a piece, ordered by (key, place of the piece in
// the list), so equal keys come out in the order of the pieces: list them by age or map index.
// RunMerge walks whole runs, partition by partition. merge_to_fan_in() first folds neighbouring
// runs together until at most `fan_in` are left, so that open files and buffers stay bounded
// however often the map spilled. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tracker/tasktracker/line_cursor.h"
#include "tracker/tasktracker/line_stream.h"
#include "tracker/tasktracker/run_file.h"

namespace weir::tasktracker {

inline constexpr std::size_t kMergeFanIn = 100;
inline constexpr std::size_t kMergeBufferBytes = 128 * 1024;

class CursorHeap {
 public:
  void clear();
  void add(LineCursor cursor);  // in the order of the pieces
  void start();
  // The least line; valid until the next call. nullptr: over or failed.
  const Line* next();
  const Status& status() const { return status_; }

 private:
  bool before(std::uint32_t a, std::uint32_t b) const {
    const int order = compare_keys(cursors_[a].line(), cursors_[b].line());
    return order != 0 ? order < 0 : a < b;
  }
  void sift_down(std::size_t place);

  std::vector<LineCursor> cursors_;
  std::vector<std::uint32_t> heap_;
  bool top_is_used_ = false;
  Status status_ = Ok{};
};

class RunMerge : public LineStream {
 public:
  static Result<std::unique_ptr<RunMerge>> open(const std::vector<Run>& runs,
                                                std::uint32_t partitions);

  const Line* next() override;
  std::uint32_t partition() const override { return partition_; }
  Status status() const override { return heap_.status(); }

 private:
  RunMerge(const std::vector<Run>& runs, std::uint32_t partitions)
      : runs_(runs), partitions_(partitions) {}
  void start_partition();

  const std::vector<Run>& runs_;
  std::uint32_t partitions_;
  std::uint32_t partition_ = 0;
  std::vector<UniqueFd> files_;
  std::vector<std::vector<char>> buffers_;
  CursorHeap heap_;
};

// New runs are written to `<prefix><number>`; the files of merged runs are removed.
Status merge_to_fan_in(std::vector<Run>& runs, std::uint32_t partitions, std::size_t fan_in,
                       const std::string& prefix);

}  // namespace weir::tasktracker
