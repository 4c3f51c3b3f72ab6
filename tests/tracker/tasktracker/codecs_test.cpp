// Whole jobs whose map outputs or inputs are compressed.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tracker/tasktracker/job_run.h"
#include "tracker/tasktracker/packed.h"

namespace weir::tasktracker {
namespace {

std::string some_lines(int count) {
  std::mt19937 random(9);
  std::string text;
  for (int i = 0; i < count; ++i)
    text += "key " + std::to_string(random() % 5'000) + "\tvalue " + std::to_string(i) + "\n";
  return text;
}

constexpr const char* kCodecConf = "mapreduce.map.output.compress.codec";

// Many spills, a merge of them, pieces in memory and in files: the same bytes in every way.
TEST(Codecs, TheOutputIsTheSameWithEach) {
  const std::string text = some_lines(150'000);
  std::string plain;
  for (const std::string codec : {"none", "lz4", "zstd"}) {
    JobRun run({.input = text, .conf = {{kCodecConf, codec}}});
    ASSERT_EQ(run.go(), "SUCCEEDED") << codec;
    const std::string output = run.part(0) + "/" + run.part(1);
    if (plain.empty()) plain = output;
    EXPECT_TRUE(output == plain) << codec;
    const auto counter = [&run](const char* name) { return run.jobtracker->counter("weir", name); };
    EXPECT_EQ(counter("MAP_OUTPUT_BYTES"), static_cast<std::int64_t>(text.size()));
    EXPECT_EQ(counter("MAP_OUTPUT_MATERIALIZED_BYTES"), counter("SHUFFLE_BYTES"));
    if (codec == "none") {
      EXPECT_EQ(counter("SHUFFLE_BYTES"), static_cast<std::int64_t>(text.size()));
    } else {
      EXPECT_LT(counter("SHUFFLE_BYTES"), static_cast<std::int64_t>(text.size() / 2)) << codec;
    }
  }
}

// The reduces' own merges, when there are more files than may be open.
TEST(Codecs, PiecesAreFoldedTogetherInBlocks) {
  std::vector<std::string> lines(40'000);
  std::mt19937_64 random(1);
  for (std::string& line : lines) line = std::to_string(random()) + std::string(1'000, 'x') + "\n";
  const auto all = [&lines] { return std::accumulate(lines.begin(), lines.end(), std::string()); };
  JobRun run({.input = all(), .maps = 104, .reduces = 1, .conf = {{kCodecConf, "lz4"}}});
  ASSERT_EQ(run.go(), "SUCCEEDED");
  std::sort(lines.begin(), lines.end());
  EXPECT_TRUE(run.part(0) == all());
}

TEST(Codecs, TheTrackersCountsForJobsThatDoNotSay) {
  const std::string text = some_lines(20'000);
  const auto shuffled = [&text](const std::map<std::string, std::string>& conf) {
    JobParts parts{.input = text, .conf = conf};
    parts.task.map_output_codec = MapOutputCodec::kZstd;
    JobRun run(parts);
    EXPECT_EQ(run.go(), "SUCCEEDED");
    return run.jobtracker->counter("weir", "SHUFFLE_BYTES");
  };
  const auto size = static_cast<std::int64_t>(text.size());
  EXPECT_LT(shuffled({}), size / 2);
  EXPECT_EQ(shuffled({{"mapreduce.map.output.compress", "false"}}), size);
}

TEST(Codecs, CompressedFilesAreReadWhole) {
  const std::string a = some_lines(3'000), b = some_lines(500);
  const std::pair<const char*, std::string> files[] = {
      {"in.gz", gzip(a) + gzip(b)}, {"in.bz2", bzip2(a) + bzip2(b)}, {"in.zst", zstd(a) + zstd(b)}};
  for (const auto& [name, packed] : files) {
    JobRun run({.input = packed, .maps = 1, .reduces = 0, .input_name = name});
    EXPECT_EQ(run.go(), "SUCCEEDED") << name;
    EXPECT_TRUE(run.part(0) == a + b) << name;
    JobRun cut({.input = packed.substr(0, packed.size() - 9), .maps = 1, .input_name = name});
    EXPECT_NE(cut.go().find(std::string(name) + ": "), std::string::npos);
    JobRun other({.input = "no such format\n", .maps = 1, .input_name = name});
    EXPECT_NE(other.go().find(std::string(name) + ": not valid "), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::tasktracker
