#include "cli/context.h"

#include <gtest/gtest.h>

#include <sstream>

namespace weir::cli {
namespace {

TEST(TerminalColumns, AreThoseOfTheEnvironmentElseOfTheTerminal) {
  EXPECT_EQ(terminal_columns("132", 100), 132u);
  EXPECT_EQ(terminal_columns("", 100), 100u);
  for (const char* wrong : {"0", "wide", "-5", "12x", "1000000"})
    EXPECT_EQ(terminal_columns(wrong, 100), 100u) << wrong;
  EXPECT_EQ(terminal_columns("", 0), 80u);  // it does not say
}

TEST(Context, OnlyATerminalHasAWidth) {
  std::istringstream in;
  std::ostringstream out;
  EXPECT_EQ(Context(in, out, out, {.out = true, .columns = 70}).columns(), 70u);
  EXPECT_EQ(Context(in, out, out, {.out = false, .columns = 70}).columns(), kUncut);
}

}  // namespace
}  // namespace weir::cli
