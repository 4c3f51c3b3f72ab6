#include "tracker/splits/splits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/temporary_directory.h"
#include "jobqueue/model/submission_limits.h"
#include "tracker/splits/patterns.h"

namespace weir {
namespace {

using cli::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of(const std::vector<std::string>& paths) {
  const auto found = list_inputs(paths);
  if (found) return "accepted";
  EXPECT_EQ(found.error().code, ErrorCode::kBadRequest);
  return found.error().message;
}

InputSplits splits_of(const std::vector<InputFile>& files, std::int64_t split_bytes) {
  auto found = compute_splits(files, split_bytes);
  EXPECT_TRUE(found.ok());
  return found ? std::move(*found) : InputSplits{};
}

std::size_t count_pieces(const InputSplits& input) {
  std::size_t pieces = input.splits.size();
  for (const Split& split : input.splits) pieces += split.more.size();
  return pieces;
}

TEST(Splits, EqualPiecesAndARest) {
  const auto result = splits_of({{"/a", 250}}, 100);
  ASSERT_EQ(result.splits.size(), 3u);
  EXPECT_EQ(result.splits[2].offset, 200);
  EXPECT_EQ(result.splits[2].length, 50);
  EXPECT_EQ(result.bytes, 250);
  EXPECT_EQ(splits_of({{"/a", 200}}, 100).splits.size(), 2u);
  EXPECT_EQ(splits_of({{"/a", 1}}, 100).splits.size(), 1u);
}

TEST(Splits, CoverEveryByteOnce) {
  for (std::int64_t bytes = 1; bytes < 40; ++bytes) {
    for (std::int64_t step = 1; step < 45; ++step) {
      std::int64_t next = 0;
      for (const auto& split : splits_of({{"/a", bytes}}, step).splits) {
        EXPECT_EQ(split.offset, next);
        EXPECT_GT(split.length, 0);
        next += split.length;
      }
      EXPECT_EQ(next, bytes);
    }
  }
}

TEST(Splits, ACompressedFileIsOneAndEmptyIsNone) {
  for (const std::string name : {"/a.bz2", "/a.zst"})
    EXPECT_EQ(splits_of({{name, 1000}}, 100).splits.size(), 1u);
  const auto result = splits_of({{"/a.gz", 1000}, {"/empty", 0}, {"/b", 150}}, 100);
  EXPECT_THAT(result.files, ElementsAre("/a.gz", "/b"));
  ASSERT_EQ(result.splits.size(), 3u);
  EXPECT_EQ(result.splits[0].length, 1000);
  EXPECT_EQ(result.splits[1].file, 1);
}

TEST(Splits, NeighboursAreCombinedUpToASize) {
  auto input = splits_of({{"/a", 30}, {"/b", 70}, {"/c", 1}, {"/d", 450}, {"/e", 2}}, 200);
  combine_splits(input, 100);
  ASSERT_EQ(input.splits.size(), 5u);  // a+b, c, d in 200 + 200, d's rest and e
  EXPECT_EQ(input.splits[0].more.size(), 1u);
  EXPECT_EQ(input.splits[0].more[0].length, 70);
  EXPECT_TRUE(input.splits[1].more.empty());
  EXPECT_EQ(count_pieces(input), 7u);
  auto many = splits_of({{"/a", 2'500}}, 1);
  combine_splits(many, 1 << 20);
  ASSERT_EQ(many.splits.size(), 3u);
  EXPECT_EQ(many.splits[0].more.size() + 1, SubmissionLimits::kPiecesPerSplit);
}

TEST(Splits, TooManyAreRefused) {
  EXPECT_FALSE(compute_splits({{"/a", SubmissionLimits::kPieces + 1}}, 1).ok());
  EXPECT_FALSE(compute_splits({{"/a", INT64_MAX}, {"/b", INT64_MAX}}, 1).ok());
  EXPECT_FALSE(compute_splits({{"/a", INT64_MAX}, {"/b", INT64_MAX}, {"/c", INT64_MAX}}, 1).ok());
  EXPECT_EQ(splits_of({{"/a", INT64_MAX}}, INT64_MAX).splits.size(), 1u);
  EXPECT_EQ(splits_of({{"/a", INT64_MAX}}, INT64_MAX - 1).splits.size(), 2u);
}

TEST(Inputs, DirectoriesGiveTheirVisibleFilesByName) {
  TemporaryDirectory dir;
  dir.write("in/b", "b");
  dir.write("in/a", "a");
  dir.write("in/_SUCCESS", "x");
  dir.write("in/.hidden", "x");
  dir.write("in/sub/c", "c");
  const auto found = list_inputs({dir / "in/"});
  ASSERT_TRUE(found.ok());
  const auto& files = *found;
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, dir / "in/a");
  EXPECT_EQ(files[1].path, dir / "in/b");
}

TEST(Inputs, ALinkToNothingIsNamed) {
  TemporaryDirectory dir;
  dir.write("in/a", "a");
  std::filesystem::create_symlink("a", dir / "in/good");
  EXPECT_EQ(list_inputs({dir / "in"})->size(), 2u);
  std::filesystem::create_symlink("gone", dir / "in/.hidden");
  EXPECT_EQ(list_inputs({dir / "in"})->size(), 2u);
  std::filesystem::create_symlink("gone", dir / "in/bad");
  const std::string refused =
      "input " + dir / "in/bad: is a link to gone, which does not exist; mend or remove it";
  EXPECT_EQ(refusal_of({dir / "in"}), refused);
  EXPECT_EQ(refusal_of({dir / "in/bad"}), refused);
}

TEST(Inputs, PatternsStandForWhatTheyMatchByName) {
  TemporaryDirectory dir;
  dir.write("logs/b.gz", "b");
  dir.write("logs/a.gz", "a");
  dir.write("logs/_c.gz", "c");
  dir.write("logs/[x]", "x");
  dir.write("more/d", "d");
  const auto names = [&](const std::string& pattern) {
    std::string names;
    const auto files = list_inputs({dir / pattern});
    for (const InputFile& file : *files) names += file.path.substr(file.path.rfind('/') + 1) + " ";
    return names;
  };
  EXPECT_EQ(names("logs/*.gz"), "a.gz b.gz ");
  EXPECT_EQ(names("logs/_*"), "_c.gz ");
  EXPECT_EQ(names("logs/[x]"), "[x] ");  // it is there: no pattern
  EXPECT_EQ(names("{logs,more}"), "[x] a.gz b.gz d ");
  EXPECT_EQ(names("logs/[ab].g?"), "a.gz b.gz ");
  EXPECT_EQ(refusal_of({dir / "logs/*.txt"}),
            "input " + dir / "logs/*.txt: matches nothing; name files or directories that exist");
}

TEST(Inputs, RefusalsNameThePath) {
  TemporaryDirectory dir;
  const auto empty = dir.write("empty", "");
  std::filesystem::create_directories(dir / "nothing");
  EXPECT_THAT(refusal_of({dir / "missing"}), HasSubstr(dir / "missing: does not exist"));
  EXPECT_THAT(refusal_of({empty}), HasSubstr(empty + ": is empty"));
  EXPECT_THAT(refusal_of({dir / "nothing"}), HasSubstr("nothing: has no files"));
  EXPECT_THAT(refusal_of({"/dev/null"}), HasSubstr("/dev/null: is neither a file nor a directory"));
  dir.write("full", "x");
  EXPECT_EQ(refusal_of({empty, dir / "full"}), "accepted");
}

TEST(Inputs, PathsBecomeAbsolute) {
  EXPECT_EQ(*absolute_path("/a/./b/../c/"), "/a/c");
  EXPECT_EQ(*absolute_path("/"), "/");
  EXPECT_EQ(*absolute_path("x"), (std::filesystem::current_path() / "x").string());
}

TEST(Inputs, WhoLooksForOthersSaysHowMuch) {
  TemporaryDirectory dir;
  for (char name = 'a'; name <= 'j'; ++name) dir.write(std::string("in/") + name, "x");
  const auto refused = [](const std::string& path, const LookLimits& limits) {
    const auto found = list_inputs({path}, limits);
    return found ? "taken" : found.error().message;
  };
  EXPECT_EQ(refused(dir / "in", {.entries = 100}), "taken");
  EXPECT_EQ(refused(dir / "in", {.entries = 9}),
            "input " + dir / "in: too much to look at: more than 9 entries of directories");
  EXPECT_EQ(refused(dir / "in/*", {.entries = 100}), "taken");
  EXPECT_EQ(refused(dir / "in/*", {.entries = 9}),
            "input " + dir / "in/*: too much to look at: more than 9 entries of directories");
  EXPECT_EQ(refused(dir / "in/{a,b,c}", {.alternatives = 3}), "taken");
  EXPECT_EQ(refused(dir / "in/{a,b}{,x}", {.alternatives = 3}),
            "input " + dir / "in/{a,b}{,x}: its braces stand for more than 3 paths");
  std::string many;  // 2^40
  for (int i = 0; i < 40; ++i) many += "{a,b}";
  EXPECT_THAT(refused(dir / many, {}), HasSubstr("its braces stand for more than 100000 paths"));
  const std::atomic<bool> ended{true};
  EXPECT_EQ(refused(dir / "in", {.ended = &ended}), "input: nobody waits for it any more");
}

TEST(Inputs, BracesAreCountedAsTheyMultiply) {
  EXPECT_EQ(alternatives_of("a*b"), 1u);
  EXPECT_EQ(alternatives_of("{a,b,c}"), 3u);
  EXPECT_EQ(alternatives_of("{a,b}/{c,d}"), 4u);
  EXPECT_GE(alternatives_of("{a,{b,c}{d,e}}"), 5u);
  EXPECT_EQ(alternatives_of("a\\{b,c"), 1u);
  EXPECT_EQ(alternatives_of("{a,b"), 2u);  // it may be taken as it stands; no harm
}

}  // namespace
}  // namespace weir
