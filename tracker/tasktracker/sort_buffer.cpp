#include "tracker/tasktracker/sort_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "jobqueue/model/check.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kSmallestBuffer = 64 * 1024;
constexpr std::size_t kLargestBuffer = 0x7fff0000;  // offsets are 32 bits
constexpr std::size_t kLargePage = 2u << 20, kLargePagesFrom = 4u << 20;
constexpr std::size_t kLinesAhead = 16, kBytesAhead = 256, kCacheLine = 64;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

SortBuffer::SortBuffer(std::uint32_t partitions, std::size_t capacity_bytes,
                       std::size_t max_line_bytes, const MapOutputKeys& keys)
    : partitions_(std::max(partitions, 1u)),
      base_capacity_(whole_pages(std::clamp(capacity_bytes, kSmallestBuffer, kLargestBuffer))),
      max_line_bytes_(std::min(max_line_bytes, kLargestBuffer - kPage)),
      partition_counts_(partitions_),
      keys_(keys) {
  map_memory(base_capacity_);
}

SortBuffer::~SortBuffer() {
  release();
}

void SortBuffer::map_memory(std::size_t bytes) {
  // A mapping moves only as a whole, and a part that asks for large pages is one of its own.
  if (asked_for_large_pages_) (void)::madvise(memory_, capacity_, MADV_HUGEPAGE);
  void* memory =
      memory_ ? ::mremap(memory_, capacity_, bytes, MREMAP_MAYMOVE)
              : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  capacity_ = bytes;
}

void SortBuffer::release() {
  if (memory_) ::munmap(memory_, capacity_);
  memory_ = nullptr;
  capacity_ = used_ = recorded_ = scanned_ = count_ = 0;
}

Result<std::span<char>> SortBuffer::space() {
  if (full_) return std::span<char>();
  if (used_ > recorded_ && used_ - recorded_ > max_line_bytes_) {
    return data_error("a line is longer than " + std::to_string(max_line_bytes_ >> 20) +
                      " MB (conf weir.max.line.mb raises the limit)");
  }
  if (gap() <= sizeof(Record)) {
    // Nothing but one unfinished line: it alone may make the buffer larger than asked for.
    WEIR_CHECK(count_ == 0, "a buffer with lines is full before it is out of room");
    map_memory(whole_pages(std::min(capacity_ * 2, max_line_bytes_ + 2 * kSmallestBuffer)));
  }
  return std::span<char>(memory_ + used_, gap() - sizeof(Record));
}

// Sorted lines are read from all over the buffer, and with small pages most of that time is address
// translation. What is only a little filled keeps small pages, of which few are made.
void SortBuffer::ask_for_large_pages() {
  asked_for_large_pages_ = true;
  const std::size_t from = (used_ + kLargePage - 1) / kLargePage * kLargePage;
  if (from < capacity_) (void)::madvise(memory_ + from, capacity_ - from, MADV_HUGEPAGE);
}

void SortBuffer::commit(std::size_t bytes) {
  used_ += bytes;
  if (!asked_for_large_pages_ && used_ >= kLargePagesFrom) ask_for_large_pages();
  record_lines();
}

void SortBuffer::record_lines() {
  scanned_ = std::max(scanned_, recorded_);
  Record* next = records_begin();
  while (scanned_ < used_) {
    const auto* newline =
        static_cast<const char*>(std::memchr(memory_ + scanned_, '\n', used_ - scanned_));
    if (!newline) {
      scanned_ = used_;
      break;
    }
    if (gap() < sizeof(Record)) {
      full_ = true;
      return;
    }
    const std::size_t end = static_cast<std::size_t>(newline - memory_) + 1;
    const Line line = key_ended(memory_ + recorded_, end - recorded_);
    const std::uint32_t partition = partition_of(keys_.part(line.key()), partitions_);
    *--next = {line.prefix, static_cast<std::uint32_t>(recorded_), line.key_length, line.length,
               partition};
    ++partition_counts_[partition];
    ++count_;
    recorded_ = scanned_ = end;
  }
  // No use in reading a few bytes at a time at the end; an unfinished line alone goes on growing
  // instead.
  full_ = count_ > 0 && gap() < kPage;
}

// A separator that is no TAB becomes one: from here on the line is `key TAB value`.
Line SortBuffer::key_ended(char* data, std::size_t length) {
  if (keys_.separator == '\t') return make_line(data, length, keys_.fields);
  const std::string_view text(data, length - 1);
  const std::size_t key = length_of_fields(text, keys_.separator, keys_.fields);
  if (text.substr(0, key).find('\t') != std::string_view::npos && status_.ok()) {
    status_ = data_error(
        "a key has a TAB in it, which ends keys between tasks: "
        "stream.map.output.field.separator is '" + std::string(1, keys_.separator) + "'");
  }
  if (key < text.size()) data[key] = '\t';
  return line_of(data, length, key);
}

Status SortBuffer::end_last_line() {
  if (used_ == recorded_) return Ok{};
  auto room = space();
  if (!room) return room.error();
  WEIR_CHECK(!room->empty(), "end_last_line needs room");
  (*room)[0] = '\n';
  commit(1);
  return status_;
}

// American flag: every record is put into its partition's range by following cycles of exchanges.
void SortBuffer::group_by_partition(Record* records) {
  std::vector<std::size_t> place(partitions_), end(partitions_);
  std::size_t sum = 0;
  for (std::uint32_t p = 0; p < partitions_; ++p) {
    place[p] = sum;
    sum += partition_counts_[p];
    end[p] = sum;
  }
  for (std::uint32_t p = 0; p < partitions_; ++p) {
    while (place[p] < end[p]) {
      Record moving = records[place[p]];
      while (moving.partition != p) std::swap(moving, records[place[moving.partition]++]);
      records[place[p]++] = moving;
    }
  }
}

void SortBuffer::sort() {
  Record* records = records_begin();
  if (partitions_ > 1) group_by_partition(records);
  for (const std::uint32_t size : partition_counts_) {
    sort_records({records, size}, memory_);
    records += size;
  }
}

void SortBuffer::start_over() {
  const std::size_t kept = used_ - recorded_;
  std::memmove(memory_, memory_ + recorded_, kept);
  scanned_ -= recorded_;
  used_ = kept;
  recorded_ = count_ = 0;
  full_ = false;
  std::fill(partition_counts_.begin(), partition_counts_.end(), 0);
  if (capacity_ > base_capacity_ && kept < base_capacity_ / 2) map_memory(base_capacity_);
  record_lines();
}

const Line* SortBuffer::Stream::next() {
  if (index_ == buffer_.count_) return nullptr;
  const Record* records = buffer_.records_begin();
  // Sorted lines lie all over the memory: those soon to come are fetched meanwhile.
  if (index_ + kLinesAhead < buffer_.count_) {
    const Record& ahead = records[index_ + kLinesAhead];
    const char* const line = buffer_.memory_ + ahead.offset;
    for (std::size_t at = 0; at < std::min<std::size_t>(ahead.length, kBytesAhead);
         at += kCacheLine)
      __builtin_prefetch(line + at);
  }
  const Record& record = records[index_++];
  partition_ = record.partition;
  line_ = {buffer_.memory_ + record.offset, record.length, record.key_length, record.prefix};
  return &line_;
}

}  // namespace weir::tasktracker
