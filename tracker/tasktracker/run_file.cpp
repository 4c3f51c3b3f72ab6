#include "tracker/tasktracker/run_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>

namespace weir::tasktracker {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::size_t kEntryBytes = 32;

}  // namespace

std::uint32_t crc_of(std::uint32_t so_far, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

RunWriter::RunWriter(std::string path, UniqueFd fd, std::uint32_t partitions, bool checksums)
    : path_(std::move(path)),
      fd_(std::move(fd)),
      checksums_(checksums),
      buffer_(kBufferBytes),
      segments_(partitions) {}

Result<RunWriter> RunWriter::create(const std::string& path, std::uint32_t partitions,
                                    bool checksums) {
  auto fd = open_untrusted(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!fd) return fd.error();
  return RunWriter(path, std::move(*fd), partitions, checksums);
}

Status RunWriter::append(std::uint32_t partition, std::string_view line) {
  if (partition != partition_) {
    close_segment();
    for (std::uint32_t p = partition_ + 1; p <= partition; ++p) {
      segments_[p].offset = written_ + static_cast<std::int64_t>(filled_);
    }
    partition_ = partition;
  }
  Segment& segment = segments_[partition];
  segment.bytes += static_cast<std::int64_t>(line.size());
  ++segment.lines;
  if (line.size() > buffer_.size() - filled_) {
    if (auto flushed = flush(); !flushed) return flushed;
    if (line.size() > buffer_.size()) {
      if (checksums_) segment.crc = crc_of(static_cast<std::uint32_t>(segment.crc), line);
      written_ += static_cast<std::int64_t>(line.size());
      return write_all(fd_.get(), line, path_);
    }
  }
  std::memcpy(buffer_.data() + filled_, line.data(), line.size());
  filled_ += line.size();
  return Ok{};
}

void RunWriter::close_segment() {
  if (checksums_) {
    Segment& segment = segments_[partition_];
    segment.crc = crc_of(static_cast<std::uint32_t>(segment.crc),
                         {buffer_.data() + checked_, filled_ - checked_});
  }
  checked_ = filled_;
}

Status RunWriter::flush() {
  close_segment();
  auto written = write_all(fd_.get(), {buffer_.data(), filled_}, path_);
  written_ += static_cast<std::int64_t>(filled_);
  filled_ = checked_ = 0;
  return written;
}

Result<Run> RunWriter::finish() {
  if (auto flushed = flush(); !flushed) return flushed.error();
  for (std::size_t p = partition_ + 1; p < segments_.size(); ++p) segments_[p].offset = written_;
  fd_.reset();
  return Run{std::move(path_), std::move(segments_)};
}

Result<Run> write_run(LineStream& lines, const std::string& path, std::uint32_t partitions,
                      bool checksums) {
  auto writer = RunWriter::create(path, partitions, checksums);
  if (!writer) return writer.error();
  while (const Line* line = lines.next()) {
    if (auto added = writer->append(lines.partition(), line->bytes()); !added) return added.error();
  }
  if (auto status = lines.status(); !status) return status.error();
  return writer->finish();
}

Status write_index(const Run& run, const std::string& path) {
  std::string bytes;
  bytes.reserve(run.segments.size() * kEntryBytes);
  for (const Segment& segment : run.segments) {
    for (const std::uint64_t number :
         {static_cast<std::uint64_t>(segment.offset), static_cast<std::uint64_t>(segment.bytes),
          segment.crc, static_cast<std::uint64_t>(segment.lines)}) {
      for (int shift = 0; shift < 64; shift += 8)
        bytes.push_back(static_cast<char>(number >> shift));
    }
  }
  return write_whole_file(path, bytes);
}

Result<Segment> read_index_entry(const std::string& path, std::uint32_t partition) {
  auto fd = open_untrusted(path, O_RDONLY);
  if (!fd) return fd.error();
  char bytes[kEntryBytes];
  if (auto read = read_exactly_at(fd->get(), bytes, std::int64_t{partition} * kEntryBytes, path);
      !read)
    return read.error();
  std::uint64_t numbers[4] = {};
  for (std::size_t i = 0; i < kEntryBytes; ++i) {
    numbers[i / 8] |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (i % 8 * 8);
  }
  // The file lies where a user's command may have been.
  if (numbers[0] > INT64_MAX || numbers[1] > INT64_MAX || numbers[2] > UINT32_MAX ||
      numbers[3] > INT64_MAX) {
    return data_error(path + ": damaged: partition " + std::to_string(partition) +
                      " has a number out of range");
  }
  return Segment{static_cast<std::int64_t>(numbers[0]), static_cast<std::int64_t>(numbers[1]),
                 numbers[2], static_cast<std::int64_t>(numbers[3])};
}

}  // namespace weir::tasktracker
