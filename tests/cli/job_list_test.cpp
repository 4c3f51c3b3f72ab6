// Whose jobs `weir job list` shows, and which columns of them.
#include <gmock/gmock.h>

#include <cstdlib>

#include "cli/commands_fixture.h"

namespace weir::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class JobList : public Commands {
 protected:
  JobList() {
    wire::JobStatus job;
    job.job = 7;
    job.job_name = "job_0007";
    job.name = "a name that takes a good deal of room on a terminal of eighty columns";
    job.user = "alice";
    job.queue = "research";
    job.priority = "NORMAL";
    job.state = "FAILED";
    job.maps.failed_attempts = 4;
    job.submitted_at_ms = 1'700'000'000'000;
    job.__set_finished_at_ms(1'700'000'090'000);
    job.output = "/data/out";
    fake.jobs = {job};
  }
  std::string refusal(std::vector<std::string> more) {
    more.insert(more.begin(), {"job", "list"});
    const auto ran = weir(std::move(more));
    EXPECT_EQ(ran.code, 2);
    return ran.err;
  }
};

TEST_F(JobList, MeIsWhoAsks) {
  ::setenv("WEIR_USER", "carol", 1);
  EXPECT_EQ(weir({"job", "list", "--me"}).code, 0);
  EXPECT_THAT(fake.asked.back(), HasSubstr("carol"));
  EXPECT_EQ(weir({"job", "list", "--history", "--me"}).code, 0);
  EXPECT_THAT(fake.asked.back(), HasSubstr("carol"));
  ::unsetenv("WEIR_USER");
  EXPECT_THAT(refusal({"--me", "--user", "bob"}), HasSubstr("--user excludes --me"));
}

TEST_F(JobList, WideHasAllColumnsAndCutsNone) {
  const std::string wide = on_terminal(80, {"job", "list", "-o", "wide"});
  EXPECT_THAT(wide, HasSubstr("a name that takes a good deal of room on a terminal of eighty"));
  for (const char* column : {"POOL", "RUN", "FAILED", "KILLED", "STARTED", "FINISHED", "TOOK",
                             "OUTPUT", "REASON"})
    EXPECT_THAT(wide, HasSubstr(column));
  EXPECT_THAT(wide, HasSubstr(" 1m30s  /data/out"));
  EXPECT_THAT(on_terminal(80, {"job", "list"}), Not(HasSubstr("OUTPUT")));
}

TEST_F(JobList, ColumnsAreThoseThatAreNamedInTheirOrder) {
  EXPECT_THAT(weir({"job", "list", "--columns", "state,Job,FAILED,output"}).out,
              StartsWith("STATE   JOB       FAILED  OUTPUT\n"
                         "FAILED  job_0007       4  /data/out\n"));
  EXPECT_THAT(weir({"job", "list", "--all", "--columns", "took"}).out,
              StartsWith(" TOOK\n1m30s\n"));
  EXPECT_THAT(refusal({"--columns", "job,stat"}),
              StartsWith("weir: --columns 'stat': did you mean STATE?; write one or more of JOB"));
  EXPECT_THAT(refusal({"--columns", "job,,state"}), HasSubstr("'': is no column; write one"));
  for (const char* format : {"json", "wide"})
    EXPECT_THAT(refusal({"--columns", "job", "-o", format}), HasSubstr("leave one of the two"));
}

TEST_F(JobList, HelpIsACommandToo) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"submit"}, {"job", "list"}, {}}) {
    std::vector<std::string> asked = {"help"}, option = words;
    asked.insert(asked.end(), words.begin(), words.end());
    option.push_back("--help");
    const auto ran = run(asked), same = run(option);
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out, same.out);
    EXPECT_THAT(ran.out, HasSubstr("--help"));
  }
  const auto wrong = run({"help", "submitt"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'submitt' is no command of `weir`, did you mean 'submit'?"));
}

TEST_F(JobList, AllThatIsMissingIsNamedAtOnce) {
  EXPECT_EQ(run({"submit", "--queue", "q"}).err,
            "weir: --input, --output and --mapper are required; see `weir submit --help`\n");
  EXPECT_EQ(run({"submit", "--queue", "q", "--input", "i", "--mapper", "m"}).err,
            "weir: --output is required; see `weir submit --help`\n");
  EXPECT_EQ(run({"job", "status"}).err, "weir: ID is required; see `weir job status --help`\n");
  EXPECT_THAT(run({"job"}).err, Not(HasSubstr("are required")));
}

TEST_F(JobList, TheLimitIsTheJobTrackers) {
  for (const char* limit : {"-1", "10001"}) {
    EXPECT_THAT(refusal({"--limit", limit}),
                HasSubstr(limit + std::string(" is not within 0 to 10000;")));
  }
}

}  // namespace
}  // namespace weir::cli
