#include "tracker/tasktracker/merge.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace weir::tasktracker {

void CursorHeap::clear() {
  cursors_.clear();
  heap_.clear();
  top_is_used_ = false;
}

void CursorHeap::add(LineCursor cursor) {
  cursors_.push_back(std::move(cursor));
}

void CursorHeap::start() {
  for (std::uint32_t i = 0; i < cursors_.size(); ++i) {
    if (cursors_[i].advance()) {
      heap_.push_back(i);
    } else if (!cursors_[i].status().ok()) {
      status_ = cursors_[i].status();
    }
  }
  for (std::size_t place = heap_.size() / 2; place-- > 0;) sift_down(place);
}

void CursorHeap::sift_down(std::size_t place) {
  const std::uint32_t moving = heap_[place];
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], moving)) break;
    heap_[place] = heap_[child];
    place = child;
  }
  heap_[place] = moving;
}

const Line* CursorHeap::next() {
  if (!status_.ok() || heap_.empty()) return nullptr;
  if (top_is_used_) {
    LineCursor& top = cursors_[heap_[0]];
    if (!top.advance()) {
      if (!top.status().ok()) {
        status_ = top.status();
        return nullptr;
      }
      heap_[0] = heap_.back();
      heap_.pop_back();
      if (heap_.empty()) return nullptr;
    }
    sift_down(0);
  }
  top_is_used_ = true;
  return &cursors_[heap_[0]].line();
}

Result<std::unique_ptr<RunMerge>> RunMerge::open(const std::vector<Run>& runs,
                                                 std::uint32_t partitions) {
  std::unique_ptr<RunMerge> merge(new RunMerge(runs, partitions));
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
  heap_.clear();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Segment& segment = runs_[i].segments[partition_];
    if (segment.bytes == 0) continue;
    heap_.add(LineCursor(files_[i].get(), &runs_[i].path, segment.offset, segment.bytes,
                         &buffers_[i], kMergeBufferBytes));
  }
  heap_.start();
}

const Line* RunMerge::next() {
  for (;;) {
    if (const Line* line = heap_.next()) return line;
    if (!heap_.status().ok() || partition_ + 1 >= partitions_) return nullptr;
    ++partition_;
    start_partition();
  }
}

Status merge_to_fan_in(std::vector<Run>& runs, std::uint32_t partitions, std::size_t fan_in,
                       const std::string& prefix) {
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
      auto lines = RunMerge::open(group, partitions);
      if (!lines) return lines.error();
      auto run = write_run(**lines, prefix + std::to_string(number++), partitions, false);
      if (!run) return run.error();
      for (const Run& old : group) ::unlink(old.path.c_str());
      merged.push_back(std::move(*run));
    }
    runs = std::move(merged);
  }
  return Ok{};
}

}  // namespace weir::tasktracker
