#include "tracker/tasktracker/run_file.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace weir::tasktracker {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::size_t kNumbers = 6;  // of an index entry
static_assert(kIndexEntryBytes == kNumbers * 8);

}  // namespace

std::uint32_t crc_of(std::uint32_t so_far, std::string_view bytes) {
  return libdeflate_crc32(so_far, bytes.data(), bytes.size());
}

RunWriter::RunWriter(std::string path, UniqueFd fd, std::uint32_t partitions, bool checksums,
                     MapOutputCodec codec)
    : path_(std::move(path)),
      fd_(std::move(fd)),
      checksums_(checksums),
      buffer_(kBufferBytes),
      segments_(partitions) {
  if (codec == MapOutputCodec::kNone) return;
  packer_ = std::make_unique<BlockPacker>(codec);
  block_ = RawBuffer(kBlockBytes);
  for (Segment& segment : segments_) segment.in_blocks = true;
}

Result<RunWriter> RunWriter::create(const std::string& path, std::uint32_t partitions,
                                    bool checksums, MapOutputCodec codec) {
  auto fd = open_untrusted(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!fd) return fd.error();
  return RunWriter(path, std::move(*fd), partitions, checksums, codec);
}

Status RunWriter::begin_partition(std::uint32_t partition) {
  if (auto ended = put_block(); !ended) return ended;
  close_segment();
  for (std::uint32_t p = partition_ + 1; p <= partition; ++p) {
    segments_[p].offset = written_ + static_cast<std::int64_t>(filled_);
  }
  partition_ = partition;
  return Ok{};
}

Status RunWriter::append(std::uint32_t partition, std::string_view line) {
  if (partition != partition_) {
    if (auto began = begin_partition(partition); !began) return began;
  }
  Segment& segment = segments_[partition];
  segment.raw_bytes += static_cast<std::int64_t>(line.size());
  ++segment.lines;
  if (!packer_) return put(line);
  while (!line.empty()) {
    const std::size_t part = std::min(line.size(), kBlockBytes - in_block_);
    std::memcpy(block_.data() + in_block_, line.data(), part);
    line.remove_prefix(part);
    in_block_ += part;
    if (in_block_ < kBlockBytes) break;
    if (auto ended = put_block(); !ended) return ended;
  }
  return Ok{};
}

Status RunWriter::put_block() {
  if (in_block_ == 0) return Ok{};
  const std::string_view block = packer_->pack({block_.data(), in_block_});
  in_block_ = 0;
  return put(block);
}

Status RunWriter::put(std::string_view bytes) {
  Segment& segment = segments_[partition_];
  segment.bytes += static_cast<std::int64_t>(bytes.size());
  if (bytes.size() > buffer_.size() - filled_) {
    if (auto flushed = flush(); !flushed) return flushed;
    if (bytes.size() > buffer_.size()) {
      if (checksums_) segment.crc = crc_of(static_cast<std::uint32_t>(segment.crc), bytes);
      written_ += static_cast<std::int64_t>(bytes.size());
      return write_all(fd_.get(), bytes, path_);
    }
  }
  std::memcpy(buffer_.data() + filled_, bytes.data(), bytes.size());
  filled_ += bytes.size();
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
  if (auto ended = put_block(); !ended) return ended.error();
  if (auto flushed = flush(); !flushed) return flushed.error();
  for (std::size_t p = partition_ + 1; p < segments_.size(); ++p) segments_[p].offset = written_;
  fd_.reset();
  return Run{std::move(path_), std::move(segments_)};
}

Result<Run> write_run(LineStream& lines, const std::string& path, std::uint32_t partitions,
                      bool checksums, MapOutputCodec codec) {
  auto writer = RunWriter::create(path, partitions, checksums, codec);
  if (!writer) return writer.error();
  while (const Line* line = lines.next()) {
    if (auto added = writer->append(lines.partition(), line->bytes()); !added) return added.error();
  }
  if (auto status = lines.status(); !status) return status.error();
  return writer->finish();
}

Status write_index(const Run& run, const std::string& path) {
  std::string bytes;
  bytes.reserve(run.segments.size() * kIndexEntryBytes);
  for (const Segment& segment : run.segments) {
    for (const std::uint64_t number :
         {static_cast<std::uint64_t>(segment.offset), static_cast<std::uint64_t>(segment.bytes),
          segment.crc, static_cast<std::uint64_t>(segment.lines),
          static_cast<std::uint64_t>(segment.raw_bytes), std::uint64_t{segment.in_blocks}}) {
      for (int shift = 0; shift < 64; shift += 8)
        bytes.push_back(static_cast<char>(number >> shift));
    }
  }
  return write_whole_file(path, bytes);
}

Result<Segment> read_index_entry(const std::string& path, std::uint32_t partition) {
  auto fd = open_untrusted(path, O_RDONLY);
  if (!fd) return fd.error();
  char bytes[kIndexEntryBytes];
  if (auto read =
          read_exactly_at(fd->get(), bytes, std::int64_t{partition} * kIndexEntryBytes, path);
      !read)
    return read.error();
  std::uint64_t numbers[kNumbers] = {};
  for (std::size_t i = 0; i < kIndexEntryBytes; ++i) {
    numbers[i / 8] |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (i % 8 * 8);
  }
  // The file lies where a user's command may have been.
  if (numbers[0] > INT64_MAX || numbers[1] > INT64_MAX || numbers[2] > UINT32_MAX ||
      numbers[3] > INT64_MAX || numbers[4] > INT64_MAX || numbers[5] > 1) {
    return data_error(path + ": damaged: partition " + std::to_string(partition) +
                      " has a number out of range");
  }
  return Segment{static_cast<std::int64_t>(numbers[0]),
                 static_cast<std::int64_t>(numbers[1]),
                 numbers[2],
                 static_cast<std::int64_t>(numbers[3]),
                 static_cast<std::int64_t>(numbers[4]),
                 numbers[5] == 1};
}

}  // namespace weir::tasktracker
