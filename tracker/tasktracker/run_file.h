// A run: one file of sorted lines, partition after partition, and where each partition lies in it.
// The output of a map is a run with an index file beside it (`file.out`, `file.idx`): per partition
// four little-endian 64-bit numbers (offset, bytes, CRC-32, lines), so that the shuffle server
// answers with one small read. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/result.h"
#include "tracker/tasktracker/line_stream.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

struct Segment {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::uint64_t crc = 0;
  std::int64_t lines = 0;
};

struct Run {
  std::string path;
  std::vector<Segment> segments;  // one a partition
};

class RunWriter {
 public:
  // Creates `path`; an existing file is an error of the caller and refused.
  static Result<RunWriter> create(const std::string& path, std::uint32_t partitions,
                                  bool checksums);

  Status append(std::uint32_t partition, std::string_view line);
  Result<Run> finish();

 private:
  RunWriter(std::string path, UniqueFd fd, std::uint32_t partitions, bool checksums);
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
};

// Writes all of a stream as a run.
Result<Run> write_run(LineStream& lines, const std::string& path, std::uint32_t partitions,
                      bool checksums);

Status write_index(const Run& run, const std::string& path);
Result<Segment> read_index_entry(const std::string& path, std::uint32_t partition);

std::uint32_t crc_of(std::uint32_t so_far, std::string_view bytes);

}  // namespace weir::tasktracker
