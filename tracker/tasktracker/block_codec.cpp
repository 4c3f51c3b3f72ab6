#include "tracker/tasktracker/block_codec.h"

#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <new>
#include <string>

#include "jobqueue/model/check.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

constexpr int kZstdLevel = 1;
constexpr std::uint32_t kStoredBits = 24;  // above them the codec

std::uint32_t number_at(const char* bytes) {
  std::uint32_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}
void put_number(char* bytes, std::uint32_t number) {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(number >> (8 * i));
}

}  // namespace

Result<BlockHeader> parse_block_header(std::string_view bytes, std::int64_t left) {
  WEIR_CHECK(bytes.size() == kBlockHeaderBytes, "a whole header");
  BlockHeader header;
  header.raw = number_at(bytes.data());
  const std::uint32_t packed = number_at(bytes.data() + 4);
  header.stored = packed & ((1u << kStoredBits) - 1);
  const std::uint32_t codec = packed >> kStoredBits;
  header.codec = static_cast<MapOutputCodec>(codec);
  const bool sane = codec < std::size(kMapOutputCodecNames) && header.raw <= kBlockBytes &&
                    header.stored > 0 &&
                    (codec == 0 ? header.stored == header.raw : header.stored < header.raw);
  if (!sane) return data_error("damaged: what should be a block is none");
  if (header.stored > left) return data_error("damaged: it ends within a block");
  return header;
}

BlockPacker::BlockPacker(MapOutputCodec codec)
    : codec_(codec), block_(kBlockHeaderBytes + kBlockBytes) {
  if (codec_ != MapOutputCodec::kZstd) return;
  zstd_ = ZSTD_createCCtx();
  if (!zstd_) throw std::bad_alloc();
}

BlockPacker::~BlockPacker() {
  ZSTD_freeCCtx(zstd_);
}

std::size_t BlockPacker::compress(std::string_view raw) {
  char* const into = block_.data() + kBlockHeaderBytes;
  const std::size_t most = raw.size() - 1;
  if (codec_ == MapOutputCodec::kLz4) {
    const int n = LZ4_compress_default(raw.data(), into, static_cast<int>(raw.size()),
                                       static_cast<int>(most));
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  if (codec_ == MapOutputCodec::kZstd) {
    const std::size_t n = ZSTD_compressCCtx(zstd_, into, most, raw.data(), raw.size(), kZstdLevel);
    return ZSTD_isError(n) ? 0 : n;
  }
  return 0;
}

std::string_view BlockPacker::pack(std::string_view raw) {
  WEIR_CHECK(!raw.empty() && raw.size() <= kBlockBytes, "a block");
  MapOutputCodec codec = codec_;
  std::size_t stored = compress(raw);
  if (stored == 0) {
    codec = MapOutputCodec::kNone;
    stored = raw.size();
    std::memcpy(block_.data() + kBlockHeaderBytes, raw.data(), stored);
  }
  put_number(block_.data(), static_cast<std::uint32_t>(raw.size()));
  put_number(block_.data() + 4,
             static_cast<std::uint32_t>(stored) | static_cast<std::uint32_t>(codec) << kStoredBits);
  return {block_.data(), kBlockHeaderBytes + stored};
}

BlockUnpacker::~BlockUnpacker() {
  ZSTD_freeDCtx(zstd_);
}

Status BlockUnpacker::unpack(const BlockHeader& header, std::string_view stored, char* into) {
  bool whole = false;
  switch (header.codec) {
    case MapOutputCodec::kNone:
      std::memcpy(into, stored.data(), stored.size());
      whole = stored.size() == header.raw;
      break;
    case MapOutputCodec::kLz4:
      whole = LZ4_decompress_safe(stored.data(), into, static_cast<int>(stored.size()),
                                  static_cast<int>(header.raw)) == static_cast<int>(header.raw);
      break;
    case MapOutputCodec::kZstd:
      if (!zstd_) zstd_ = ZSTD_createDCtx();
      if (!zstd_) throw std::bad_alloc();
      whole =
          ZSTD_decompressDCtx(zstd_, into, header.raw, stored.data(), stored.size()) == header.raw;
      break;
  }
  if (whole) return Ok{};
  return data_error("damaged: a block does not unpack by " +
                    std::string(kMapOutputCodecNames[static_cast<std::size_t>(header.codec)]));
}

}  // namespace weir::tasktracker
