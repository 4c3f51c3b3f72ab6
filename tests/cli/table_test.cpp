#include "cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/format.h"

namespace weir::cli {
namespace {

TEST(Table, AlignsTextLeftAndNumbersRight) {
  Table table({{"QUEUE"}, {"RUN", true}});
  table.add({"research", "7"});
  table.add({"b", "1234"});
  EXPECT_EQ(table.render(),
            "QUEUE      RUN\n"
            "research     7\n"
            "b         1234\n");
}

TEST(Table, TheWidestShrinkableColumnGivesWayFirst) {
  Table table({{"NAME", false, 6}, {"STATE"}, {"USER", false, 4}});
  table.add({std::string(50, 'n'), "RUNNING", "alice"});
  const std::string text = table.render(30);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 30u) << line;
  EXPECT_NE(text.find("n…"), std::string::npos);
  EXPECT_NE(text.find("RUNNING  alice"), std::string::npos);
}

TEST(Table, NeverCutsBelowTheLeastWidth) {
  Table table({{"NAME", false, 6}, {"STATE"}});
  table.add({"a-long-name", "RUNNING"});
  EXPECT_EQ(table.render(5), "NAME    STATE\na-lon…  RUNNING\n");
}

TEST(Table, CellsCannotBreakLines) {
  Table table({{"NAME"}});
  table.add({"a\nb"});
  EXPECT_EQ(table.render(), "NAME\na?b\n");
}

TEST(Table, Properties) {
  EXPECT_EQ(property_lines({{"job", "job_0007"}, {"state", "RUNNING"}}),
            "job:    job_0007\nstate:  RUNNING\n");
}

}  // namespace
}  // namespace weir::cli
