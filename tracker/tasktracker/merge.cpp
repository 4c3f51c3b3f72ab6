#include "tracker/tasktracker/merge.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace weir::tasktracker {

void CursorMerge::clear() {
  cursors_.clear();
  over_.clear();
  losers_.clear();
  winner_is_used_ = false;
}

void CursorMerge::add(LineCursor cursor) {
  cursors_.push_back(std::move(cursor));
}

CursorMerge::Entry CursorMerge::entry_of(std::uint32_t piece) const {
  return {over_[piece] ? UINT64_MAX : cursors_[piece].line().prefix, piece};
}

bool CursorMerge::before_beyond_prefix(std::uint32_t a, std::uint32_t b) const {
  if (over_[a] || over_[b]) return !over_[a];
  const Line &x = cursors_[a].line(), &y = cursors_[b].line();
  const int order = compare_beyond_prefix(x.data, x.key_length, y.data, y.key_length);
  return order != 0 ? order < 0 : a < b;
}

bool CursorMerge::advance(std::uint32_t piece) {
  const bool more = cursors_[piece].advance();
  over_[piece] = !more;
  if (!more && !cursors_[piece].status().ok()) status_ = cursors_[piece].status();
  return more;
}

// The pieces are the leaves: piece i is node `pieces + i`, and the parent of a node is half of it.
CursorMerge::Entry CursorMerge::winner_below(std::size_t node) {
  const std::size_t pieces = cursors_.size();
  if (node >= pieces) return entry_of(static_cast<std::uint32_t>(node - pieces));
  Entry winner = winner_below(2 * node), loser = winner_below(2 * node + 1);
  if (before(loser, winner)) std::swap(winner, loser);
  losers_[node] = loser;
  return winner;
}

void CursorMerge::replay(Entry entry) {
  for (std::size_t node = (cursors_.size() + entry.piece) / 2; node > 0; node /= 2) {
    if (before(losers_[node], entry)) std::swap(losers_[node], entry);
  }
  winner_ = entry;
}

void CursorMerge::start() {
  over_.assign(cursors_.size(), 0);
  losers_.resize(cursors_.size());
  for (std::uint32_t piece = 0; piece < cursors_.size(); ++piece) advance(piece);
  if (!cursors_.empty()) winner_ = winner_below(1);
}

const Line* CursorMerge::next() {
  if (!status_.ok() || cursors_.empty()) return nullptr;
  const std::uint32_t piece = winner_.piece;
  if (winner_is_used_) {
    const Line& line = cursors_[piece].line();
    // A key of up to eight bytes is its prefix and length.
    const bool short_key = line.key_length <= 8;
    const std::uint32_t key_length = line.key_length;
    const bool more = advance(piece);
    if (!status_.ok()) return nullptr;
    const bool same =
        more && short_key && line.key_length == key_length && line.prefix == winner_.prefix;
    if (!same) replay(entry_of(piece));
  }
  winner_is_used_ = true;
  return over_[winner_.piece] ? nullptr : &cursors_[winner_.piece].line();
}

Result<std::unique_ptr<RunMerge>> RunMerge::open(const std::vector<Run>& runs,
                                                 std::uint32_t partitions,
                                                 std::uint32_t key_fields) {
  std::unique_ptr<RunMerge> merge(new RunMerge(runs, partitions, key_fields));
  merge->buffers_.resize(runs.size());
  for (const Run& run : runs) {
    auto fd = open_file(run.path, O_RDONLY);
    if (!fd) return fd.error();
    merge->files_.push_back(std::move(*fd));
  }
  merge->start_partition();
  return merge;
}

void RunMerge::start_partition() {
  merge_.clear();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Segment& segment = runs_[i].segments[partition_];
    if (segment.bytes == 0) continue;
    merge_.add(LineCursor(
        {files_[i].get(), &runs_[i].path, segment.offset, segment.bytes, segment.in_blocks},
        &buffers_[i], &blocks_, key_fields_));
  }
  merge_.start();
}

const Line* RunMerge::next() {
  for (;;) {
    if (const Line* line = merge_.next()) return line;
    if (!merge_.status().ok() || partition_ + 1 >= partitions_) return nullptr;
    ++partition_;
    start_partition();
  }
}

Status merge_to_fan_in(std::vector<Run>& runs, std::uint32_t partitions, std::size_t fan_in,
                       const std::string& prefix, MapOutputCodec codec,
                       std::uint32_t key_fields) {
  int number = 0;
  while (runs.size() > fan_in) {
    std::vector<Run> merged;
    for (std::size_t first = 0; first < runs.size(); first += fan_in) {
      const std::size_t last = std::min(runs.size(), first + fan_in);
      const std::vector<Run> group(runs.begin() + static_cast<std::ptrdiff_t>(first),
                                   runs.begin() + static_cast<std::ptrdiff_t>(last));
      if (group.size() == 1) {
        merged.push_back(group[0]);
        continue;
      }
      auto lines = RunMerge::open(group, partitions, key_fields);
      if (!lines) return lines.error();
      auto run = write_run(**lines, prefix + std::to_string(number++), partitions, false, codec);
      if (!run) return run.error();
      for (const Run& old : group) ::unlink(old.path.c_str());
      merged.push_back(std::move(*run));
    }
    runs = std::move(merged);
  }
  return Ok{};
}

}  // namespace weir::tasktracker
