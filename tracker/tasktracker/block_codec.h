// Blocks of compressed lines, the parts of a spill or map output that is kept compressed. A block
// is eight bytes of header (raw size, then stored size and codec; little-endian) and its contents:
// at most 128 KiB of lines, cut anywhere, compressed for itself, or as they are where that is not
// shorter. So whatever bytes claim to be a block, unpacking them takes no more than a block of
// memory and either gives exactly the raw size or fails. One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "jobqueue/model/map_output_codec.h"
#include "jobqueue/model/result.h"
#include "tracker/tasktracker/raw_buffer.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace weir::tasktracker {

inline constexpr std::size_t kBlockBytes = 128 * 1024;
inline constexpr std::size_t kBlockHeaderBytes = 8;

struct BlockHeader {
  MapOutputCodec codec = MapOutputCodec::kNone;
  std::uint32_t raw = 0, stored = 0;  // bytes; stored <= raw
};

// Of kBlockHeaderBytes bytes, which `left` bytes follow.
Result<BlockHeader> parse_block_header(std::string_view bytes, std::int64_t left);

class BlockPacker {
 public:
  explicit BlockPacker(MapOutputCodec codec);
  ~BlockPacker();
  BlockPacker(const BlockPacker&) = delete;
  BlockPacker& operator=(const BlockPacker&) = delete;

  // Of 1 to kBlockBytes bytes the block, valid until the next call.
  std::string_view pack(std::string_view raw);

 private:
  std::size_t compress(std::string_view raw);  // 0: not shorter

  MapOutputCodec codec_;
  ZSTD_CCtx_s* zstd_ = nullptr;
  RawBuffer block_;
};

class BlockUnpacker {
 public:
  BlockUnpacker() = default;
  ~BlockUnpacker();
  BlockUnpacker(const BlockUnpacker&) = delete;
  BlockUnpacker& operator=(const BlockUnpacker&) = delete;

  // `into` has room for header.raw bytes.
  Status unpack(const BlockHeader& header, std::string_view stored, char* into);

 private:
  ZSTD_DCtx_s* zstd_ = nullptr;
};

}  // namespace weir::tasktracker
