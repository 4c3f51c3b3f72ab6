// A run: one file of sorted lines, partition after partition, and where each partition lies in it.
// A partition is its lines as they are, or the blocks of a codec (block_codec.h). The output of a
// map is a run with an index file beside it (`file.out`, `file.idx`): per partition six
// little-endian 64-bit numbers (offset, bytes, their CRC-32, lines, bytes of these, 1 for blocks),
// so that the shuffle server answers with one small read. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/map_output_codec.h"
#include "jobqueue/model/result.h"
#include "tracker/tasktracker/block_codec.h"
#include "tracker/tasktracker/line_stream.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

struct Segment {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;  // as stored
  std::uint64_t crc = 0;   // of these
  std::int64_t lines = 0;
  std::int64_t raw_bytes = 0;  // of the lines
  bool in_blocks = false;
};
inline constexpr std::size_t kIndexEntryBytes = 48;

struct Run {
  std::string path;
  std::vector<Segment> segments;  // one a partition
};

class RunWriter {
 public:
  // Creates `path`; an existing file is an error of the caller and refused.
  static Result<RunWriter> create(const std::string& path, std::uint32_t partitions, bool checksums,
                                  MapOutputCodec codec = MapOutputCodec::kNone);

  Status append(std::uint32_t partition, std::string_view line);
  Result<Run> finish();

 private:
  RunWriter(std::string path, UniqueFd fd, std::uint32_t partitions, bool checksums,
            MapOutputCodec codec);
  Status begin_partition(std::uint32_t partition);
  Status put(std::string_view bytes);
  Status put_block();
  Status flush();
  void close_segment();

  std::string path_;
  UniqueFd fd_;
  bool checksums_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;
  std::size_t checked_ = 0;  // bytes of the buffer that are in the checksum
  std::int64_t written_ = 0;
  std::uint32_t partition_ = 0;
  std::vector<Segment> segments_;
  std::unique_ptr<BlockPacker> packer_;  // null: lines as they are
  RawBuffer block_;                      // of which so much is filled:
  std::size_t in_block_ = 0;
};

// Writes all of a stream as a run.
Result<Run> write_run(LineStream& lines, const std::string& path, std::uint32_t partitions,
                      bool checksums, MapOutputCodec codec = MapOutputCodec::kNone);

Status write_index(const Run& run, const std::string& path);
Result<Segment> read_index_entry(const std::string& path, std::uint32_t partition);

std::uint32_t crc_of(std::uint32_t so_far, std::string_view bytes);

}  // namespace weir::tasktracker
