#include "cli/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/format.h"

namespace weir::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const auto& line : lines_of(text)) width = std::max(width, display_width(line));
  return width;
}

TEST(Table, AlignsTextLeftAndNumbersRight) {
  Table table({{"QUEUE"}, {.header = "RUN", .right = true}});
  table.add({"research", "7"});
  table.add({"b", "1234"});
  EXPECT_EQ(table.render(kUncut),
            "QUEUE      RUN\n"
            "research     7\n"
            "b         1234\n");
}

TEST(Table, IsWholeWhereThereIsNoWidth) {
  Table table({{.header = "NAME", .least_width = 4}, {.header = "WHY", .rank = 9}});
  table.add({std::string(5000, 'n'), "x"});
  EXPECT_THAT(table.render(kUncut), HasSubstr(std::string(5000, 'n') + "  x\n"));
}

TEST(Table, UsesTheWidthThereIs) {
  Table table({{.header = "NAME", .least_width = 4}, {"STATE"}});
  table.add({std::string(150, 'n'), "RUNNING"});
  EXPECT_EQ(widest(table.render(200)), 159u);
  EXPECT_EQ(widest(table.render(100)), 100u);
}

TEST(Table, TheWidestTextIsCutFirst) {
  Table table({{.header = "NAME", .least_width = 6},
               {"STATE"},
               {.header = "USER", .least_width = 4}});
  table.add({std::string(50, 'n'), "RUNNING", "alice"});
  const std::string text = table.render(30);
  EXPECT_EQ(widest(text), 30u);
  EXPECT_THAT(text, HasSubstr("n…"));
  EXPECT_THAT(text, HasSubstr("RUNNING  alice"));
}

TEST(Table, ColumnsGoByTheirRank) {
  Table table({{"JOB"}, {.header = "USER", .rank = 1}, {"STATE"}, {.header = "TIME", .rank = 2}});
  table.add({"job_0007", "alice", "RUNNING", "12:00"});
  EXPECT_EQ(table.render(31), "JOB       USER   STATE    TIME\njob_0007  alice  RUNNING  12:00\n");
  EXPECT_EQ(table.render(30), "JOB       USER   STATE\njob_0007  alice  RUNNING\n");
  EXPECT_EQ(table.render(23), "JOB       STATE\njob_0007  RUNNING\n");
  EXPECT_EQ(table.render(1), "JOB       STATE\njob_0007  RUNNING\n");  // no narrower
}

TEST(Table, ColumnsOfOneRankGoTogether) {
  Table table({{"MAPS"},
               {.header = "LIMIT", .rank = 1},
               {"REDUCES"},
               {.header = "LIMIT", .rank = 1}});
  table.add({"1", "2", "3", "4"});
  EXPECT_EQ(table.render(24), "MAPS  REDUCES\n1     3\n");
}

TEST(Table, TextHasTheRoomOfColumnsThatWent) {
  Table table({{.header = "NAME", .least_width = 6}, {.header = "TIME", .rank = 1}});
  table.add({"a-long-name", "12:00:00"});
  EXPECT_EQ(table.render(16), "NAME    TIME\na-lon…  12:00:00\n");
  EXPECT_EQ(table.render(15), "NAME\na-long-name\n");
}

TEST(Table, NeverCutsBelowTheLeastWidth) {
  Table table({{.header = "NAME", .least_width = 6}, {"STATE"}});
  table.add({"a-long-name", "RUNNING"});
  EXPECT_EQ(table.render(5), "NAME    STATE\na-lon…  RUNNING\n");
}

TEST(Table, CellsCannotBreakLines) {
  Table table({{"NAME"}});
  table.add({"a\nb"});
  EXPECT_EQ(table.render(kUncut), "NAME\na?b\n");
}

// What stands behind a name stands in one column, whatever the name is.
TEST(Table, HostileNamesDoNotBreakTheAlignment) {
  Table table({{.header = "NAME", .least_width = 6}, {"STATE"}, {.header = "RANK", .rank = 1}});
  for (const char* name : {"plain", "研究部の長い名前のジョブ", "e\u0301\u0301\u0301\u0301 zalgo",
                           "\x1b[2J\x1b[31m", "tab\tnew\nline", "broken \xff\xe6", "\u202Eesrever",
                           "हिन्दी नाम", "🚀🚀🚀🚀🚀🚀🚀", ""}) {
    table.add({name, "|", "r"});
  }
  for (std::size_t width = 1; width < 50; ++width) {
    const std::string text = table.render(width);
    const auto lines = lines_of(text);
    ASSERT_EQ(lines.size(), 11u);
    const std::size_t column = lines[0].find("STATE");
    for (std::size_t i = 1; i < lines.size(); ++i)
      EXPECT_EQ(display_width(lines[i].substr(0, lines[i].find('|'))), column) << lines[i];
    if (width >= 13) {
      EXPECT_LE(widest(text), width) << text;
    }
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  }
}

TEST(Table, Properties) {
  EXPECT_EQ(property_lines({{"job", "job_0007"}, {"state", "RUNNING"}}),
            "job:    job_0007\nstate:  RUNNING\n");
}

}  // namespace
}  // namespace weir::cli
