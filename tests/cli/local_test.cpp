#include "cli/local_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/fake_jobtracker.h"
#include "cli/interrupt.h"
#include "cli/local_processes.h"
#include "cli/temporary_directory.h"
#include "conf/load.h"

namespace weir::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LocalSettings, AreValidWhereverTheDirectoryIs) {
  for (const char* directory : {"/tmp/x", "/tmp/with space", "/tmp/quo\"te\\"}) {
    const auto loaded = load_settings_text("local", local_settings(directory));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(loaded->daemon.store_path, std::string(directory) + "/weir.db");
    EXPECT_EQ(loaded->daemon.listen_thrift.port, 0);
    ASSERT_EQ(loaded->settings.queues.size(), 2u);
    EXPECT_EQ(loaded->settings.queues[0].guaranteed[0].amount, 6000);
  }
}

TEST(LocalProcesses, PidsFileThereAndBack) {
  const std::vector<LocalProcess> processes = {{100, 5, "jobtracker"}, {101, 6, "tt1"}};
  EXPECT_EQ(parse_pids(pids_text(processes)), processes);
  EXPECT_THAT(parse_pids(""), IsEmpty());
  EXPECT_THAT(parse_pids("garbage\n1 2 init\n"), IsEmpty());
  EXPECT_THAT(parse_pids("1 2 init\n"), IsEmpty());
}

TEST(LocalProcesses, StartAndStop) {
  TemporaryDirectory dir;
  InterruptScope interrupt;
  SpawnOptions options{
      "/bin/sh", "sleeper", {"-c", "echo up; exec sleep 1000"}, dir.path(), dir / "log"};
  const auto first = spawn(options, interrupt);
  options.arguments = {
      "-c", "trap '' TERM; echo trapped > " + dir / "ready" + "; while :; do sleep 0.05; done"};
  options.name = "stubborn";
  const auto stubborn = spawn(options, interrupt);
  EXPECT_TRUE(alive(first));
  while (!std::filesystem::exists(dir / "ready")) usleep(1000);
  EXPECT_THAT(stop_processes({first, stubborn}, 300), ElementsAre("stubborn"));
  EXPECT_FALSE(alive(first));
  EXPECT_FALSE(alive(stubborn));
}

TEST(LocalProcesses, APidOfSomebodyElseIsNotAlive) {
  EXPECT_TRUE(process_start_ticks(getpid()));
  EXPECT_FALSE(alive({getpid(), *process_start_ticks(getpid()) + 1, "jobtracker", {}}));
}

TEST(Local, WrongUse) {
  TemporaryDirectory dir;
  EXPECT_EQ(run({"local", "--trackers", "-1"}).code, 2);
  EXPECT_EQ(run({"local", "--stop", dir.path()}).code, 1);
  EXPECT_EQ(run({"local", "--restart-jobtracker", dir.path()}).code, 1);
  EXPECT_EQ(run({"local", "--stop", "a", "--restart-jobtracker", "b"}).code, 2);
  const auto bad = dir.write("bad.yaml", "policy: fastest\n");
  const auto ran = run({"local", "--conf", bad, "--dir", dir / "cluster"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("bad.yaml:1:9: "));
  dir.write("cluster/pids", pids_text({{getpid(), *process_start_ticks(getpid()), "jobtracker"}}));
  EXPECT_THAT(run({"local", "--dir", dir / "cluster"}).err,
              HasSubstr("a cluster is running in " + dir / "cluster"));
}

}  // namespace
}  // namespace weir::cli
