// The event log's file: what is in it, how it is rotated, and what happens when it cannot be
// written.
#include "tracker/jobtracker/event_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
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
  // As soon as there is one.
  static std::string error_of(const EventFile& file) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!file.error() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return file.error().value_or("");
  }
  // With more told, until there is none.
  std::optional<std::string> error_after_more(EventFile& file) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (file.error() && std::chrono::steady_clock::now() < end) {
      tell(file);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return file.error();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir.file(name)) << text;
  }
  std::string refusal(const std::string& name, const std::string& store = "") {
    EventFile file(store);
    file.follow(logging_to(dir.file(name), 4096, 3));
    for (int i = 0; i < 20; ++i) tell(file);
    return error_of(file);
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

// It would wait for a reader.
TEST_F(EventFileTest, APipeIsNotWaitedFor) {
  const std::string path = dir.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0);
  EventFile file;
  file.follow(logging_to(path));
  tell(file);
  EXPECT_EQ(error_of(file), "event log " + path + ": is no regular file");
}

// Who may change settings may not have the daemon write to all that its user may.
TEST_F(EventFileTest, WhatIsNoEventLogIsLeftAlone) {
  write("notes", "precious\n");
  EXPECT_THAT(refusal("notes"), HasSubstr(dir.file("notes") + ": is there and is no event log"));
  EXPECT_EQ(lines("notes"), std::vector<std::string>{"precious"});
  write("events.1.jsonl", "{\"t\": 1}\n");
  write("events.2.jsonl", "precious\n");
  EXPECT_THAT(refusal("events.jsonl"),
              HasSubstr(dir.file("events.2.jsonl") + ": is there and is no event log"));
  EXPECT_FALSE(std::filesystem::exists(dir.file("events.jsonl")));
}

TEST_F(EventFileTest, WhatComesInTheWayOfARotationIsLeftAlone) {
  EventFile file;
  file.follow(logging_to(dir.file("events.jsonl"), 4096, 3));
  while (!std::filesystem::exists(dir.file("events.2.jsonl"))) {
    tell(file);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  write("aside", "precious\n");
  std::filesystem::rename(dir.file("aside"), dir.file("events.1.jsonl"));
  for (int i = 0; i < 100; ++i) tell(file);
  EXPECT_THAT(error_of(file), HasSubstr(dir.file("events.1.jsonl") + ": is there and is no"));
  EXPECT_EQ(lines("events.1.jsonl"), std::vector<std::string>{"precious"});
  std::filesystem::remove(dir.file("events.1.jsonl"));
  EXPECT_EQ(error_after_more(file), std::nullopt);  // it is written again
}

// By a lease, as below.
TEST_F(EventFileTest, ADiskThatKeepsUpAgainIsNotSaidToBeSlow) {
  ::signal(SIGIO, SIG_IGN);
  write("events.jsonl", "");
  const int lease = ::open(dir.file("events.jsonl").c_str(), O_WRONLY | O_CLOEXEC);
  if (::fcntl(lease, F_SETLEASE, F_WRLCK) != 0) {
    ::close(lease);
    GTEST_SKIP() << "no leases here";
  }
  EventFile file;
  file.follow(logging_to(dir.file("events.jsonl")));
  while (!file.error()) tell(file);
  EXPECT_THAT(file.error().value(), HasSubstr("lines lost"));
  ::close(lease);
  EXPECT_EQ(error_after_more(file), std::nullopt);
}

TEST_F(EventFileTest, NorIsItAFileOfTheStore) {
  const std::string store = dir.file("weir.db");
  for (const char* end : {"", "-wal", "-shm", "-journal", "-lock"}) {
    const std::string name = "weir.db" + std::string(end), path = dir.file(name);
    EXPECT_EQ(refusal(name, store), "event log " + path + ": is a file of the store");
    EXPECT_FALSE(std::filesystem::exists(path));  // it may come yet
  }
  write("weir.db", "");
  std::filesystem::create_symlink(store, dir.file("link"));
  EXPECT_THAT(refusal("link", store), HasSubstr("link: is a file of the store"));
  EXPECT_THAT(refusal("a.db-wal", dir.file("a.1.db")), HasSubstr("a.1.db-wal: is a file of the"));
}

// By a lease, which whoever opens the file waits for, as for a disk.
TEST_F(EventFileTest, ADiskThatHangsHoldsNobodyUp) {
  ::signal(SIGIO, SIG_IGN);
  write("events.jsonl", "");
  const int lease = ::open(dir.file("events.jsonl").c_str(), O_WRONLY | O_CLOEXEC);
  if (::fcntl(lease, F_SETLEASE, F_WRLCK) != 0) {
    ::close(lease);
    GTEST_SKIP() << "no leases here";
  }
  {
    EventFile file;
    const auto begun = std::chrono::steady_clock::now();
    file.follow(logging_to(dir.file("events.jsonl")));
    tell(file);
    file.follow(logging_to(dir.file("events.jsonl"), 5000));  // the same file, the next writer
    tell(file);
    file.follow(logging_to(dir.file("other.jsonl")));
    tell(file);
    file.follow(logging_to(""));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
    while (lines("other.jsonl").empty()) std::this_thread::yield();
    ::close(lease);
  }
  const std::vector<std::string> once = lines("other.jsonl");
  std::vector<std::string> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (lines("events.jsonl") != twice && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(lines("events.jsonl"), twice);
}

TEST_F(EventFileTest, NorDoesItTheEnd) {
  ::signal(SIGIO, SIG_IGN);
  write("events.jsonl", "");
  const int lease = ::open(dir.file("events.jsonl").c_str(), O_WRONLY | O_CLOEXEC);
  if (::fcntl(lease, F_SETLEASE, F_WRLCK) != 0) {
    ::close(lease);
    GTEST_SKIP() << "no leases here";
  }
  const auto begun = std::chrono::steady_clock::now();
  {
    EventFile file;
    file.follow(logging_to(dir.file("events.jsonl")));
    tell(file);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
  ::close(lease);
  while (lines("events.jsonl").empty()) std::this_thread::yield();  // before its directory goes
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
  EXPECT_THAT(error_of(file), HasSubstr("event log " + dir.file("taken/events.jsonl") + ": "));
  std::filesystem::remove(dir.file("taken"));
  file.follow(logging_to(dir.file("taken/events.jsonl")));
  tell(file);
  while (lines("taken/events.jsonl").empty()) std::this_thread::yield();
  EXPECT_EQ(file.error(), std::nullopt);
}

}  // namespace
}  // namespace weir
