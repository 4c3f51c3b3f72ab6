#include "tracker/tasktracker/map_pieces.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

TaskSpec reading(const std::vector<InputPiece>& pieces) {
  TaskSpec spec;
  spec.input = pieces;
  return spec;
}

std::string read_all(const TaskSpec& spec, std::size_t chunk) {
  auto reader = open_pieces(spec);
  if (!reader.ok()) return "ERROR " + reader.error().message;
  std::string text;
  std::vector<char> buffer(chunk);
  std::int64_t seen = 0;
  for (;;) {
    auto n = (*reader)->read(buffer);
    if (!n.ok()) return "ERROR " + n.error().message;
    EXPECT_GE((*reader)->stored_bytes_read(), seen);
    seen = (*reader)->stored_bytes_read();
    EXPECT_LE(seen, (*reader)->stored_bytes_total());
    if (*n == 0) break;
    text.append(buffer.data(), *n);
  }
  EXPECT_EQ(seen, (*reader)->stored_bytes_total());
  return text;
}

TEST(MapPieces, OneFileAfterTheOtherAndNoLineRunsOn) {
  const TempDir dir;
  const std::string a = dir.write("a", "1\n2\n"), b = dir.write("b", "3"),
                    c = dir.write("c", "4\n5\n6\n"), empty = dir.write("empty", "");
  const TaskSpec spec = reading({{a, 0, 4}, {b, 0, 1}, {empty, 0, 0}, {c, 0, 4}, {c, 4, 2}});
  for (const std::size_t chunk : {1u, 2u, 3u, 4096u})
    EXPECT_EQ(read_all(spec, chunk), "1\n2\n3\n4\n5\n6\n") << chunk;
  EXPECT_EQ(read_all(reading({{b, 0, 1}}), 10), "3");  // nothing is added to the last one
  EXPECT_EQ(spec.input_bytes(), 11);
}

TEST(MapPieces, AFileThatIsGoneIsNamedWhenItsTurnComes) {
  const TempDir dir;
  const std::string a = dir.write("a", "1\n");
  EXPECT_EQ(read_all(reading({{a, 0, 2}, {a + "x", 0, 2}}), 10).rfind("ERROR " + a + "x", 0), 0u);
}

}  // namespace
}  // namespace weir::tasktracker
