#include "cli/local_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/temporary_directory.h"
#include "jobqueue/store/store_lock.h"

namespace weir::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

LocalProcess self(const std::string& name) {
  return {getpid(), *process_start_ticks(getpid()), name, {}};
}

TEST(PortFile, OnlyACompleteOneCounts) {
  EXPECT_EQ(parse_port_file("9090 9091\n"), (LocalPorts{9090, 9091}));
  for (const char* wrong :
       {"", "9090", "9090 9091", "9090\n", "0 9091\n", "9090 99999\n", "x y\n"}) {
    EXPECT_FALSE(parse_port_file(wrong)) << wrong;
  }
}

TEST(LocalArguments, ThereAndBack) {
  const std::vector<std::string> arguments = {"jobtracker", "--conf", "a b\nc", "--store", ""};
  EXPECT_EQ(parse_arguments(arguments_text(arguments)), arguments);
  EXPECT_THAT(parse_arguments(""), IsEmpty());
  EXPECT_EQ(argument_of(arguments, "--conf"), "a b\nc");
  EXPECT_EQ(argument_of(arguments, "--port"), "");
  EXPECT_EQ(argument_of({"--conf"}, "--conf"), "");
}

TEST(LocalArguments, AnOptionIsReplaced) {
  EXPECT_THAT(with_argument({"x"}, "--port", "1"), ElementsAre("x", "--port", "1"));
  EXPECT_THAT(with_argument({"--port", "1", "x"}, "--port", "2"), ElementsAre("x", "--port", "2"));
}

class LocalDirectoryTest : public testing::Test {
 protected:
  TemporaryDirectory dir;
  LocalDirectory directory{dir.path()};
};

TEST_F(LocalDirectoryTest, KnowsThoseThatLive) {
  EXPECT_FALSE(directory.kept());
  EXPECT_THAT(directory.processes(), IsEmpty());
  LocalProcess gone = self("tt1");
  ++gone.start_ticks;
  directory.write_processes({gone, self("tt2")});
  EXPECT_TRUE(directory.kept());
  EXPECT_THAT(directory.processes(), ElementsAre(self("tt2")));
  directory.remove("pids");
  EXPECT_FALSE(directory.kept());
}

// Started by hand: it has the store, and no file of the cluster names it.
TEST_F(LocalDirectoryTest, FindsTheJobTrackerThatHasTheStore) {
  const std::string store = dir / "weir.db";
  directory.write_arguments({"jobtracker", "--store", store});
  EXPECT_THAT(directory.processes(), IsEmpty());
  {
    StoreLock lock;
    ASSERT_TRUE(lock.take(store, 0).ok());
    EXPECT_THAT(directory.processes(), ElementsAre(self("jobtracker")));
    directory.write_processes({self("jobtracker")});
    EXPECT_THAT(directory.processes(), ElementsAre(self("jobtracker")));  // once
    directory.remove("pids");
  }
  EXPECT_THAT(directory.processes(), IsEmpty());
}

TEST_F(LocalDirectoryTest, TheStoreOfAnythingElseIsNotLookedAt) {
  StoreLock lock;
  ASSERT_TRUE(lock.take(dir / "weir.db", 0).ok());
  EXPECT_THAT(directory.processes(), IsEmpty());  // no local cluster was ever here
}

TEST(LocalProcesses, WhoHasAFileOpen) {
  TemporaryDirectory dir;
  const auto file = dir.write("file", "");
  EXPECT_FALSE(has_open(getpid(), file));
  std::ifstream stream(file);
  EXPECT_TRUE(has_open(getpid(), file));
  EXPECT_FALSE(has_open(getpid(), dir / "none"));
}

}  // namespace
}  // namespace weir::cli
