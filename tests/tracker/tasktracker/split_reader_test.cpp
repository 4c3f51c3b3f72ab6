#include "tracker/tasktracker/split_reader.h"

#include <gtest/gtest.h>
#include <zlib.h>

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

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 1000, 0);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
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

TEST(SplitReader, ReadsGzipWithSeveralMembersAndPadding) {
  const TempDir dir;
  std::string big;
  for (int i = 0; i < 100000; ++i) big += "line " + std::to_string(i) + "\n";
  EXPECT_EQ(read_split(dir.write("a.gz", gzip(big)), 0, 10), big);
  EXPECT_EQ(read_split(dir.write("b.gz",
                                 gzip("one\n") + gzip("") + gzip("two\n") + std::string(100, '\0')),
                       0, 1),
            "one\ntwo\n");
  EXPECT_EQ(read_split(dir.write("empty.gz", ""), 0, 0), "");
}

TEST(SplitReader, SaysWhatIsWrongWithAFile) {
  const TempDir dir;
  const std::string packed = gzip("some text that is long enough to be cut\n");
  EXPECT_NE(
      read_split(dir.write("cut.gz", packed.substr(0, packed.size() - 12)), 0, 1).find("too early"),
      std::string::npos);
  EXPECT_NE(read_split(dir.write("not.gz", "plain text"), 0, 1).find("not valid gzip"),
            std::string::npos);
  EXPECT_NE(read_split(dir / "missing", 0, 1).find("No such file"), std::string::npos);
  EXPECT_NE(read_split(dir.path(), 0, 1).find("regular file"), std::string::npos);
  EXPECT_NE(read_split(dir.write("f", "x"), -1, 1).find("not a range"), std::string::npos);
}

}  // namespace
}  // namespace weir::tasktracker
