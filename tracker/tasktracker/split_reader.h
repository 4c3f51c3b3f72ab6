// Reads one split of an input file as a stream of bytes. Lines are never cut: with S(x) the first
// line start at or after byte x, a split (offset, length) is the bytes [S(offset), S(offset +
// length)), so the splits of a file laid side by side give the file, however it was cut. A
// compressed file (its name ends in .gz, .zst or .bz2; packed_reader.h) is always read whole. A
// file that ends before its split does, or that becomes shorter while it is read, is an error.
// Blocking reads; one reader belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "jobqueue/model/result.h"

namespace weir::tasktracker {

class SplitReader {
 public:
  virtual ~SplitReader() = default;
  // Fills a part of `into`; 0 bytes = the split is over.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  // How far the reader is, in bytes of the file as stored.
  virtual std::int64_t stored_bytes_read() const = 0;
  virtual std::int64_t stored_bytes_total() const = 0;
};

Result<std::unique_ptr<SplitReader>> open_split(const std::string& path, std::int64_t offset,
                                                std::int64_t length);

// Became shorter while it was read: at `position` there is nothing any more.
Error shrunk_file(const std::string& path, int fd, std::int64_t position, std::int64_t at_first);

}  // namespace weir::tasktracker
