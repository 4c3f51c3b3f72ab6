#include "tracker/tasktracker/merge.h"

#include <gtest/gtest.h>

#include <set>

#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

using Names = std::set<std::string>;

// Runs run_0, run_1, ...: one line each, all of one key.
std::vector<Run> make_runs(const TempDir& dir, int count) {
  std::vector<Run> runs;
  for (int i = 0; i < count; ++i) {
    auto writer = RunWriter::create(dir / ("run_" + std::to_string(i)), 1, false).value();
    EXPECT_TRUE(writer.append(0, "key\t" + std::to_string(i) + "\n").ok());
    runs.push_back(writer.finish().value());
  }
  return runs;
}

// What lies in `dir` when that many runs have been folded together; their lines are still there, in
// the order of the runs.
Names files_after(int count, std::size_t fan_in) {
  const TempDir dir;
  auto runs = make_runs(dir, count);
  EXPECT_TRUE(merge_to_fan_in(runs, 1, fan_in, dir / "merged_").ok());
  EXPECT_LE(runs.size(), fan_in);
  std::string lines, expected;
  for (const Run& run : runs) lines += read_text(run.path);
  for (int i = 0; i < count; ++i) expected += "key\t" + std::to_string(i) + "\n";
  EXPECT_EQ(lines, expected);
  Names names;
  for (const auto& file : std::filesystem::directory_iterator(dir.path()))
    names.insert(file.path().filename());
  return names;
}

// Of each piece its lines; the merge of all as one text.
std::string merged(const std::vector<std::string>& pieces) {
  CursorMerge merge;
  for (const std::string& piece : pieces) merge.add(LineCursor(piece));
  merge.start();
  std::string text;
  while (const Line* line = merge.next()) text += line->bytes();
  EXPECT_TRUE(merge.status().ok());
  return text;
}

// Eight bytes are compared as a number; what differs behind them, or is as large as a number can
// be, must be looked at.
TEST(CursorMerge, LooksBehindThePrefixOfAKey) {
  EXPECT_EQ(merged({"12345678a\n12345678c\n", "12345678b\n"}), "12345678a\n12345678b\n12345678c\n");
  EXPECT_EQ(merged({"a\n", "\xff\xff\xff\xff\xff\xff\xff\xff\tx\n", "b\n"}),
            "a\nb\n\xff\xff\xff\xff\xff\xff\xff\xff\tx\n");
  EXPECT_EQ(merged({"a\n", std::string("a\0\n", 3), "a\t2\n"}), std::string("a\na\t2\na\0\n", 9));
}

TEST(CursorMerge, EqualKeysComeInTheOrderOfThePiecesHoweverManyThereAre) {
  for (std::size_t count : {1u, 2u, 3u, 5u, 8u, 33u}) {
    std::vector<std::string> pieces(count);
    std::string expected;
    for (const char* key : {"", "k", "long enough"}) {
      for (std::size_t piece = 0; piece < count; ++piece) {
        for (int line = 0; line < 2; ++line) {
          const std::string text = std::string(key) + "\t" + std::to_string(piece) + "\n";
          pieces[piece] += text;
          expected += text;
        }
      }
    }
    pieces.push_back("");
    EXPECT_EQ(merged(pieces), expected);
  }
  EXPECT_EQ(merged({}), "");
  EXPECT_EQ(merged({"", "a\n", ""}), "a\n");
}

TEST(MergeToFanIn, NoMoreRunsThanThatStayAsTheyAre) {
  EXPECT_EQ(files_after(0, 3), Names());
  EXPECT_EQ(files_after(2, 3), (Names{"run_0", "run_1"}));
  EXPECT_EQ(files_after(3, 3), (Names{"run_0", "run_1", "run_2"}));
}

TEST(MergeToFanIn, NeighboursAreFoldedUntilFewEnoughAreLeft) {
  EXPECT_EQ(files_after(4, 3), (Names{"merged_0", "run_3"}));
  EXPECT_EQ(files_after(6, 3), (Names{"merged_0", "merged_1"}));
  EXPECT_EQ(files_after(7, 2), (Names{"merged_3", "merged_4"}));  // of three and run_6
}

}  // namespace
}  // namespace weir::tasktracker
