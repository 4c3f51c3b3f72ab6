// Whole jobs through a real agent, real processes and a JobTracker played by the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "tracker/tasktracker/job_run.h"
#include "tracker/tasktracker/line.h"

namespace weir::tasktracker {
namespace {

std::string some_text(int words) {
  std::mt19937 random(7);
  std::string text;
  for (int i = 0; i < words; ++i) {
    text += "w" + std::to_string(random() % 997);
    text += random() % 9 == 0 ? '\n' : ' ';
  }
  return text;
}

std::map<std::string, int> count_words(const std::string& text) {
  std::istringstream stream(text);
  std::map<std::string, int> counts;
  for (std::string word; stream >> word;) ++counts[word];
  return counts;
}

const char* const kWords = "tr -s ' ' '\\n' | awk 'NF {print $0 \"\\t1\"}'";
const char* const kSum =
    "awk -F'\\t' '{if ($1 != k && NR > 1) {print k \"\\t\" n; n = 0} k = $1; n += $2} END {if (NR) "
    "print k \"\\t\" n}'";

std::map<std::string, int> sums_of(const std::string& text) {
  std::istringstream stream(text);
  std::map<std::string, int> sums;
  std::string word;
  for (int n; stream >> word >> n;) sums[word] += n;
  return sums;
}

TEST(Jobs, CountsWords) {
  const std::string text = some_text(200000);
  JobRun run({.input = text, .mapper = kWords, .reducer = kSum});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(sums_of(run.part(0) + run.part(1)), count_words(text));
  EXPECT_TRUE(std::filesystem::exists(run.output + "/_SUCCESS"));
  EXPECT_FALSE(std::filesystem::exists(run.output + "/_temporary"));
  EXPECT_EQ(run.jobtracker->counter("weir", "MAP_OUTPUT_RECORDS"), 200000);
  EXPECT_EQ(run.jobtracker->counter("weir", "REDUCE_INPUT_RECORDS"), 200000);
  EXPECT_EQ(run.jobtracker->counter("weir", "REDUCE_INPUT_GROUPS"), 997);
  EXPECT_EQ(run.jobtracker->counter("weir", "MAP_INPUT_BYTES"),
            static_cast<std::int64_t>(text.size()));
}

// Pairs "word,n" by a comma, as Hadoop's streaming says it: the reducer gets them with a TAB.
TEST(Jobs, AKeyMayEndAtAnotherCharacter) {
  const std::string text = some_text(20000);
  for (const char* const combiner : {"", kSum}) {
    JobRun run({.input = text,
                .mapper = "tr -s ' ' '\\n' | awk 'NF {print $0 \",1\"}'",
                .reducer = kSum,
                .combiner = combiner,
                .conf = {{"stream.map.output.field.separator", ","}}});
    ASSERT_EQ(run.go(), "SUCCEEDED");
    const std::string first = run.part(0), second = run.part(1);
    EXPECT_EQ(sums_of(first + second), count_words(text));
    EXPECT_EQ(sums_of(first).size() + sums_of(second).size(), count_words(text).size())
        << "a key went to both";
  }
}

// The whole key is sorted by, its first field says where it goes.
TEST(Jobs, AKeyMayBeOfSeveralFields) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += "g" + std::to_string(i % 7) + "\t" + std::to_string(1000 + i * 37 % 3000) + "\tx\n";
  JobRun run({.input = text,
              .conf = {{"stream.num.map.output.key.fields", "2"},
                       {"mapreduce.partition.keypartitioner.options", "-k1,1"}}});
  ASSERT_EQ(run.go(), "SUCCEEDED");
  std::map<std::string, int> seen_in;
  std::size_t lines = 0;
  for (const int part : {0, 1}) {
    std::istringstream stream(run.part(part));
    std::vector<std::string> keys;
    for (std::string group, number, value; stream >> group >> number >> value; ++lines) {
      keys.push_back(group + "\t" + number);
      EXPECT_EQ(seen_in.emplace(group, part).first->second, part) << group;
    }
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end())) << part;
  }
  EXPECT_EQ(lines, 3000u);
  EXPECT_EQ(run.jobtracker->counter("weir", "REDUCE_INPUT_GROUPS"), 3000);
}

TEST(Jobs, AKeyThatCannotBeToldApartFailsItsMap) {
  JobRun run({.input = "a\tb,1\n",
              .maps = 1,
              .conf = {{"stream.map.output.field.separator", ","}},
              .max_attempts = 1});
  const std::string end = run.go();
  EXPECT_NE(end.find("a key has a TAB in it"), std::string::npos) << end;
}

// grep ends with 1 where nothing matches.
TEST(Jobs, CommandsMayEndAsTheJobSays) {
  const auto matches = [](std::map<std::string, std::string> conf, const char* mapper) {
    JobRun run({.input = "one\nnine\nsix six\n",
                .mapper = mapper,
                .reduces = 0,
                .conf = std::move(conf),
                .max_attempts = 1});
    const std::string end = run.go();
    return end == "SUCCEEDED" ? run.part(0) + run.part(1) + run.part(2) : end.substr(0, 6);
  };
  EXPECT_EQ(matches({}, "grep n"), "FAILED");
  EXPECT_EQ(matches({{"weir.ok.exit", "0,1"}}, "grep n"), "one\nnine\n");
  EXPECT_EQ(matches({{"stream.non.zero.exit.is.failure", "false"}}, "grep n"), "one\nnine\n");
  EXPECT_EQ(matches({{"stream.non.zero.exit.is.failure", "false"}}, "no-such-program"), "FAILED");
  EXPECT_EQ(matches({{"stream.non.zero.exit.is.failure", "false"}}, "kill -9 $$"), "FAILED");
  // A signal ends what the shell waits for, and not the shell.
  EXPECT_EQ(matches({{"stream.non.zero.exit.is.failure", "false"}}, "cat | sh -c 'kill -9 $$'"),
            "FAILED");
}

// What lies in its pipe the program has not read yet, and before its end nothing is done.
TEST(Jobs, AMapsProgressIsWhatItsProgramHasRead) {
  const TempDir marks;
  const std::string go = marks / "go";
  JobRun run({.input = some_text(100000),
              .mapper = "head -c 131072; echo reporter:status:waits >&2; while [ ! -e " + go +
                        " ]; do sleep 0.01; done; cat",
              .maps = 1,
              .reduces = 0});
  std::int32_t waiting = 0, most = 0;
  std::int64_t since_ms = 0;
  run.jobtracker->meddle = [&](const Heartbeat& report, HeartbeatReply&) {
    for (const AttemptReport& status : report.attempts) {
      if (status.phase != TaskPhase::kMap || status.status != "waits") continue;
      most = std::max(most, status.progress_millionths);
      if (since_ms == 0) since_ms = steady_now_ms();
      if (steady_now_ms() < since_ms + 1000) {  // three reports of the task
        waiting = std::max(waiting, status.progress_millionths);
      } else if (!std::filesystem::exists(go)) {
        marks.write("go", "");
      }
    }
  };
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_GT(waiting, 0);
  EXPECT_LT(waiting, 400'000);  // 128 of some 450 KB, and twice as much was written
  EXPECT_LE(most, 990'000);
}

TEST(Jobs, CombinesBeforeTheShuffle) {
  const std::string text = some_text(500000);
  JobRun run({.input = text,
              .mapper = kWords,
              .reducer = kSum,
              .combiner = kSum,
              .maps = 1,
              .reduces = 3});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  EXPECT_EQ(sums_of(run.part(0) + run.part(1) + run.part(2)), count_words(text));
  EXPECT_EQ(run.jobtracker->counter("weir", "REDUCE_INPUT_RECORDS"), 997);
  EXPECT_GT(run.jobtracker->counter("weir", "COMBINE_INPUT_RECORDS"),
            500000);  // spills, and once more at the end
}

TEST(Jobs, WithoutReducesTheMappersOutputIsTheJobs) {
  const std::string text = some_text(1000);
  JobRun run({.input = text, .mapper = "tr a-z A-Z", .reduces = 0});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  std::string upper = text;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(run.part(0) + run.part(1) + run.part(2), upper);
}

// More pieces than a merge may open files, none small enough for memory: equal keys still come in
// input order.
TEST(Jobs, EqualKeysKeepTheOrderOfTheInput) {
  std::string text;
  std::vector<std::string> by_key[5];
  for (int i = 0; text.size() < 36000000; ++i) {
    const std::string line = "key" + std::to_string(i * 7 % 5) + "\t" + std::to_string(i) + " " +
                             std::string(50, 'v') + "\n";
    text += line;
    by_key[i * 7 % 5].push_back(line);
  }
  JobRun run({.input = text, .maps = 110, .reduces = 1});
  EXPECT_EQ(run.go(), "SUCCEEDED");
  std::string expected;
  for (const auto& lines : by_key) {
    for (const std::string& line : lines) expected += line;
  }
  EXPECT_TRUE(run.part(0) == expected);
}

}  // namespace
}  // namespace weir::tasktracker
