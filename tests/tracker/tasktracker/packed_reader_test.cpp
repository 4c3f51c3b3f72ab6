#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>
#include <vector>

#include "tracker/tasktracker/packed.h"
#include "tracker/tasktracker/split_reader.h"
#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

struct Format {
  std::string end, name;
  std::function<std::string(const std::string&)> pack;
};

class PackedReader : public testing::TestWithParam<Format> {
 protected:
  static std::string pack(const std::string& text) { return GetParam().pack(text); }
  // A part of it is asked for: it is read whole all the same.
  std::string read(const std::string& bytes, std::size_t chunk = 4096) const {
    auto reader = open_split(dir_.write("f" + GetParam().end, bytes), 0,
                             std::min<std::int64_t>(5, static_cast<std::int64_t>(bytes.size())));
    if (!reader.ok()) return "ERROR " + reader.error().message;
    std::string text;
    std::vector<char> buffer(chunk);
    for (;;) {
      auto n = (*reader)->read(buffer);
      if (!n.ok()) return "ERROR " + n.error().message;
      if (*n == 0) return text;
      text.append(buffer.data(), *n);
    }
  }
  TempDir dir_;
};

std::string many_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST_P(PackedReader, GivesWhatWasPackedHoweverItIsRead) {
  const std::string big = many_lines(100'000);
  std::mt19937_64 random(3);
  std::string noise(700'000, 0);
  for (char& c : noise) c = static_cast<char>(random());
  for (const std::string& text : {big, noise, std::string("x"), std::string(1 << 22, 'x')}) {
    EXPECT_TRUE(read(pack(text)) == text);
    EXPECT_TRUE(read(pack(text), 1 << 20) == text);
  }
  EXPECT_EQ(read(pack(many_lines(50)), 1), many_lines(50));
}

TEST_P(PackedReader, MembersSideBySideAreOneFile) {
  EXPECT_EQ(read(pack("one\n") + pack("") + pack("two\n") + pack("thr") + pack("ee\n")),
            "one\ntwo\nthree\n");
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read(pack("")), "");
  std::string many, all;
  for (int i = 0; i < 3'000; ++i) {
    many += pack(std::to_string(i) + "\n");
    all += std::to_string(i) + "\n";
  }
  EXPECT_TRUE(read(many) == all);
}

TEST_P(PackedReader, AFileThatIsCutAnywhereIsAnErrorThatSaysSo) {
  const std::string text = many_lines(20'000);
  const std::string packed = pack("first\n") + pack(text);
  const std::size_t first = pack("first\n").size();
  for (std::size_t cut = 1; cut < packed.size(); cut += 1 + packed.size() / 97) {
    if (cut == first) continue;  // that is a whole file
    const std::string got = read(packed.substr(0, cut));
    ASSERT_EQ(got, "ERROR " + (dir_ / ("f" + GetParam().end)) + ": " + GetParam().name +
                       " data ends too early, at byte " + std::to_string(cut));
  }
}

TEST_P(PackedReader, WhatIsNotOfTheFormatIsAnErrorThatSaysSo) {
  const std::string start =
      "ERROR " + (dir_ / ("f" + GetParam().end)) + ": not valid " + GetParam().name + " near byte ";
  EXPECT_TRUE(read("this is plain text, and long enough to tell\n").starts_with(start));
  const std::string packed = pack(many_lines(20'000));
  std::mt19937 random(8);
  for (int round = 0; round < 100; ++round) {
    std::string damaged = packed;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
    // Checksums find what the format does not; a damaged head may ask for more than there is.
    const std::string got = read(damaged);
    EXPECT_TRUE(got == many_lines(20'000) || got.starts_with(start) ||
                got.find("data ends too early") != std::string::npos ||
                got.find("window is larger than") != std::string::npos)
        << got.substr(0, 100);
  }
}

// Whatever byte it is, it is not taken for the end of the file.
TEST_P(PackedReader, AMemberWhoseHeadIsDamagedIsAnErrorThatSaysSo) {
  const std::string first = pack("first\n"), second = pack(many_lines(20'000));
  for (const char head : {'\0', '\1', 'x'}) {
    const std::string got = read(first + head + second.substr(1));
    EXPECT_TRUE(got.starts_with("ERROR " + (dir_ / ("f" + GetParam().end)) + ": not valid " +
                                GetParam().name + " near byte "))
        << got.substr(0, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, PackedReader,
    testing::Values(Format{".gz", "gzip", gzip}, Format{".bz2", "bzip2", bzip2},
                    Format{".zst", "zstd", [](const auto& text) { return zstd(text); }}),
    [](const auto& info) { return info.param.name; });

// What gzip(1) and bzip2(1) leave alone behind the data; zstd(1) takes it for damage.
TEST(PackedFile, PaddingIsWhatTheProgramsTakeItFor) {
  const TempDir dir;
  const auto outcome = [&](const char* name, const std::string& packed) {
    auto reader = open_split(dir.write(name, packed + std::string(100, '\0')), 0, 1);
    char text[100];
    std::string all;
    for (;;) {
      const auto n = (*reader)->read(text);
      if (!n.ok()) return std::string("error");
      if (*n == 0) return all;
      all.append(text, *n);
    }
  };
  EXPECT_EQ(outcome("a.gz", gzip("one\n")), "one\n");
  EXPECT_EQ(outcome("a.bz2", bzip2("one\n")), "one\n");
  EXPECT_EQ(outcome("a.zst", zstd("one\n")), "error");
}

// At a member's end, where it would be a whole file.
TEST(PackedFile, OneThatBecomesShorterWhileItIsReadIsAnErrorThatSaysSo) {
  const TempDir dir;
  const std::string first = gzip("one\n"), both = first + gzip("two\n");
  const std::string path = dir.write("a.gz", both);
  auto reader = open_split(path, 0, 1);
  std::filesystem::resize_file(path, first.size());
  char text[100];
  ASSERT_EQ((*reader)->read(text).ok(), true);
  const auto n = (*reader)->read(text);
  ASSERT_FALSE(n.ok());
  EXPECT_EQ(n.error().message,
            path + ": ends at byte " + std::to_string(first.size()) +
                " while it is read; when the map began it had " + std::to_string(both.size()));
}

// A frame that asks for more memory than the zstd program gives it by itself.
TEST(PackedFile, AZstdFrameWithAHugeWindowIsRefused) {
  const TempDir dir;
  const std::string frame("\x28\xb5\x2f\xfd\0\xa0\1\0\0", 9);  // a window of 1 GiB, one empty block
  auto reader = open_split(dir.write("big.zst", frame), 0, 1);
  char text[4096];
  const auto n = (*reader)->read(text);
  ASSERT_FALSE(n.ok());
  EXPECT_EQ(n.error().message, (dir / "big.zst") +
                                   ": its zstd window is larger than the 128 MB that are allowed; "
                                   "compress it without --long=31");
}

}  // namespace
}  // namespace weir::tasktracker
