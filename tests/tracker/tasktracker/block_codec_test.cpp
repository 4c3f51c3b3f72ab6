#include "tracker/tasktracker/block_codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

namespace weir::tasktracker {
namespace {

constexpr MapOutputCodec kCodecs[] = {MapOutputCodec::kNone, MapOutputCodec::kLz4,
                                      MapOutputCodec::kZstd};

// What the block unpacks to; the header is read as if the block were all there is.
Result<std::string> unpack(std::string_view block) {
  if (block.size() < kBlockHeaderBytes) return Error{.message = "no header"};
  const auto header =
      parse_block_header(block.substr(0, kBlockHeaderBytes),
                         static_cast<std::int64_t>(block.size() - kBlockHeaderBytes));
  if (!header) return header.error();
  // To the byte, so that a sanitizer sees what is written behind it.
  const auto raw = std::make_unique<char[]>(header->raw);
  BlockUnpacker unpacker;
  if (auto done =
          unpacker.unpack(*header, block.substr(kBlockHeaderBytes, header->stored), raw.get());
      !done)
    return done.error();
  return std::string(raw.get(), header->raw);
}

std::string text_of(std::size_t size, unsigned letters) {
  std::mt19937 random(letters);
  std::string text(size, 0);
  for (char& c : text) c = static_cast<char>('a' + random() % letters);
  return text;
}

TEST(BlockCodec, GivesBackWhatWasPacked) {
  for (const MapOutputCodec codec : kCodecs) {
    BlockPacker packer(codec);
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{100}, kBlockBytes}) {
      for (const unsigned letters : {1u, 3u, 200u}) {
        const std::string text = text_of(size, letters);
        const auto back = unpack(packer.pack(text));
        ASSERT_TRUE(back.ok()) << back.error().message;
        EXPECT_TRUE(*back == text);
      }
    }
  }
}

TEST(BlockCodec, IsNeverMuchLargerThanWhatIsInIt) {
  std::mt19937_64 random(2);
  std::string noise(kBlockBytes, 0);
  for (char& c : noise) c = static_cast<char>(random());
  for (const MapOutputCodec codec : kCodecs) {
    BlockPacker packer(codec);
    EXPECT_EQ(packer.pack(noise).size(), kBlockBytes + kBlockHeaderBytes);
    EXPECT_EQ(packer.pack(std::string(kBlockBytes, 'x')).size() < 1000,
              codec != MapOutputCodec::kNone);
  }
}

TEST(BlockCodec, AHeaderThatNoPackerWritesIsRefused) {
  const auto refused = [](std::uint32_t raw, std::uint32_t stored, unsigned codec,
                          std::int64_t left) {
    std::string bytes(kBlockHeaderBytes, 0);
    const std::uint32_t packed = stored | codec << 24;
    std::memcpy(bytes.data(), &raw, 4);
    std::memcpy(bytes.data() + 4, &packed, 4);
    return !parse_block_header(bytes, left).ok();
  };
  EXPECT_FALSE(refused(100, 100, 0, 100));
  EXPECT_FALSE(refused(kBlockBytes, 50, 1, 50));
  EXPECT_FALSE(refused(100, 50, 2, 1000));
  EXPECT_TRUE(refused(100, 100, 0, 99));  // not all of it there
  EXPECT_TRUE(refused(100, 50, 3, 1000));
  EXPECT_TRUE(refused(100, 99, 0, 1000));
  EXPECT_TRUE(refused(100, 100, 1, 1000));
  EXPECT_TRUE(refused(0, 0, 0, 1000));
  EXPECT_TRUE(refused(100, 0, 1, 1000));
  EXPECT_TRUE(refused(kBlockBytes + 1, 50, 1, 1000));
  EXPECT_TRUE(refused(UINT32_MAX, 0xffffff, 2, INT64_MAX));
}

TEST(BlockCodec, AnotherSizeThanTheHeaderSaysIsRefused) {
  for (const MapOutputCodec codec : {MapOutputCodec::kLz4, MapOutputCodec::kZstd}) {
    std::string block(BlockPacker(codec).pack(std::string(500, 'x')));
    ASSERT_TRUE(unpack(block).ok());
    for (const int more : {1, -1}) {
      std::string other = block;
      other[0] = static_cast<char>(other[0] + more);
      EXPECT_FALSE(unpack(other).ok()) << more;
    }
  }
}

// Whatever has become of a block: it is told, or gives as many bytes as its header says.
TEST(BlockCodec, GarbageIsToldOrHasTheSizeItSays) {
  std::mt19937 random(4);
  for (const MapOutputCodec codec : kCodecs) {
    BlockPacker packer(codec);
    const std::string block(packer.pack(text_of(5'000, 3)));
    int told = 0;
    for (int round = 0; round < 2'000; ++round) {
      std::string damaged =
          block.substr(0, random() % 8 == 0 ? random() % block.size() : block.size());
      for (auto spoilt = random() % 4; spoilt > 0 && !damaged.empty(); --spoilt)
        damaged[random() % damaged.size()] = static_cast<char>(random());
      const auto back = unpack(damaged);
      told += !back.ok();
      if (back.ok()) {
        EXPECT_LE(back->size(), kBlockBytes);
      }
    }
    EXPECT_GT(told, 100);
  }
}

}  // namespace
}  // namespace weir::tasktracker
