// Names, messages and logs that were made to steer the terminal of whoever looks at them.
#include <gmock/gmock.h>

#include "cli/commands_fixture.h"
#include "cli/temporary_directory.h"
#include "jobqueue/model/plain_text.h"
#include "tracker/tasktracker/shuffle_server.h"

namespace weir::cli {
namespace {

const std::string kHostile =
    "x\x1b]0;t\x07\x1b[2J\xc2\x9b" "2J\x9b" "2J\r\u202E\u200B\uFEFF\u2028\nforged: line";

// The first place of what should not be there.
std::string hidden_in(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0 || (is_hidden(code_point(rest.substr(0, length))) && rest[0] != '\n'))
      return "at " + std::to_string(text.size() - rest.size()) + " of: " + plain_text(text);
    rest.remove_prefix(length);
  }
  return "";
}

class HostileText : public Commands {
 protected:
  HostileText() {
    wire::JobStatus job = job_status(7, "FAILED");
    job.name = job.user = job.queue = job.output = kHostile;
    job.__set_pool(kHostile);
    job.__set_diagnostics(kHostile);
    job.__set_status(kHostile);
    job.__set_reason(kHostile);
    job.__set_counters({{kHostile, {{kHostile, 1}}}});
    fake.statuses = {job};
    fake.jobs = {job};
    wire::QueueStatus queue = queue_status(kHostile);
    queue.state = queue.guaranteed = kHostile;
    fake.queue_list = {queue};
    wire::TrackerStatus tracker;
    tracker.name = tracker.host = tracker.rack = tracker.state = kHostile;
    tracker.__set_health(kHostile);
    tracker.__set_lost_why(kHostile);
    tracker.__set_order(kHostile);
    tracker.__set_ordered_by(kHostile);
    tracker.__set_order_reason(kHostile);
    fake.tracker_list = {tracker};
    wire::AttemptInfo attempt;
    attempt.id.job = 7;
    attempt.id.index = attempt.id.attempt = 0;
    attempt.state = "FAILED";
    attempt.tracker = kHostile;
    attempt.__set_diagnostics(kHostile);
    fake.attempt_list = {attempt};
  }
  void expect_plain(const std::vector<std::string>& arguments) {
    const std::string what = testing::PrintToString(arguments);
    const Ran ran = weir(arguments);
    EXPECT_EQ(hidden_in(ran.out), "") << what;
    EXPECT_EQ(hidden_in(ran.err), "") << what;
    EXPECT_THAT(ran.out, Not(testing::HasSubstr("\nforged: line"))) << what;
    EXPECT_THAT(ran.err, Not(testing::HasSubstr("\nforged: line"))) << what;
  }
};

TEST_F(HostileText, IsPlainInWhatCommandsShow) {
  const std::vector<std::vector<std::string>> commands = {
      {"job", "list"},
      {"job", "list", "-o", "json"},
      {"job", "list", "--history"},
      {"job", "status", "7"},
      {"job", "status", "7", "--tasks"},
      {"job", "status", "7", "-o", "json"},
      {"job", "explain", "7"},
      {"job", "wait", "7"},
      {"job", "logs", "7"},
      {"job", "logs", "7", "--list"},
      {"job", "kill", "7"},
      {"job", "kill", kHostile},
      {"job", "move", "7", kHostile},
      {"queue", "list"},
      {"queue", "status", kHostile},
      {"queue", "list", "-o", "json"},
      {"tracker", "list"},
      {"tracker", "drain", kHostile},
      {"tracker", "list", "-o", "json"},
      {"policy", "show"},
      {"policy", "set", kHostile},
      {"conf", "check", kHostile},
      {"submit", "--conf", kHostile},
      {kHostile},
      {"job", "list", "--state", kHostile},
      {"--jobtracker", kHostile, "job", "list"}};
  for (const auto& arguments : commands) expect_plain(arguments);
  fake.refuse = refusal(wire::ErrorCode::BAD_REQUEST, kHostile, kHostile);
  for (const auto& arguments : commands) expect_plain(arguments);
}

class HostileLog : public Commands {
 protected:
  void SetUp() override {
    tasktracker::ShuffleServerOptions options;
    options.dirs.root = dir_ / "work";
    dir_.write("work/logs/job_0007/attempt_0007_m_000000_0/stderr", log_);
    server_ = std::make_unique<tasktracker::ShuffleServer>(options);
    const auto port = server_->start();
    ASSERT_TRUE(port.ok()) << port.error().message;
    wire::AttemptInfo attempt;
    attempt.id.job = 7;
    attempt.id.index = attempt.id.attempt = 0;
    attempt.id.kind = wire::TaskKind::MAP;
    attempt.state = "FAILED";
    attempt.tracker = "tt1";
    attempt.__set_log_host("127.0.0.1");
    attempt.__set_log_port(*port);
    fake.attempt_list = {attempt};
    fake.statuses = {job_status(7, "FAILED")};
  }
  const std::string log_ = "a\tb\x1b[2J\xc2\x9b" "2J\x9b\r\u202E|\u200B|\uFEFFé\n";
  TemporaryDirectory dir_;
  std::unique_ptr<tasktracker::ShuffleServer> server_;
};

TEST_F(HostileLog, IsPlainUnlessRawIsAskedFor) {
  const std::string plain = "a\tb?[2J?2J???|?|?é\n";
  EXPECT_EQ(weir({"job", "logs", "7"}).out, plain);
  EXPECT_EQ(on_terminal(80, {"job", "logs", "7"}), plain);
  EXPECT_EQ(weir({"job", "logs", "7", "-f"}).out, plain);
  EXPECT_EQ(weir({"job", "logs", "7", "--raw"}).out, log_);
  EXPECT_EQ(on_terminal(80, {"job", "logs", "7", "--raw", "-f"}), log_);
}

TEST_F(HostileLog, OfALongOneTheEndIsShownAndSaidToBeTheEnd) {
  dir_.write("work/logs/job_0007/attempt_0007_m_000000_0/stderr", "first\nsecond\nthird\n");
  const auto all = weir({"job", "logs", "7"});
  EXPECT_EQ(all.out, "first\nsecond\nthird\n");
  EXPECT_THAT(all.err, Not(testing::HasSubstr("the last")));
  for (const char* follow : {"--raw", "-f"}) {
    const auto cut = weir({"job", "logs", "7", "--bytes", "10", follow});
    EXPECT_EQ(cut.out, "third\n");
    EXPECT_THAT(cut.err, testing::HasSubstr("== stderr: the last 6 of 19 bytes; --bytes N for "));
  }
  const auto piece = weir({"job", "logs", "7", "--bytes", "4"});
  EXPECT_EQ(piece.out, "ird\n");
  EXPECT_THAT(piece.err, testing::HasSubstr("the last 4 of 19 bytes"));
  EXPECT_EQ(json({"job", "logs", "7", "--bytes", "10"})["logs"]["stderr"], "third\n");
}

}  // namespace
}  // namespace weir::cli
