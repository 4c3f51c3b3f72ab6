// What a task may leave where the tracker looks: pipes, links, directories. Nobody waits for them,
// nothing is written through them, and other attempts go on.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracker/tasktracker/file_system.h"
#include "tracker/tasktracker/job_output.h"
#include "tracker/tasktracker/job_run.h"
#include "tracker/tasktracker/leftovers.h"
#include "tracker/tasktracker/run_file.h"
#include "tracker/tasktracker/shuffle_client.h"
#include "tracker/tasktracker/shuffle_server.h"
#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

class HostileFiles : public testing::Test {
 protected:
  std::string pipe(const std::string& name) {
    EXPECT_EQ(::mkfifo((dir_ / name).c_str(), 0666), 0);
    return dir_ / name;
  }
  std::string link(const std::string& name, const std::string& to) {
    EXPECT_EQ(::symlink(to.c_str(), (dir_ / name).c_str()), 0);
    return dir_ / name;
  }
  TempDir dir_;
};

template <class Opened>
std::string problem_of(const Opened& opened) {
  return opened ? "" : opened.error().message;
}

TEST_F(HostileFiles, APipeIsNoFile) {
  const std::string path = pipe("pipe");
  const std::string wrong = path + ": is no regular file";
  EXPECT_EQ(problem_of(open_file(path, O_RDONLY)), wrong);
  EXPECT_EQ(problem_of(open_file(path, O_WRONLY | O_CREAT | O_APPEND)), wrong);
  EXPECT_EQ(problem_of(open_file(path, O_RDWR | O_CREAT)), wrong);
  EXPECT_EQ(problem_of(read_whole_file(path, 100)), wrong);
  EXPECT_EQ(problem_of(open_file(dir_.path(), O_RDONLY)), dir_.path() + ": is no regular file");
  EXPECT_TRUE(open_file(dir_.path(), O_RDONLY | O_DIRECTORY).ok());
}

TEST_F(HostileFiles, ALinkLeadsNowhere) {
  const std::string target = dir_.write("target", "kept");
  const std::string path = link("link", target);
  EXPECT_TRUE(open_file(path, O_RDONLY).ok());  // as users have them, for input
  EXPECT_FALSE(open_untrusted(path, O_RDONLY).ok());
  EXPECT_FALSE(open_untrusted(path, O_WRONLY | O_CREAT | O_APPEND).ok());
  ASSERT_TRUE(write_whole_file(path, "new").ok());
  EXPECT_EQ(read_text(target), "kept");
  EXPECT_EQ(read_text(path), "new");
  const std::string nowhere = dir_ / "nowhere";
  ASSERT_TRUE(create_anew(link("dangling", nowhere)).ok());
  EXPECT_FALSE(std::filesystem::exists(nowhere));
}

TEST_F(HostileFiles, ADirectoryIsMadeAnew) {
  const std::string path = dir_ / "a/b";
  ASSERT_TRUE(make_fresh_directory(path).ok());
  pipe("a/b/task");
  std::filesystem::create_directory(dir_ / "elsewhere");
  dir_.write("elsewhere/kept", "");
  ASSERT_TRUE(make_fresh_directory(path).ok());
  EXPECT_TRUE(std::filesystem::is_empty(path));
  struct stat there {};
  ASSERT_EQ(::stat(path.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777, 0700u);
  link("a/link", dir_ / "elsewhere");
  ASSERT_TRUE(make_fresh_directory(dir_ / "a/link").ok());
  EXPECT_FALSE(std::filesystem::is_symlink(dir_ / "a/link"));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "elsewhere/kept"));
}

TEST_F(HostileFiles, TheMarkOfSuccessIsWrittenInTheirPlace) {
  const std::string target = dir_ / "victim";
  for (const bool as_link : {false, true}) {
    const std::string output = dir_ / (as_link ? "out2" : "out1");
    ASSERT_TRUE(take_output({output, "job_0001"}, "a", posix_files()).ok());
    if (as_link) {
      ASSERT_EQ(::symlink(target.c_str(), (output + "/_SUCCESS").c_str()), 0);
    } else {
      ASSERT_EQ(::mkfifo((output + "/_SUCCESS").c_str(), 0666), 0);
    }
    ASSERT_TRUE(complete_job_output({output, "job_0001"}, 1).ok());
    EXPECT_EQ(read_text(output + "/_SUCCESS"), "job_0001\n");
  }
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(HostileFiles, TheShuffleServesNone) {
  const AttemptKey key{TaskKey{JobId(std::size_t{7}), TaskKind::kMap, 0}, 0};
  const WorkDirs dirs{dir_.path()};
  ASSERT_TRUE(make_directories(dirs.log(key)).ok());
  ASSERT_TRUE(make_directories(dirs.output(key)).ok());
  ASSERT_EQ(::mkfifo((dirs.log(key) + "/stdout").c_str(), 0666), 0);
  ASSERT_EQ(::mkfifo((dirs.output(key) + "/file.idx").c_str(), 0666), 0);
  dir_.write("secret", "secret");
  ASSERT_EQ(::symlink((dir_ / "secret").c_str(), (dirs.log(key) + "/stderr").c_str()), 0);
  ShuffleServerOptions options;
  options.dirs = dirs;
  ShuffleServer server(options);
  const std::uint16_t port = *server.start();
  EXPECT_EQ(fetch_log("127.0.0.1", port, key, "stdout", 100)->text, "");
  EXPECT_EQ(fetch_log("127.0.0.1", port, key, "stderr", 100)->text, "");
  EXPECT_FALSE(fetch_map_output("127.0.0.1", port, key, 0, 100).ok());
}

// A tracker that starts again looks at what its attempts had noted.
TEST_F(HostileFiles, AStartWaitsForNoPipe) {
  const WorkDirs dirs{dir_.path()};
  std::filesystem::create_directories(dirs.attempts());
  pipe("attempts/sessions");
  EXPECT_EQ(kill_leftovers(dirs), 0);
}

// The first attempt prepares the places of the next one: of its spec, its number and its log.
TEST_F(HostileFiles, AnAttemptFindsNothingOfAnother) {
  JobRun run({.input = "a\n",
              .mapper = "next=attempt_0007_m_000000_1; "
                        "if [ $mapreduce_task_attempt_id = attempt_0007_m_000000_0 ]; then "
                        "mkdir -p ../../$next ../../../logs/job_0007/$next; "
                        "mkfifo ../../$next/task ../../$next/pid "
                        "../../../logs/job_0007/$next/syslog "
                        "../../../logs/job_0007/$next/stderr; exit 1; fi; cat",
              .maps = 1,
              .reduces = 0});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(run.part(0), "a\n");
}

}  // namespace
}  // namespace weir::tasktracker
