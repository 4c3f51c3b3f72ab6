// What `weir run` sends, and what it refuses before it asks anybody.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "cli/commands_fixture.h"
#include "cli/temporary_directory.h"

namespace weir::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Run : public Commands {
 protected:
  // The words of a command come last.
  Ran weir_run(std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--jobtracker", fake.address()});
    return run(more);
  }
  std::string refusal(std::vector<std::string> more) {
    const auto ran = weir_run(std::move(more));
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_THAT(fake.asked, IsEmpty());
    return ran.err;
  }
  TemporaryDirectory dir;
  const std::string file = dir.write("job.yaml",
                                     "queue: a\ngroups: [{name: ps, command: ./ps.sh}]\n");
};

TEST_F(Run, WhatTheFileSaysIsNotSaidBesideIt) {
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--count", "2"}, {"--memory", "1G"}, {"--vcores", "1"}, {"--resource", "gpu=1"},
           {"--require", "disk=ssd"}, {"--ports", "1"}, {"--gang", "2"}, {"--retries", "0"},
           {"--env", "A=b"}, {"--service"}}) {
    std::vector<std::string> line = {"-f", file};
    line.insert(line.end(), more.begin(), more.end());
    EXPECT_EQ(refusal(line), "weir: " + more[0] +
                                 ": with -f the file says it; write it there\n");
  }
  EXPECT_THAT(refusal({"-f", file, "--service", "--count", "2"}),
              HasSubstr("--count, --service: with -f the file says it"));
  EXPECT_EQ(weir_run({"-f", file, "--queue", "b", "--hold"}).code, 0);
  EXPECT_EQ(fake.submitted.spec.queue, "b");
}

TEST_F(Run, RequiresOneOfValuesOrNone) {
  const auto required = [&](const std::string& what) {
    EXPECT_EQ(weir_run({"--queue", "a", "--require", what, "--", "true"}).code, 0);
    return fake.submitted.spec.task_groups.at(0).require.at(0);
  };
  EXPECT_FALSE(required("zone=a,b").none_of);
  for (const char* none : {"rack=!r9,r8", "rack=!r9,!r8"}) {
    EXPECT_TRUE(required(none).none_of);
    EXPECT_THAT(required(none).values, testing::ElementsAre("r9", "r8"));
  }
  fake.asked.clear();
  EXPECT_THAT(refusal({"--queue", "a", "--require", "rack=r9,!r8", "--", "true"}),
              HasSubstr("--require 'rack=r9,!r8': write values that all begin with !"));
}

TEST_F(Run, EnvironmentAndTimeLimitAreThoseOfSubmit) {
  EXPECT_THAT(refusal({"--queue", "a", "--env", "A B=3", "--", "true"}),
              HasSubstr("--env 'A B': no name of an environment variable"));
  EXPECT_THAT(refusal({"--queue", "a", "--time-limit", "0s", "--", "true"}),
              HasSubstr("from 1ms to 87840h, or never"));
  EXPECT_EQ(weir_run({"--queue", "a", "--time-limit", "never", "--", "true"}).code, 0);
  EXPECT_EQ(fake.submitted.spec.time_limit_ms, 0);
}

TEST_F(Run, HelpSaysWhatATaskGetsThatAsksForNothing) {
  const std::string help = run({"run", "--help"}).out;
  EXPECT_THAT(help, testing::ContainsRegex("containers.minimum,\\s+128 MB"));
  EXPECT_THAT(help, testing::ContainsRegex("containers.minimum,\\s+1 unless"));
}

// Which of the two counts nobody could say.
TEST_F(Run, WhatHasANameIsSaidOnce) {
  EXPECT_THAT(refusal({"--queue", "a", "--env", "A=1", "--env", "A=2", "--", "true"}),
              HasSubstr("--env A: given twice"));
  EXPECT_THAT(refusal({"--queue", "a", "--resource", "gpu=1", "--resource", "gpu=2", "--", "true"}),
              HasSubstr("--resource gpu: given twice"));
}

// Everybody may read a job's name.
TEST_F(Run, WithoutANameItIsTheProgramsAndHasNoSecret) {
  const auto named = [&](std::vector<std::string> command) {
    command.insert(command.begin(), {"--queue", "a", "--"});
    EXPECT_EQ(weir_run(command).code, 0);
    return fake.submitted.spec.name;
  };
  EXPECT_EQ(named({"bin/train.sh", "7"}), "train.sh");
  EXPECT_EQ(named({"DB_PASSWORD=hunter2 bin/x 7"}), "x");
  EXPECT_EQ(named({"A=1 DB_PASSWORD='hunter two' B=\"a b\" ./x"}), "x");
  EXPECT_EQ(named({"DB_PASSWORD=hunter2", "./x"}), "x");
  EXPECT_EQ(named({"DB_PASSWORD=hunter2"}), "command");
  EXPECT_EQ(named({"DB_PASSWORD='hunter two"}), "command");
  EXPECT_EQ(named({"--token=hunter2"}), "--token=***");
}

TEST_F(Run, AFileIsOneThatHasAnEnd) {
  const std::string fifo = dir / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& path : {std::string("/dev/zero"), fifo, std::string("/tmp")})
    EXPECT_EQ(refusal({"--queue", "a", "-f", path}),
              "weir: --file " + path + ": is no regular file\n");
  const std::string large = dir.write("large.yaml", std::string((8 << 20) + 1, '#'));
  EXPECT_THAT(refusal({"-f", large}), HasSubstr("is larger than 8.0 MiB"));
  EXPECT_THAT(refusal({"-f", dir / "none"}), HasSubstr("none: cannot be opened: No such file"));
}

}  // namespace
}  // namespace weir::cli
