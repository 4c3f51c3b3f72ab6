// Merging sorted pieces, one cursor a piece, by (key, place of the piece in the list), so equal
// keys come out in the order of the pieces: list them by age or map index. A tree of losers: where
// two pieces met the one whose line is greater stays, so the next line costs one match a level;
// none where the winner's next line has the same key, since nobody else may come before it.
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

class CursorMerge {
 public:
  void clear();
  void add(LineCursor cursor);  // in the order of the pieces
  void start();
  // The least line; valid until the next call. nullptr: over or failed.
  const Line* next();
  const Status& status() const { return status_; }

 private:
  // A piece and the prefix of its line's key, beside each other so that most matches look no
  // further. One that is over is behind all others.
  struct Entry {
    std::uint64_t prefix = 0;
    std::uint32_t piece = 0;
  };

  Entry entry_of(std::uint32_t piece) const;
  bool before(const Entry& a, const Entry& b) const {
    return a.prefix != b.prefix ? a.prefix < b.prefix : before_beyond_prefix(a.piece, b.piece);
  }
  bool before_beyond_prefix(std::uint32_t a, std::uint32_t b) const;
  bool advance(std::uint32_t piece);
  Entry winner_below(std::size_t node);
  void replay(Entry entry);

  std::vector<LineCursor> cursors_;
  std::vector<char> over_;     // of the pieces
  std::vector<Entry> losers_;  // of the match at each inner node; the root is 1
  Entry winner_;
  bool winner_is_used_ = false;
  Status status_ = Ok{};
};

class RunMerge : public LineStream {
 public:
  static Result<std::unique_ptr<RunMerge>> open(const std::vector<Run>& runs,
                                                std::uint32_t partitions,
                                                std::uint32_t key_fields = 1);

  const Line* next() override;
  std::uint32_t partition() const override { return partition_; }
  Status status() const override { return merge_.status(); }

 private:
  RunMerge(const std::vector<Run>& runs, std::uint32_t partitions, std::uint32_t key_fields)
      : runs_(runs), partitions_(partitions), key_fields_(key_fields) {}
  void start_partition();

  const std::vector<Run>& runs_;
  std::uint32_t partitions_;
  std::uint32_t key_fields_;
  std::uint32_t partition_ = 0;
  std::vector<UniqueFd> files_;
  std::vector<std::vector<char>> buffers_;
  BlockReader blocks_;
  CursorMerge merge_;
};

// New runs are written to `<prefix><number>`; the files of merged runs are removed.
Status merge_to_fan_in(std::vector<Run>& runs, std::uint32_t partitions, std::size_t fan_in,
                       const std::string& prefix, MapOutputCodec codec = MapOutputCodec::kNone,
                       std::uint32_t key_fields = 1);

}  // namespace weir::tasktracker
