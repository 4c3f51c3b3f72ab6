// The event log's file: what is in it, how it is rotated, and what happens when it cannot be
// written.
#include "tracker/jobtracker/event_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "harness.h"
#include "support/fifo_harness.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

Settings logging_to(const std::string& path, std::int64_t rotate = 1'000'000,
                    std::int64_t keep = 2) {
  Settings settings;
  if (!path.empty()) settings.event_log = EventLogSettings{path, rotate, keep};
  return settings;
}

struct EventFileTest : testing::Test {
  EventFileTest() {
    h.add_tracker("t1");
    h.submit({.maps = 3});
    h.heartbeat("t1");
  }
  void tell(EventFile& file) {
    for (const Event& event : h.log) file.on(event, h.engine());
  }
  std::vector<std::string> lines(const std::string& name) const {
    std::ifstream in(dir.file(name));
    std::vector<std::string> found;
    for (std::string line; std::getline(in, line);) found.push_back(line);
    return found;
  }
  test::FifoHarness h;
  TempDir dir;
};

TEST_F(EventFileTest, EveryDecisionIsALine) {
  {
    EventFile file;
    file.follow(logging_to(dir.file("events.jsonl")));
    tell(file);
    EXPECT_EQ(file.error(), std::nullopt);
  }
  const auto told = lines("events.jsonl");
  EXPECT_THAT(told, ::testing::Contains(HasSubstr("\"event\": \"launch\", \"job\": \"job_0001\", "
                                                  "\"task\": \"m1\"")));
}

TEST_F(EventFileTest, NothingIsWrittenUnlessAsked) {
  EventFile file;
  file.follow(Settings{});
  tell(file);
  file.follow(logging_to(""));
  tell(file);
  EXPECT_TRUE(std::filesystem::is_empty(dir.file("")));
}

// The engine's thread would wait for a reader.
TEST_F(EventFileTest, APipeIsNotWaitedFor) {
  const std::string path = dir.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0);
  EventFile file;
  file.follow(logging_to(path));
  tell(file);
  EXPECT_EQ(file.error(), "event log " + path + ": is no regular file");
}

TEST_F(EventFileTest, FilesAreRotatedAndSoManyKept) {
  {
    EventFile file;
    file.follow(logging_to(dir.file("events.jsonl"), 4096, 2));
    for (int i = 0; i < 100; ++i) tell(file);
  }
  EXPECT_FALSE(lines("events.jsonl").empty());
  EXPECT_FALSE(lines("events.1.jsonl").empty());
  EXPECT_FALSE(lines("events.2.jsonl").empty());
  EXPECT_TRUE(lines("events.3.jsonl").empty());
  EXPECT_LE(std::filesystem::file_size(dir.file("events.1.jsonl")), 4096u);
}

TEST_F(EventFileTest, OtherSettingsOtherFile) {
  {
    EventFile file;
    file.follow(logging_to(dir.file("a.jsonl")));
    tell(file);
    file.follow(logging_to(dir.file("b.jsonl")));
    tell(file);
    file.follow(logging_to(""));
    tell(file);
  }
  EXPECT_EQ(lines("a.jsonl"), lines("b.jsonl"));
  EXPECT_FALSE(lines("a.jsonl").empty());
}

TEST_F(EventFileTest, AFileThatCannotBeOpenedIsToldAndTriedAgain) {
  EventFile file;
  std::ofstream(dir.file("taken")) << "a file, no directory";
  file.follow(logging_to(dir.file("taken/events.jsonl")));
  tell(file);
  ASSERT_TRUE(file.error());
  EXPECT_THAT(*file.error(), HasSubstr("event log " + dir.file("taken/events.jsonl") + ": "));
  std::filesystem::remove(dir.file("taken"));
  file.follow(logging_to(dir.file("taken/events.jsonl")));
  EXPECT_EQ(file.error(), std::nullopt);
  tell(file);
}

}  // namespace
}  // namespace weir
