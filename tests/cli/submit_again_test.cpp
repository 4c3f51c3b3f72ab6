// A job once more, with what is given in place of what it had; and what a job runs, as people see
// it.
#include "cli/submit_again.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/fake_jobtracker.h"
#include "cli/json.h"
#include "cli/temporary_directory.h"

namespace weir::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SubmitAgain : public testing::Test {
 protected:
  void SetUp() override {
    wire::AskedJob asked;
    wire::JobSpec& spec = asked.spec;
    spec.name = "out";
    spec.queue = "research.vision";
    spec.input_files = {input};
    spec.output = dir / "out";
    spec.mapper = "grep x";
    spec.__set_reducer("uniq -c");
    spec.__set_reduces(3);
    spec.__set_priority("HIGH");
    spec.__set_conf({{"pool", "p1"}, {"k", "old"}});
    spec.__set_environment({{"LANG", "C"}});
    spec.__set_hold(true);
    spec.__set_map_memory_mb(512);
    spec.__set_input({input});
    spec.__set_split_bytes(100);
    asked.user = "ann";
    asked.address = "10.0.0.3";
    asked.input_files = 1;
    asked.maps = 3;
    fake.submission = asked;
    fake.statuses = {job_status(7, "SUCCEEDED", 3, 3)};
  }

  Ran again(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"job",      "submit-again",    "7",
                                          "--output", dir / "out2",      "--user",
                                          "ann",      "--jobtracker", fake.address()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  void expect_refused(std::vector<std::string> more, const std::string& message) {
    const auto ran = again(std::move(more));
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(message));
    EXPECT_THAT(fake.asked, IsEmpty());
  }

  TemporaryDirectory dir;
  FakeJobTracker fake;
  std::string input = dir.write("in", std::string(250, 'x'));
};

TEST_F(SubmitAgain, IsTheSameButForWhatIsGiven) {
  const auto ran = again({"--queue", "production", "--conf", "k=new", "--env", "N=5"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(fake.submission_for, "ann");
  const wire::JobSpec& spec = fake.submitted.spec;
  EXPECT_EQ(spec.queue, "production");
  EXPECT_EQ(spec.name, "out2");  // it was called after its output
  EXPECT_EQ(spec.output, dir / "out2");
  EXPECT_EQ(spec.mapper, "grep x");
  EXPECT_EQ(spec.reducer, "uniq -c");
  EXPECT_EQ(spec.reduces, 3);
  EXPECT_EQ(spec.priority, "HIGH");
  EXPECT_EQ(spec.map_memory_mb, 512);
  EXPECT_EQ(spec.splits.size(), 3u);  // looked for again, 100 bytes each
  EXPECT_EQ(spec.conf, (std::map<std::string, std::string>{{"k", "new"}, {"pool", "p1"}}));
  EXPECT_EQ(spec.environment, (std::map<std::string, std::string>{{"LANG", "C"}, {"N", "5"}}));
  EXPECT_FALSE(spec.hold);
}

TEST_F(SubmitAgain, WhatIsSecretIsSaidAgain) {
  fake.submission->masked = {"mapper", "environment.TOKEN", "conf.api.key"};
  expect_refused({}, "to be said again: --mapper, --env TOKEN=..., --conf api.key=...");
  expect_refused({"--mapper", "cat", "--env", "TOKEN=t"}, "said again: --conf api.key=...");
  EXPECT_EQ(again({"--mapper", "cat", "--env", "TOKEN=t", "--conf", "api.key=k"}).code, 0);
  EXPECT_EQ(fake.submitted.spec.environment.at("TOKEN"), "t");
}

TEST_F(SubmitAgain, WhatWasTooMuchToKeepIsSaidAgain) {
  wire::JobFile file;
  file.name = "table";
  fake.submission->spec.__set_files({file});
  fake.submission->left_out = {200'000};
  fake.submission->spec.input.clear();
  fake.submission->input_files = 2;
  expect_refused({}, "to be said again: --files, --input");
  const std::string table = dir.write("table", "a");
  EXPECT_EQ(again({"--files", table, "--input", input}).code, 0);
  EXPECT_EQ(fake.submitted.spec.files.at(0).content, "a");
}

TEST_F(SubmitAgain, AnOutputThatExistsIsRefused) {
  dir.write("out2", "");
  const auto ran = again();
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("exists already"));
}

TEST_F(SubmitAgain, OfAnApplicationLittleCanBeChanged) {
  fake.submission->input_files = 0;
  wire::JobSpec& spec = fake.submission->spec;
  spec = wire::JobSpec();
  spec.name = "sweep";
  spec.queue = "research";
  wire::TaskGroup group;
  group.name = "main";
  group.count = 3;
  group.command = "./sweep.sh";
  spec.__set_task_groups({group});
  const auto changed = [this](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"job", "submit-again", "7", "--jobtracker",
                                          fake.address()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  };
  EXPECT_THAT(changed({"--mapper", "cat"}).err, HasSubstr("job_0007 is an application"));
  EXPECT_EQ(changed({"--env", "N=5", "--queue", "production"}).code, 0);
  EXPECT_EQ(fake.submitted.spec.task_groups.at(0).environment.at("N"), "5");
  EXPECT_EQ(fake.submitted.spec.task_groups.at(0).command, "./sweep.sh");
  EXPECT_EQ(fake.submitted.spec.queue, "production");
}

TEST_F(SubmitAgain, TheStatusSaysWhatAJobRuns) {
  const auto ran = run({"job", "status", "7", "--jobtracker", fake.address()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const std::string& line :
       {std::string("mapper:   grep x\n"), std::string("reducer:  uniq -c\n"),
        "input:    " + input + " (1 file, 100 B a map)\n",
        std::string("memory:   map 512 MB, reduce as the tracker has it, sort buffer 64 MB\n"),
        std::string("conf:     k=old\n"), std::string("env:      LANG=C\n"),
        std::string("from:     ann at 10.0.0.3\n")}) {
    EXPECT_THAT(ran.out, HasSubstr(line));
  }
  EXPECT_EQ(fake.submission_for, "");  // so that no secret is in it
  // On a terminal what is long goes on in its column.
  fake.submission->spec.mapper = std::string(60, 'a') + " " + std::string(60, 'b');
  const auto narrow =
      run({"job", "status", "7", "--jobtracker", fake.address()}, {.out = true, .columns = 80});
  EXPECT_THAT(narrow.out, HasSubstr("mapper:   " + std::string(60, 'a') + "\n            " +
                                    std::string(60, 'b') + "\n"));
  const auto json = Json::parse(
      run({"job", "status", "7", "-o", "json", "--jobtracker", fake.address()}).out);
  EXPECT_EQ(json["submission"]["reducer"], "uniq -c");
  EXPECT_EQ(json["submission"]["environment"], (Json{{"LANG", "C"}}));
}

TEST_F(SubmitAgain, WhatIsNotKeptAnyMoreIsSaidSo) {
  fake.submission.reset();
  const auto ran = run({"job", "status", "7", "--jobtracker", fake.address()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("what it was submitted with is not kept any more"));
}

}  // namespace
}  // namespace weir::cli
