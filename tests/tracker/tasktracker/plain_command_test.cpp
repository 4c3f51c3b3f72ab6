#include "tracker/tasktracker/plain_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "job_run.h"

namespace weir::tasktracker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PlainCommand, AProgramByItsPathAndPlainWords) {
  EXPECT_THAT(words_without_shell("/bin/true"), ElementsAre("/bin/true"));
  EXPECT_THAT(words_without_shell("  ./map.py --top=5\t a,b:c@d%e+f_g "),
              ElementsAre("./map.py", "--top=5", "a,b:c@d%e+f_g"));
}

TEST(PlainCommand, WhatMeansSomethingToAShellTakesOne) {
  for (const char* command : {"",
                              " ",
                              "cat",
                              "true",
                              "cd /tmp",
                              "A=/b /bin/env",
                              "/a=b/c",
                              "/bin/echo $HOME",
                              "/bin/echo 'a b'",
                              "/bin/echo \"a\"",
                              "/bin/a|/bin/b",
                              "/bin/a;",
                              "/bin/a&",
                              "/bin/a > b",
                              "/bin/a < b",
                              "/bin/ls *",
                              "/bin/ls a?",
                              "/bin/ls [a]",
                              "/bin/ls {a,b}",
                              "~/bin/a",
                              "/bin/ls ~",
                              "/bin/a # b",
                              "/bin/a `b`",
                              "/bin/a\n/bin/b",
                              "/bin/a !b",
                              "/bin/a \\b",
                              "/bin/a ^b",
                              "(/bin/a)",
                              "/bin/\xc3\xa4"})
    EXPECT_THAT(words_without_shell(command), IsEmpty()) << command;
}

// What it printed, line by line in the order of bytes, or how it failed.
std::set<std::string> ran(const std::string& mapper) {
  JobRun run({.input = "a\n",
              .mapper = mapper,
              .maps = 1,
              .reduces = 0,
              .conf = {{"my.key", "v"}},
              .max_attempts = 1});
  const std::string verdict = run.go();
  std::istringstream lines(verdict == "SUCCEEDED" ? run.part(0) : verdict);
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) {
    // Each run has a folder of its own.
    for (std::size_t at; (at = line.find(run.dir.path())) != std::string::npos;)
      line.replace(at, run.dir.path().size(), "DIR");
    seen.insert(line);
  }
  return seen;
}

TEST(PlainCommand, SeesTheSameAsUnderAShell) {
  const auto plain = ran("/usr/bin/env");
  EXPECT_EQ(plain, ran("/usr/bin/env;"));
  EXPECT_THAT(plain, testing::Contains(testing::StartsWith("PWD=DIR/work/attempts/")));
  EXPECT_EQ(ran("/bin/pwd -P"), ran("/bin/pwd -P;"));
}

// A shell passes on what has the name of a variable of its own, and nothing else.
TEST(PlainCommand, OnlyWithVariablesThatAShellKnows) {
  for (const char* entry : {"A=1", "_a1=", "LC_ALL=C"}) EXPECT_TRUE(shell_keeps(entry)) << entry;
  for (const char* entry : {"a.b=1", "1a=1", "=1", "a", "PWD=/x", "a-b=1"})
    EXPECT_FALSE(shell_keeps(entry)) << entry;
}

TEST(PlainCommand, FailsWithTheSameWords) {
  for (const char* command : {"/no/such/program a", "/etc/passwd", "/bin/false"}) {
    const auto plain = ran(command);
    EXPECT_THAT(plain, testing::Contains(testing::StartsWith("FAILED"))) << command;
    EXPECT_EQ(plain, ran(std::string(command) + ";")) << command;
  }
}

}  // namespace
}  // namespace weir::tasktracker
