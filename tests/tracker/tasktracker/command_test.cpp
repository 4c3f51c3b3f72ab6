// The sweep of a task's processes and the commands that other threads start beside it. Each test
// runs in a child, since a sweep is for good.
#include "tracker/tasktracker/command.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>
#include <thread>
#include <utility>

#include "tracker/tasktracker/process_table.h"
#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

class Command : public testing::Test {
 protected:
  // What a child process says that does `body`, a subreaper as an attempt's process is.
  int in_a_child(const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_CHILD_SUBREAPER, 1);
      ::_exit(body());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // What it has written is then in `output_`.
  Status run(const std::string& command, std::function<void()> watch = {},
             bool output_until_closed = false) {
    StderrSink errors(dir_ / "stderr", 1 << 20, {});
    std::array<char, 64> bytes;
    CommandStreams streams;
    streams.space = [&bytes] { return Result<std::span<char>>(bytes); };
    streams.commit = [&](std::size_t filled) {
      output_.append(bytes.data(), filled);
      return Status(Ok{});
    };
    streams.errors = &errors;
    streams.moved = [] {};
    streams.watch = std::move(watch);
    CommandOptions options{"mapper", command, dir_.path(), {"PATH=/usr/bin:/bin"}, 0};
    options.output_until_closed = output_until_closed;
    return run_command(options, streams);
  }

  TempDir dir_;
  std::string output_;
};

TEST_F(Command, NoneStartsAfterTheSweep) {
  EXPECT_EQ(in_a_child([this] { return run("true").ok() ? 0 : 1; }), 0);
  EXPECT_EQ(in_a_child([this] {
              end_all_commands();
              const Status late = run("true");
              return !late.ok() && late.error().message == "mapper not started: the task is over"
                         ? 0
                         : 1;
            }),
            0);
}

// It ends when it has been looked after twice, and writes without a pause until then: a map with
// steady output says all the while that it lives.
TEST_F(Command, IsLookedAfterWhileItWritesWithoutAPause) {
  const std::string seen = dir_ / "seen";
  const auto mark = [&seen, looks = 0]() mutable {
    if (++looks == 2) std::ofstream(seen) << "seen";
  };
  EXPECT_EQ(in_a_child([&] {
              const char* steady = "i=0; while [ ! -e seen ]; do echo x; sleep 0.01; i=$((i + 1)); "
                                   "[ $i -lt 3000 ] || exit 1; done";
              return run(steady, mark).ok() ? 0 : 1;
            }),
            0);
}

// Commands are started as fast as they can be while the sweep comes: nothing is left of any.
TEST_F(Command, ASweepLeavesNothingOfCommandsThatStartBesideIt) {
  for (int wait_us = 0; wait_us < 20'000; wait_us += 1'000) {
    EXPECT_EQ(in_a_child([&] {
                std::thread starter([this] {
                  while (run("setsid sleep 4711.7 & sleep 0.001").ok()) {
                  }
                });
                ::usleep(static_cast<useconds_t>(wait_us));
                end_all_commands();
                starter.join();
                return children_of(::getpid()).empty() ? 0 : 1;
              }),
              0);
  }
}

// Longer than others that hold the pipes are waited for.
TEST_F(Command, WhatALeftOverProcessWritesLateIsOutput) {
  const char* late = "(sleep 6; echo late) 2>&- & echo first";
  EXPECT_EQ(in_a_child([&] {
              return run(late, {}, true).ok() && output_ == "first\nlate\n" ? 0 : 1;
            }),
            0);
  EXPECT_NE(read_text(dir_ / "stderr").find("has ended, but something that it started holds its"),
            std::string::npos);
}

// Nobody waits for the output of one that has failed, nor for what is only a log.
TEST_F(Command, LeftOverProcessesAreNotWaitedForWhereNothingIsLost) {
  const char* failed = "sleep 4711.2 & exit 3";
  EXPECT_EQ(in_a_child([&] { return run(failed, {}, true).ok() ? 1 : 0; }), 0);
  EXPECT_EQ(in_a_child([&] { return run("sleep 4711.2 & true").ok() ? 0 : 1; }), 0);
  EXPECT_EQ(in_a_child([&] { return run("sleep 4711.2 > out & true", {}, true).ok() ? 0 : 1; }), 0);
}

// Also of a library that forgets to close it, or of whoever started the tracker.
TEST_F(Command, InheritsNoDescriptor) {
  EXPECT_EQ(in_a_child([&] {
              if (::dup2(2, 77) != 77) return 2;
              return run("test ! -e /proc/self/fd/77").ok() ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace weir::tasktracker
