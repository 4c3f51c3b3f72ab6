#include "tracker/tasktracker/split_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <random>
#include <vector>

#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

std::string read_split(const std::string& path, std::int64_t offset, std::int64_t length,
                       std::size_t chunk = 4096) {
  auto reader = open_split(path, offset, length);
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

// However a file is cut, the splits side by side are the file, and every split ends at the end of a
// line.
TEST(SplitReader, SplitsSideBySideAreTheFile) {
  std::mt19937 random(3);
  const TempDir dir;
  for (int round = 0; round < 200; ++round) {
    std::string text;
    const int lines = static_cast<int>(random() % 30);
    for (int i = 0; i < lines; ++i) {
      text += std::string(random() % 3 == 0 ? 0 : random() % 50, static_cast<char>('a' + i % 26));
      text += random() % 4 == 0 ? "\r\n" : "\n";
    }
    if (random() % 2 == 0) text += "no newline at the end";
    const std::string path = dir.write("f", text);
    std::string joined;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = std::min<std::size_t>(1 + random() % 40, text.size() - at);
      const std::string part = read_split(path, static_cast<std::int64_t>(at),
                                          static_cast<std::int64_t>(length), 1 + random() % 64);
      joined += part;
      at += length;
      if (!part.empty() && joined.size() < text.size()) {
        EXPECT_EQ(part.back(), '\n') << round;
      }
    }
    ASSERT_EQ(joined, text) << round;
  }
}

TEST(SplitReader, ALineBelongsWhereItBegins) {
  const TempDir dir;
  const std::string path = dir.write("f", "aaa\nbbb\nccc\n");
  EXPECT_EQ(read_split(path, 0, 4), "aaa\n");  // ends exactly at a line's end
  EXPECT_EQ(read_split(path, 4, 4), "bbb\n");  // begins exactly at a line's start
  EXPECT_EQ(read_split(path, 0, 5), "aaa\nbbb\n");
  EXPECT_EQ(read_split(path, 5, 2), "");  // inside one line
  EXPECT_EQ(read_split(path, 0, 0), "");
  EXPECT_EQ(read_split(path, 9, 3), "");  // of the last line, to the file's end
}

// What was there when the job was submitted is not all there any more: also where the split's lines
// are, as far as one can see, and where it would have none.
TEST(SplitReader, AFileThatHasBecomeShorterIsAnErrorThatSaysSo) {
  const TempDir dir;
  const std::string path = dir.write("f", "aaa\nbbb\nccc\n");
  const auto shorter = [&](int end) {
    return "ERROR " + path + ": ends at byte 12; when the job was submitted it had at least " +
           std::to_string(end);
  };
  EXPECT_EQ(read_split(path, 8, 5), shorter(13));
  EXPECT_EQ(read_split(path, 9, 100), shorter(109));
  EXPECT_EQ(read_split(path, 12, 4), shorter(16));
  EXPECT_EQ(read_split(path, 20, 4), shorter(24));
  const std::string packed = dir.write("f.gz", "");  // which by itself is an empty one
  EXPECT_EQ(read_split(packed, 0, 20),
            "ERROR " + packed + ": ends at byte 0; when the job was submitted it had 20");
}

TEST(SplitReader, AFileThatBecomesShorterWhileItIsReadIsAnErrorThatSaysSo) {
  const TempDir dir;
  const std::string path = dir.write("f", "aaa\nbbb\nccc\n");
  const auto first_bytes_then_cut = [&](std::int64_t length, std::int64_t left) {
    dir.write("f", "aaa\nbbb\nccc\n");
    auto reader = open_split(path, 0, length);
    std::array<char, 4> buffer;
    EXPECT_TRUE((*reader)->read(buffer).ok());
    std::filesystem::resize_file(path, static_cast<std::uintmax_t>(left));
    for (;;) {
      const auto n = (*reader)->read(buffer);
      if (!n.ok()) return n.error().message;
      if (*n == 0) return std::string();
    }
  };
  const auto error = [&](int left) {
    return path + ": ends at byte " + std::to_string(left) +
           " while it is read; when the map began it had 12";
  };
  EXPECT_EQ(first_bytes_then_cut(12, 8), error(8));
  EXPECT_EQ(first_bytes_then_cut(12, 10), error(10));
  EXPECT_EQ(first_bytes_then_cut(6, 7), error(7));  // in the line that ends behind the split
  EXPECT_EQ(first_bytes_then_cut(6, 8), "");        // behind all that is the split's
}

// As an appending writer leaves it: the split's bytes are what they were.
TEST(SplitReader, AFileThatHasGrownIsReadToItsFormerEnd) {
  const TempDir dir;
  const std::string path = dir.write("f", "aaa\nbbb\nccc\nddd\n");
  EXPECT_EQ(read_split(path, 0, 8), "aaa\nbbb\n");
}

TEST(SplitReader, SaysWhatIsWrongWithAFile) {
  const TempDir dir;
  EXPECT_NE(read_split(dir / "missing", 0, 1).find("No such file"), std::string::npos);
  EXPECT_NE(read_split(dir.path(), 0, 1).find("regular file"), std::string::npos);
  EXPECT_NE(read_split(dir.write("f", "x"), -1, 1).find("not a range"), std::string::npos);
}

}  // namespace
}  // namespace weir::tasktracker
