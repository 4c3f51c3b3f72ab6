// Where control groups are and what is written there, by made-up texts and plain files; and, where
// the machine lets us, by real ones.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tracker/tasktracker/cgroups.h"
#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

namespace fs = std::filesystem;

TEST(CgroupPlaces, OfTheFirstVersion) {
  const CgroupPlaces found = cgroup_places(
      "9:name=systemd:/\n8:pids:/\n4:memory:/user/a b\n2:cpu,cpuacct:/c\n0::/\n",
      "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:3 - cgroup cgroup rw,memory\n"
      "33 31 0:30 / /sys/fs/cgroup/cpu\\040x rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
      "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(found.version, 1);
  const std::vector<CgroupPlace> expected = {
      {"/sys/fs/cgroup/cpu x/c", "/sys/fs/cgroup/cpu x", {"cpu"}},
      {"/sys/fs/cgroup/memory/user/a b", "/sys/fs/cgroup/memory", {"memory"}},
      {"/sys/fs/cgroup/pids", "/sys/fs/cgroup/pids", {"pids"}}};
  EXPECT_EQ(found.places, expected);
}

TEST(CgroupPlaces, OfTheSecondVersion) {
  const char* mounts = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
  const CgroupPlaces found = cgroup_places("0::/system.slice/weir.service\n", mounts);
  EXPECT_EQ(found.version, 2);
  const std::vector<CgroupPlace> expected = {
      {"/sys/fs/cgroup/system.slice/weir.service", "/sys/fs/cgroup", {}}};
  EXPECT_EQ(found.places, expected);
}

// The mount shows the container's part of the hierarchy.
TEST(CgroupPlaces, InAContainer) {
  const char* mounts = "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup cgroup ro,memory,pids\n";
  const auto inside = cgroup_places("4:memory,pids:/docker/abc/sub\n", mounts);
  ASSERT_EQ(inside.places.size(), 1u);
  EXPECT_EQ(inside.places[0].directory, "/sys/fs/cgroup/sub");
  EXPECT_EQ(inside.places[0].controllers, (std::vector<std::string>{"memory", "pids"}));
  EXPECT_EQ(cgroup_places("4:memory:/other\n", mounts).places[0].directory, "/sys/fs/cgroup");
  EXPECT_EQ(cgroup_places("4:memory:/docker/abcd\n", mounts).places[0].directory,
            "/sys/fs/cgroup");
}

TEST(CgroupPlaces, Nowhere) {
  EXPECT_EQ(cgroup_places("", "").version, 0);
  EXPECT_EQ(cgroup_places("0::/\nnonsense\n:\n", "nonsense - \n\n - cgroup2").version, 0);
  EXPECT_EQ(Cgroups(CgroupPlaces{}, "/w").how(),
            "none: no control group file system is mounted here");
  EXPECT_EQ(Cgroups().how(), "none: off (tracker.task_cgroups)");
  const auto group = Cgroups().make("attempt", {100, 100});
  ASSERT_TRUE(group.ok());
  EXPECT_TRUE(group->enter().ok() && group->kill_all() && group->remove());
  EXPECT_FALSE(group->events().killed_for_memory);
}

// A tree of plain files stands for the hierarchy.
class FakeCgroups : public testing::Test {
 protected:
  std::string own_group() {
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      if (entry.is_directory()) return entry.path();
    }
    return "";
  }
  TempDir dir_;
};

TEST_F(FakeCgroups, OfTheSecondVersion) {
  dir_.write("cgroup.controllers", "cpuset cpu io memory pids\n");
  const CgroupPlaces places{2, {{dir_.path(), "/mount", {}}}};
  const Cgroups without(places, "/w");
  EXPECT_EQ(read_text(dir_ / "cgroup.subtree_control"), "+memory +pids +cpu ");
  EXPECT_EQ(without.how(),
            "v2 without limits: " + dir_.path() + " hands down none of memory, pids, cpu");
  std::ofstream(own_group() + "/cgroup.controllers") << "memory pids cpu\n";
  const Cgroups cgroups(places, "/w");
  EXPECT_EQ(cgroups.how(), "v2 memory, pids, cpu");
  EXPECT_EQ(cgroups.mounts(), std::vector<std::string>{"/mount"});
  const auto group = cgroups.make("attempt", {100, 50});
  ASSERT_TRUE(group.ok());
  ASSERT_EQ(group->directories, std::vector{own_group() + "/attempt"});
  EXPECT_EQ(read_text(own_group() + "/attempt/memory.max"), "104857600");
  EXPECT_EQ(read_text(own_group() + "/attempt/pids.max"), "50");
  ASSERT_TRUE(group->enter().ok());
  EXPECT_EQ(read_text(own_group() + "/attempt/cgroup.procs"), "0");
  std::ofstream(own_group() + "/attempt/memory.events") << "low 0\noom 3\noom_kill 1\n";
  std::ofstream(own_group() + "/attempt/memory.peak") << "104853504\n";
  std::ofstream(own_group() + "/attempt/pids.events") << "max 2\n";
  const CgroupEvents events = group->events();
  EXPECT_TRUE(events.killed_for_memory && events.out_of_processes);
  EXPECT_EQ(events.memory_peak_bytes, 104853504);
  EXPECT_EQ(events.memory_limit_bytes, 104857600);
}

TEST_F(FakeCgroups, OfTheFirstVersion) {
  fs::create_directories(dir_ / "m");
  const Cgroups cgroups({1, {{dir_ / "m", dir_ / "m", {"memory", "pids"}}}}, "/w");
  EXPECT_EQ(cgroups.how(), "v1 memory, pids");
  const auto group = cgroups.make("attempt", {100, 0});
  ASSERT_TRUE(group.ok());
  const std::string& directory = group->directories.at(0);
  EXPECT_EQ(read_text(directory + "/memory.limit_in_bytes"), "104857600");
  EXPECT_FALSE(fs::exists(directory + "/pids.max"));
  std::ofstream(directory + "/memory.oom_control") << "oom_kill_disable 0\noom_kill 2\n";
  std::ofstream(directory + "/memory.max_usage_in_bytes") << "100\n";
  EXPECT_TRUE(group->events().killed_for_memory);
  EXPECT_EQ(group->events().memory_peak_bytes, 100);
}

TEST_F(FakeCgroups, WhereNothingCanBeMade) {
  const Cgroups cgroups({1, {{dir_ / "missing", dir_.path(), {"memory"}}}}, "/w");
  EXPECT_FALSE(cgroups.active());
  EXPECT_TRUE(cgroups.how().starts_with("none: " + (dir_ / "missing"))) << cgroups.how();
  EXPECT_TRUE(cgroups.how().ends_with(": No such file or directory")) << cgroups.how();
}

// Without this, a tracker that cannot read where they are would only skip what follows.
TEST(RealCgroups, AreFoundWhereTheyAreMounted) {
  std::ifstream file("/proc/self/mountinfo");
  const std::string mounts((std::istreambuf_iterator<char>(file)), {});
  if (mounts.find(" - cgroup") == std::string::npos) GTEST_SKIP() << "none is mounted";
  const TempDir dir;
  EXPECT_EQ(Cgroups::of_this_process(dir.path()).how().find("is mounted here"), std::string::npos);
}

TEST(RealCgroups, SayWhetherAProcessIsAlone) {
  const TempDir dir;
  const Cgroups cgroups = Cgroups::of_this_process(dir.path());
  if (!cgroups.active()) GTEST_SKIP() << cgroups.how();
  const auto group = cgroups.make("attempt", {0, 100});
  ASSERT_TRUE(group.ok()) << group.error().message;
  const auto enter = [&group] {
    const pid_t child = ::fork();
    if (child != 0) return child;
    // Of one thread: a fork under ThreadSanitizer has two.
    if (group->enter().ok()) ::execlp("sleep", "sleep", "3600", nullptr);
    ::_exit(1);
  };
  const pid_t first = enter();
  EXPECT_FALSE(group->has_only(::getpid()) && group->pids.empty());
  while (!group->has_only(first)) ::usleep(1000);
  const pid_t second = enter();
  while (group->has_only(first)) ::usleep(1000);
  EXPECT_TRUE(group->kill_all());
  for (const pid_t child : {first, second}) EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(group->has_only(first));
  cgroups.remove_own();
}

// A later life of the same work directory kills what it finds, wherever it has gone.
TEST(RealCgroups, WhatAnEarlierLifeLeftIsSwept) {
  const TempDir dir;
  const Cgroups earlier = Cgroups::of_this_process(dir.path());
  if (!earlier.active()) GTEST_SKIP() << earlier.how();
  const auto group = earlier.make("attempt", {0, 100});
  ASSERT_TRUE(group.ok()) << group.error().message;
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    if (!group->enter().ok()) ::_exit(1);
    for (;;) ::pause();
  }
  const std::string procs = group->directories[0] + "/cgroup.procs";
  while (read_text(procs).empty()) ::usleep(1000);
  const std::string other = dir / "other";
  const Cgroups stranger = Cgroups::of_this_process(other);
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0);
  const Cgroups later = Cgroups::of_this_process(dir.path());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_TRUE(group->remove());
  later.remove_own();
  stranger.remove_own();
  EXPECT_FALSE(fs::exists(fs::path(group->directories[0]).parent_path()));
}

}  // namespace
}  // namespace weir::tasktracker
