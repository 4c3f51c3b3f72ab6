// Reads the blocks of a piece of a file, or of a connection, one after the other: the header, then
// the contents into memory that is used again for each, then unpacked to where the caller wants
// them. One reader serves all pieces of a merge in turn, so that their number costs no memory. One
// thread.
#pragma once

#include <span>
#include <string_view>

#include "tracker/tasktracker/block_codec.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

class BlockReader {
 public:
  BlockReader() : block_(kBlockHeaderBytes + kBlockBytes) {}

  // The next block, of which `read` fills a span with the next bytes; at most `left` bytes follow.
  template <class Read>
  Result<BlockHeader> next(std::int64_t left, Read&& read) {
    if (left < static_cast<std::int64_t>(kBlockHeaderBytes))
      return data_error("damaged: it ends within a block");
    const std::span<char> head(block_.data(), kBlockHeaderBytes);
    if (Status got = read(head); !got) return got.error();
    auto header = parse_block_header({head.data(), head.size()},
                                     left - static_cast<std::int64_t>(kBlockHeaderBytes));
    if (!header) return header;
    header_ = *header;
    if (Status got = read(std::span<char>(block_.data() + kBlockHeaderBytes, header_.stored)); !got)
      return got.error();
    return header_;
  }
  // The block that was read, as it is stored; and its contents, for which there is room.
  std::string_view stored() const { return {block_.data(), kBlockHeaderBytes + header_.stored}; }
  Status unpack(char* into) {
    return unpacker_.unpack(header_, stored().substr(kBlockHeaderBytes), into);
  }

 private:
  RawBuffer block_;
  BlockHeader header_;
  BlockUnpacker unpacker_;
};

}  // namespace weir::tasktracker
