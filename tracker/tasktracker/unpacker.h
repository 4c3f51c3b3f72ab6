// Decompression of a stream that comes and goes in pieces: gzip, zstd or bzip2 behind one call. A
// file is a row of members (gzip's word; zstd says frame, bzip2 stream), each complete in itself,
// and what was compressed is their contents side by side. Memory is bounded by the format: 32 KB of
// window, 4 MB of block, and for zstd a window of 128 MB, beyond which the zstd program refuses a
// frame, too. One thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "jobqueue/model/result.h"

namespace weir::tasktracker {

class Unpacker {
 public:
  struct Step {
    std::size_t used = 0, made = 0;
    bool member_ended = false;
  };

  virtual ~Unpacker() = default;
  virtual std::string_view format() const = 0;
  // Takes of `in`, which may be empty, and writes to `out`. An Error says what is wrong with it;
  // kLimitReached: nothing, but it asks for more than it may have.
  virtual Result<Step> step(std::string_view in, std::span<char> out) = 0;
  // Before each member but the first.
  virtual Status start_again() = 0;
  // Whether zeros may follow the last member, as on tapes.
  virtual bool may_be_padded() const { return true; }
};

// By the end of the name; one of kPackedFiles.
Result<std::unique_ptr<Unpacker>> make_unpacker(const std::string& path);

}  // namespace weir::tasktracker
