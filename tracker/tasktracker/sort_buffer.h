// The memory of the map-side sort: one mapping, lines growing from its front, 24-byte records
// growing down from its back; full when they meet. Bytes are read straight into it and never copied
// before they are written out sorted, but for a separator that becomes a TAB. Only a line larger
// than the whole buffer makes it grow, up to the limit for a line; it shrinks back after the spill.
// Order: partition, then key bytes, then position. Bytes after the last recorded line (an
// unfinished line, or what came after the buffer was full) stay for the next round. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tracker/tasktracker/line_stream.h"
#include "tracker/tasktracker/record_sort.h"

namespace weir::tasktracker {

class SortBuffer {
 public:
  SortBuffer(std::uint32_t partitions, std::size_t capacity_bytes, std::size_t max_line_bytes,
             const MapOutputKeys& keys = {});
  ~SortBuffer();
  SortBuffer(const SortBuffer&) = delete;
  SortBuffer& operator=(const SortBuffer&) = delete;

  // Room to read into; grows for an oversized line. Empty only when full(); an error when a line is
  // over the limit.
  Result<std::span<char>> space();
  // `bytes` were written to the front of space(): records the lines that are complete.
  void commit(std::size_t bytes);
  bool full() const { return full_; }
  const Status& status() const { return status_; }  // not ok: a line cannot be told apart
  // The input is over: gives an unfinished last line its newline. Needs !full().
  Status end_last_line();

  std::size_t lines() const { return count_; }
  bool empty() const { return count_ == 0 && used_ == 0; }
  void sort();
  // Forgets the recorded lines, keeps what follows them, and records as much of that as fits.
  void start_over();
  void release();  // gives all memory back; the buffer is not used again

  // The sorted lines.
  class Stream : public LineStream {
   public:
    explicit Stream(const SortBuffer& buffer) : buffer_(buffer) {}
    const Line* next() override;
    std::uint32_t partition() const override { return partition_; }

   private:
    const SortBuffer& buffer_;
    std::size_t index_ = 0;
    std::uint32_t partition_ = 0;
    Line line_;
  };

 private:
  using Record = SortRecord;

  Record* records_begin() const { return reinterpret_cast<Record*>(memory_ + capacity_) - count_; }
  std::size_t gap() const { return capacity_ - used_ - count_ * sizeof(Record); }
  void ask_for_large_pages();
  void record_lines();
  Line key_ended(char* data, std::size_t length);
  void group_by_partition(Record* records);
  void map_memory(std::size_t bytes);

  std::uint32_t partitions_;
  std::size_t base_capacity_, max_line_bytes_;
  char* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;      // bytes of lines, with the unfinished one
  std::size_t recorded_ = 0;  // bytes of lines that have a record
  std::size_t scanned_ = 0;   // no newline before this, from recorded_ on
  std::size_t count_ = 0;
  bool full_ = false, asked_for_large_pages_ = false;
  Status status_ = Ok{};
  std::vector<std::uint32_t> partition_counts_;
  MapOutputKeys keys_;
};

}  // namespace weir::tasktracker
