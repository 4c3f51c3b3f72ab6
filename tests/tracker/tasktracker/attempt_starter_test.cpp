// The process that makes the processes of attempts: whose children these are, what they get of it,
// and what happens when it is gone.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "job_run.h"
#include "tracker/tasktracker/attempt_starter.h"
#include "tracker/tasktracker/process_table.h"

namespace weir::tasktracker {
namespace {

using testing::HasSubstr;
using testing::Not;

// For a shell whose parent is an attempt's process: $tracker, and $server that it started.
constexpr const char* kFindServer =
    "tracker=$(awk '{print $4}' /proc/$PPID/stat); for p in $(pgrep -P $tracker); do "
    "[ \"$(cat /proc/$p/comm)\" = weir-attempts ] && server=$p; done; ";

std::string map_output(const std::string& mapper) {
  JobRun run({.input = "a\n", .mapper = mapper, .maps = 1, .reduces = 0});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  return run.part(0);
}

// Its first attempt is disturbed, what follows is not: the job has one failure to spare, and none
// is needed.
void expect_done_in_spite_of(const std::string& signal) {
  JobRun run({.input = "a\n",
              .mapper = std::string(kFindServer) + "kill -" + signal + " $server; cat",
              .maps = 1,
              .reduces = 1,
              .max_attempts = 1,
              .limits = {.starter_answers_within_ms = 300}});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(run.part(0), "a\n");
}

TEST(AttemptServer, AttemptsAreTheTrackersChildrenAndLeadASession) {
  const std::string me = std::to_string(::getpid());
  EXPECT_EQ(map_output("awk '{print $4, $1 - $5, $1 - $6}' /proc/$PPID/stat"), me + " 0 0\n");
}

TEST(AttemptServer, AttemptsHaveNothingOpenThatIsNotTheirs) {
  const TempDir meet;
  JobRun run({.input = "a\n",
              .mapper = "echo $PPID > " + meet.path() + "/new; mv " + meet.path() + "/new " +
                        meet.path() + "/pid; until [ -e " + meet.path() +
                        "/seen ]; do sleep 0.01; done",
              .maps = 1,
              .reduces = 0});
  run.start();
  while (!std::filesystem::exists(meet / "pid")) ::usleep(1000);
  const std::string descriptors = "/proc/" + std::to_string(std::stoi(read_text(meet / "pid")));
  for (const auto& entry : std::filesystem::directory_iterator(descriptors + "/fd")) {
    std::error_code closed;  // since the folder was read
    const std::string open = std::filesystem::read_symlink(entry.path(), closed);
    for (const char* foreign : {"socket:", "/work/", "eventpoll"})
      EXPECT_THAT(open, Not(HasSubstr(foreign))) << entry.path();
  }
  meet.write("seen", "");
  EXPECT_EQ(run.jobtracker->wait(), "SUCCEEDED");
}

TEST(AttemptServer, OneThatIsKilledIsReplaced) {
  expect_done_in_spite_of("KILL");
}

TEST(AttemptServer, OneThatDoesNotAnswerIsReplaced) {
  expect_done_in_spite_of("STOP");
}

TEST(AttemptServer, EndsWithItsTracker) {
  pid_t server = -1;
  {
    JobRun run({.input = "a\n",
                .mapper = std::string(kFindServer) + "echo $server",
                .maps = 1,
                .reduces = 0});
    ASSERT_EQ(run.go(), "SUCCEEDED");
    server = std::stoi(run.part(0));
    EXPECT_EQ(::kill(server, 0), 0);
  }
  EXPECT_NE(::kill(server, 0), 0);
}

class StarterAlone : public testing::Test {
 protected:
  Result<pid_t> start(AttemptStarter& starter) {
    const auto commands = make_pipe(), reports = make_pipe();
    const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    return starter.start({commands->read_end.get(), reports->write_end.get(), nothing.get()});
  }
};

TEST_F(StarterAlone, AProgramThatServesNoAttemptsIsAnError) {
  AttemptStarter ends("/bin/false", {}, 2000);
  const auto started = start(ends);
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.error().message, HasSubstr("the process that starts attempts"));
  EXPECT_EQ(ends.pid(), -1);
  AttemptStarter missing("/no/such/program", {}, 2000);
  EXPECT_THAT(start(missing).error().message, HasSubstr("/no/such/program"));
}

TEST_F(StarterAlone, AnAttemptThatIsToldNothingEndsAtOnce) {
  AttemptStarter starter("/proc/self/exe", {}, 5000);
  const auto started = start(starter);
  ASSERT_TRUE(started.ok()) << started.error().message;
  int status = 0;
  ASSERT_EQ(::waitpid(*started, &status, 0), *started);  // it is our child
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

// In a process of its own, which then ends with that status.
int status_of(const std::function<int()>& deed) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(deed());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

TEST_F(StarterAlone, ATrackerNeedsNoStandardDescriptors) {
  for (const int first : {0, 1, 2}) {
    const int status = status_of([&] {
      for (int number = first; number <= 2; ++number) ::close(number);
      AttemptStarter starter("/proc/self/exe", {}, 5000);
      const auto started = start(starter);
      if (!started) return 3;
      int ended = 0;
      return ::waitpid(*started, &ended, 0) == *started ? WEXITSTATUS(ended) : 4;
    });
    EXPECT_EQ(status, 2) << first;  // it says that it was told nothing
  }
}

// It sees no end of its line then.
TEST_F(StarterAlone, OneThatWasStoppedEndsWithItsTracker) {
  const auto line = make_pipe();
  ASSERT_EQ(status_of([&] {
              AttemptStarter starter("/proc/self/exe", {}, 5000);
              if (!start(starter)) return 3;
              const pid_t server = starter.pid();
              ::kill(server, SIGSTOP);
              (void)!::write(line->write_end.get(), &server, sizeof server);
              ::_exit(0);  // as one that was killed: it does not end what it has started
            }),
            0);
  pid_t server = -1;
  ASSERT_EQ(::read(line->read_end.get(), &server, sizeof server), ssize_t(sizeof server));
  const auto lives = [&] {
    const auto info = process_info(server);
    return info && !info->zombie;
  };
  for (int waits = 0; lives() && waits < 5000; ++waits) ::usleep(1000);
  EXPECT_FALSE(lives());
  ::kill(server, SIGKILL);
}

// It has its line to the tracker besides 0, 1 and 2, and the environment it was given.
TEST_F(StarterAlone, HasNothingOfItsTracker) {
  if (::geteuid() != 0) GTEST_SKIP() << "others cannot look";
  ::setenv("SECRET_TOKEN", "s3cret", 1);
  const UniqueFd open_here(::dup(1));  // is not closed by exec
  AttemptStarter starter("/proc/self/exe", {"SHOWN=1"}, 5000);
  ASSERT_TRUE(start(starter).ok());
  ::unsetenv("SECRET_TOKEN");
  const std::string process = "/proc/" + std::to_string(starter.pid());
  EXPECT_EQ(read_text(process + "/environ"), std::string("SHOWN=1\0LD_BIND_NOW=1\0", 22));
  std::vector<std::string> open;
  for (const auto& entry : std::filesystem::directory_iterator(process + "/fd"))
    open.push_back(entry.path().filename());
  EXPECT_THAT(open, testing::UnorderedElementsAre("0", "1", "2", "3"));
}

// A task of the same user id looks into other processes through /proc, or traces them.
TEST_F(StarterAlone, CannotBeLookedInto) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs a user id to give up";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    char self[4096] = {};
    if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0 || ::setuid(65534) != 0) ::_exit(3);
    if (::access(self, X_OK) != 0) ::_exit(4);  // the folder of the build is not for all
    ::prctl(PR_SET_DUMPABLE, 1);
    AttemptStarter starter("/proc/self/exe", {}, 5000);
    if (!start(starter).ok()) ::_exit(5);
    const std::string memory = "/proc/" + std::to_string(starter.pid()) + "/mem";
    ::_exit(::open(memory.c_str(), O_RDONLY) < 0 && errno == EACCES ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 4) GTEST_SKIP() << "this program is not for other users";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace weir::tasktracker
