#include "tracker/tasktracker/spill_sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

using Lines = std::vector<std::string>;  // without newlines

std::string key_of(const std::string& line) {
  return line.substr(0, line.find('\t'));
}

// What the sorter must do, said the plain way.
std::vector<Lines> expected(const Lines& lines, std::uint32_t partitions) {
  std::vector<Lines> parts(partitions);
  for (const std::string& line : lines)
    parts[partition_of(key_of(line), partitions)].push_back(line);
  for (Lines& part : parts) {
    std::stable_sort(part.begin(), part.end(), [](const std::string& a, const std::string& b) {
      return key_of(a) < key_of(b);
    });
  }
  return parts;
}

Status feed(SpillSorter& sorter, std::string_view bytes, std::size_t chunk) {
  while (!bytes.empty()) {
    auto room = sorter.space();
    if (!room.ok()) return room.error();
    const std::size_t n = std::min({chunk, room->size(), bytes.size()});
    std::memcpy(room->data(), bytes.data(), n);
    if (auto done = sorter.commit(n); !done) return done;
    bytes.remove_prefix(n);
  }
  return Ok{};
}

std::string unpacked(std::string_view blocks) {
  std::string text;
  BlockUnpacker unpacker;
  while (!blocks.empty()) {
    const auto header = parse_block_header(blocks.substr(0, kBlockHeaderBytes), INT64_MAX);
    EXPECT_TRUE(header.ok());
    blocks.remove_prefix(kBlockHeaderBytes);
    std::string raw(header->raw, 0);
    EXPECT_TRUE(unpacker.unpack(*header, blocks.substr(0, header->stored), raw.data()).ok());
    blocks.remove_prefix(header->stored);
    text += raw;
  }
  return text;
}

std::vector<Lines> read_run(const Run& run) {
  const std::string text = read_text(run.path);
  std::vector<Lines> parts;
  for (const Segment& segment : run.segments) {
    Lines lines;
    std::string_view part = std::string_view(text).substr(static_cast<std::size_t>(segment.offset),
                                                          static_cast<std::size_t>(segment.bytes));
    EXPECT_EQ(crc_of(0, part), segment.crc);
    const std::string raw = segment.in_blocks ? unpacked(part) : "";
    if (segment.in_blocks) part = raw;
    EXPECT_EQ(std::cmp_equal(part.size(), segment.raw_bytes), true);
    while (!part.empty()) {
      lines.emplace_back(part.substr(0, part.find('\n')));
      part.remove_prefix(lines.back().size() + 1);
    }
    EXPECT_EQ(std::cmp_equal(lines.size(), segment.lines), true);
    parts.push_back(std::move(lines));
  }
  return parts;
}

std::string join(const Lines& lines, bool newline_at_end = true) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  if (!newline_at_end && !text.empty()) text.pop_back();
  return text;
}

Lines random_lines(std::mt19937& random, int count) {
  Lines lines;
  for (int i = 0; i < count; ++i) {
    std::string key;
    const int length = static_cast<int>(random() % 12);
    for (int c = 0; c < length; ++c) key += static_cast<char>("ab\xff\x01 "[random() % 5]);
    lines.push_back(random() % 5 == 0 ? key : key + "\t" + std::to_string(i));
  }
  return lines;
}

TEST(SpillSorter, SortsLikeAStableSortHoweverOftenItSpills) {
  std::mt19937 random(11);
  const TempDir dir;
  int number = 0;
  for (const int count : {0, 1, 2, 1000, 20000}) {
    for (const std::uint32_t partitions : {1u, 2u, 7u, 1000u}) {
      const Lines lines = random_lines(random, count);
      SpillSorterOptions options;
      options.prefix = dir / std::to_string(number) + "_";
      options.partitions = partitions;
      options.memory_bytes = 64 * 1024;
      options.fan_in = 3;
      options.codec = static_cast<MapOutputCodec>(number % 3);
      SpillSorter sorter(std::move(options));
      ASSERT_TRUE(feed(sorter, join(lines, random() % 2 == 0), 1 + random() % 5000).ok());
      auto run = sorter.finish(dir / ("out" + std::to_string(number++)), true);
      ASSERT_TRUE(run.ok()) << run.error().message;
      EXPECT_EQ(read_run(*run), expected(lines, partitions));
      EXPECT_EQ(sorter.lines_in(), count);
      EXPECT_EQ(sorter.lines_spilled(), count);
      if (count == 20000) {
        EXPECT_GT(sorter.spills(), 9u);
      }
    }
  }
}

TEST(SpillSorter, ALineLargerThanTheBufferMakesItGrow) {
  for (const auto codec : {MapOutputCodec::kNone, MapOutputCodec::kLz4}) {
    const TempDir dir;
    Lines lines = {"b\t1", std::string(3 << 20, 'x') + "\tlong", "a\t" + std::string(1 << 20, 'y'),
                   "c", ""};
    SpillSorterOptions options;
    options.prefix = dir / "s_";
    options.partitions = 2;
    options.memory_bytes = 64 * 1024;
    options.codec = codec;
    SpillSorter sorter(std::move(options));
    ASSERT_TRUE(feed(sorter, join(lines), 100000).ok());
    auto run = sorter.finish(dir / "out", true);
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(read_run(*run), expected(lines, 2));
  }
}

TEST(SpillSorter, ALineOverTheLimitIsAnErrorThatNamesTheSetting) {
  const TempDir dir;
  SpillSorterOptions options;
  options.prefix = dir / "s_";
  options.memory_bytes = 64 * 1024;
  options.max_line_bytes = 1 << 20;
  SpillSorter sorter(std::move(options));
  const Status fed = feed(sorter, std::string(2 << 20, 'x'), 65536);
  ASSERT_FALSE(fed.ok());
  EXPECT_EQ(fed.error().message,
            "a line is longer than 1 MB (conf weir.max.line.mb raises the limit)");
}

// A combiner that swaps keys for their length: what it writes is partitioned and sorted anew.
TEST(SpillSorter, WhatACombinerWritesIsSortedAgain) {
  const TempDir dir;
  std::mt19937 random(5);
  const Lines lines = random_lines(random, 20000);
  SpillSorterOptions options;
  options.prefix = dir / "s_";
  options.partitions = 3;
  options.memory_bytes = 64 * 1024;
  options.combine = [](LineStream& in, SpillSorter& out) -> Status {
    while (const Line* line = in.next()) {
      const std::string text = "k" + std::to_string(line->key_length % 10) + "\n";
      if (auto fed = feed(out, text, text.size()); !fed) return fed;
    }
    return in.status();
  };
  SpillSorter sorter(std::move(options));
  ASSERT_TRUE(feed(sorter, join(lines), 10000).ok());
  auto run = sorter.finish(dir / "out", true);
  ASSERT_TRUE(run.ok());
  // Every spill maps keys to k0..k9; the last pass maps these (two bytes) to k2.
  Lines all;
  for (const Lines& part : read_run(*run)) {
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    all.insert(all.end(), part.begin(), part.end());
  }
  EXPECT_EQ(all, Lines(20000, "k2"));
}

// The combiner runs at each spill and, from 3 spills on, once more over their merge. Of nothing it
// is not asked.
TEST(SpillSorter, TheCombinerRunsOnceMoreFromThreeSpillsOn) {
  const auto runs = [](std::size_t spills) {
    const TempDir dir;
    std::size_t combined = 0;
    SpillSorterOptions options;
    options.prefix = dir / "s_";
    options.memory_bytes = 64 * 1024;
    options.combine = [&combined](LineStream& in, SpillSorter&) -> Status {
      ++combined;
      while (in.next() != nullptr) continue;
      return in.status();
    };
    SpillSorter sorter(std::move(options));
    const std::string line(100, 'x');
    while (spills > 0 && sorter.spills() + 1 < spills) {
      EXPECT_TRUE(feed(sorter, line + "\n", line.size() + 1).ok());
    }
    if (spills > 0) {  // the last one, at the end
      EXPECT_TRUE(feed(sorter, line + "\n", line.size() + 1).ok());
    }
    EXPECT_TRUE(sorter.finish(dir / "out", true).ok());
    return combined;
  };
  EXPECT_EQ(runs(0), 0u);
  EXPECT_EQ(runs(1), 1u);
  EXPECT_EQ(runs(2), 2u);
  EXPECT_EQ(runs(3), 4u);
  EXPECT_EQ(runs(4), 5u);
}

TEST(Partition, IsTheSameForever) {
  // FNV-1a 64 test vectors; changing them would tear running jobs apart.
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8ull);
  EXPECT_EQ(partition_of("foobar", 10), 0x85944171f73967e8ull % 10);
  EXPECT_EQ(partition_of("anything", 1), 0u);
}

TEST(Line, KeysCompareAsBytesWithTheShorterFirst) {
  const auto order = [](const std::string& a, const std::string& b) {
    const std::string x = a + "\n", y = b + "\n";
    const int order = compare_keys(make_line(x.data(), x.size()), make_line(y.data(), y.size()));
    return order < 0 ? -1 : order > 0;
  };
  EXPECT_EQ(order("a", "b"), -1);
  EXPECT_EQ(order("a", std::string("a\0", 2)), -1);
  EXPECT_EQ(order("12345678", "123456789"), -1);
  EXPECT_EQ(order("\xff", "a"), 1);
  EXPECT_EQ(order("same\t1", "same\t2"), 0);
  EXPECT_EQ(order("123456789b", "123456789a"), 1);
}

}  // namespace
}  // namespace weir::tasktracker
