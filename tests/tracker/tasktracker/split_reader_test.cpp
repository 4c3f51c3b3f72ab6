#include "tracker/tasktracker/split_reader.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(read_split(path, 9, 100), "");  // past the end
}

TEST(SplitReader, SaysWhatIsWrongWithAFile) {
  const TempDir dir;
  EXPECT_NE(read_split(dir / "missing", 0, 1).find("No such file"), std::string::npos);
  EXPECT_NE(read_split(dir.path(), 0, 1).find("regular file"), std::string::npos);
  EXPECT_NE(read_split(dir.write("f", "x"), -1, 1).find("not a range"), std::string::npos);
}

}  // namespace
}  // namespace weir::tasktracker
