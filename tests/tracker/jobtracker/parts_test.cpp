// The small parts: uploads' bounds, the record table's sharing, which settings count at a start,
// the watch on the file.
#include <gtest/gtest.h>

#include <fstream>

#include "harness.h"
#include "tracker/published/record_table.h"
#include "tracker/jobtracker/settings_file.h"
#include "tracker/jobtracker/uploads.h"

namespace weir {
namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::trunc) << text;
}

TEST(Uploads, AreBoundedAndForgotten) {
  const auto now = Uploads::Clock::now();
  Uploads uploads(
      {.uploads = 2, .bytes = 12 * sizeof(wire::Split), .idle = std::chrono::minutes(10)});
  const std::vector<wire::Split> six(6);
  const std::string first = *uploads.begin("ann", "a", now);
  const std::string second = *uploads.begin("ann", "b", now);
  EXPECT_EQ(uploads.begin("ann", "c", now).error().code, ErrorCode::kBusy);
  EXPECT_TRUE(uploads.append(first, six, now).ok());
  EXPECT_EQ(uploads.append(second, six, now).error().code, ErrorCode::kBusy);
  EXPECT_EQ(uploads.take("ann", first, now)->size(), 6u);
  EXPECT_TRUE(uploads.append(second, six, now).ok());
  EXPECT_EQ(uploads.take("ann", first, now).error().code, ErrorCode::kBadRequest);
  EXPECT_FALSE(uploads.take("ann", second, now + std::chrono::minutes(11)).ok());
  EXPECT_TRUE(uploads.begin("ann", "a", now).ok());
}

TEST(Uploads, AreTheirUsers) {
  const auto now = Uploads::Clock::now();
  Uploads uploads({.bytes_of_user = 10 * sizeof(wire::Split)});
  const std::vector<wire::Split> six(6);
  const std::string anns = *uploads.begin("ann", "a", now);
  EXPECT_TRUE(uploads.append(anns, six, now).ok());
  EXPECT_EQ(uploads.take("bob", anns, now).error().code, ErrorCode::kBadRequest);
  // What one holds is no bound for another.
  const std::string again = *uploads.begin("ann", "a", now);
  EXPECT_EQ(uploads.append(again, six, now).error().code, ErrorCode::kBusy);
  const std::string bobs = *uploads.begin("bob", "a", now);
  EXPECT_TRUE(uploads.append(bobs, six, now).ok());
  EXPECT_NE(again.substr(0, 20), bobs.substr(0, 20));
  for (int i = 2; i < 8; ++i) EXPECT_TRUE(uploads.begin("ann", "a", now).ok());
  EXPECT_EQ(uploads.begin("ann", "a", now).error().code, ErrorCode::kBusy);
  EXPECT_TRUE(uploads.begin("bob", "a", now).ok());
  EXPECT_EQ(uploads.take("ann", anns, now)->size(), 6u);
  EXPECT_TRUE(uploads.append(again, six, now).ok());
}

// Users can be invented, addresses not: what one has leaves as much for the others.
TEST(Uploads, OfOneAddressLeaveRoomForAnother) {
  const auto now = Uploads::Clock::now();
  Uploads uploads({.uploads = 8, .bytes = 80 * sizeof(wire::Split)});
  const auto flood = [&](const std::string& address) {
    std::vector<std::string> ids;
    for (int n = 0;; ++n) {
      const auto id = uploads.begin("user" + std::to_string(n), address, now);
      if (!id) return ids;
      ids.push_back(*id);
    }
  };
  const auto eves = flood("eve");
  EXPECT_EQ(eves.size(), 4u);
  EXPECT_EQ(flood("mallory").size(), 2u);
  const auto bobs = uploads.begin("user0", "bob", now);
  ASSERT_TRUE(bobs.ok());
  // So with bytes.
  const std::vector<wire::Split> ten(10);
  for (const std::string& id : eves) EXPECT_TRUE(uploads.append(id, ten, now).ok());
  const Status fifth = uploads.append(eves[0], ten, now);
  EXPECT_EQ(fifth.error().code, ErrorCode::kBusy);
  EXPECT_NE(fifth.error().message.find("uploads from eve take"), std::string::npos);
  EXPECT_TRUE(uploads.append(*bobs, ten, now).ok());
}

TEST(Uploads, TakeTheirPartAndGiveItBackWhenIdleForLonger) {
  const auto now = Uploads::Clock::now();
  const auto idle = std::chrono::minutes(10);
  Uploads uploads({.uploads = 2, .bytes = 20 * sizeof(wire::Split), .idle = idle});
  const std::vector<wire::Split> ten(10);
  const std::string first = *uploads.begin("ann", "a", now);
  EXPECT_TRUE(uploads.append(first, ten, now).ok());
  const std::string second = *uploads.begin("ann", "b", now + idle);
  EXPECT_FALSE(uploads.append(second, ten, now + idle).ok()) << "the first is there still";
  const auto later = now + idle + std::chrono::milliseconds(1);
  EXPECT_TRUE(uploads.append(second, ten, later).ok());
  EXPECT_FALSE(uploads.take("ann", first, later).ok());
}

TEST(RecordTable, SnapshotsDoNotChange) {
  RecordTable<int> table;
  table.set(3, std::make_shared<int>(1));
  table.set(1000, std::make_shared<int>(2));
  const RecordTable<int> before = table.snapshot();
  table.set(3, std::make_shared<int>(7));
  table.set(1000, nullptr);
  table.set(5000, nullptr);
  EXPECT_EQ(*before.get(3), 1);
  EXPECT_EQ(*before.get(1000), 2);
  const RecordTable<int> after = table.snapshot();
  EXPECT_EQ(*after.get(3), 7);
  EXPECT_EQ(after.get(1000), nullptr);
  EXPECT_EQ(after.get(70'000), nullptr);
  EXPECT_TRUE(after.page_empty(300));
}

TEST(RecordTable, APageGoesWithItsLastRecord) {
  RecordTable<int> table;
  table.set(3, std::make_shared<int>(1));
  table.set(4, std::make_shared<int>(2));
  const RecordTable<int> before = table.snapshot();
  table.set(3, nullptr);
  EXPECT_FALSE(table.page_empty(4));
  table.set(3, nullptr);  // once more: it is not counted twice
  EXPECT_EQ(*table.get(4), 2);
  table.set(4, std::make_shared<int>(5));  // nor is one that is replaced
  table.set(4, nullptr);
  EXPECT_TRUE(table.page_empty(4));
  EXPECT_EQ(*before.get(3), 1);
  table.set(4, std::make_shared<int>(6));
  EXPECT_EQ(*table.get(4), 6);
  EXPECT_EQ(table.get(3), nullptr);
}

TEST(SettingsFile, TheStoreCountsUnlessTheFileIsNew) {
  const TempDir dir;
  const std::string path = dir.file("weir.yaml");
  write_file(path, "policy: fifo\n");
  Snapshot snapshot;
  auto start = decide_settings(path, snapshot);
  ASSERT_TRUE(start.ok());
  EXPECT_TRUE(start->from_file);
  snapshot.settings_text = "policy: capacity\n";
  snapshot.settings_source = "applied.yaml";
  snapshot.settings_file_hash = start->file_hash;
  start = decide_settings(path, snapshot);
  ASSERT_TRUE(start.ok());
  EXPECT_FALSE(start->from_file);
  EXPECT_EQ(start->loaded.settings.policy, "capacity");
  write_file(path, "policy: fifo\n# mended\n");
  start = decide_settings(path, snapshot);
  ASSERT_TRUE(start.ok());
  EXPECT_TRUE(start->from_file);
  EXPECT_EQ(start->loaded.settings.policy, "fifo");
  EXPECT_NE(start->why.find("has changed"), std::string::npos);
  write_file(path, "polcy: fifo\n");
  EXPECT_EQ(decide_settings(path, snapshot).error().code, ErrorCode::kSettingsRefused);
  EXPECT_FALSE(decide_settings(dir.file("none.yaml"), snapshot).ok());
}

// Such a file is refused while the JobTracker runs; it does not keep it from starting again.
TEST(SettingsFile, TheStoreCountsIfTheFileLeavesJobsWithoutAQueue) {
  const TempDir dir;
  const std::string path = dir.file("weir.yaml");
  write_file(path, "queues: [{name: a}, {name: b}]\n");
  Snapshot snapshot;
  snapshot.settings_text = "queues: [{name: a}, {name: c}]\n";
  snapshot.settings_source = "applied.yaml";
  snapshot.settings_file_hash = "of what was read before";
  snapshot.jobs.emplace_back().queue = "c";
  auto start = decide_settings(path, snapshot);
  ASSERT_TRUE(start.ok());
  EXPECT_FALSE(start->from_file);
  EXPECT_EQ(start->loaded.settings.queues.at(1).name, "c");
  EXPECT_NE(start->why.find("leaves unfinished jobs without a queue"), std::string::npos);
  EXPECT_EQ(start->file_hash, "of what was read before");  // it is looked at, and refused, again
  snapshot.jobs[0].state = JobState::kSucceeded;
  start = decide_settings(path, snapshot);
  ASSERT_TRUE(start.ok());
  EXPECT_TRUE(start->from_file);
}

TEST(SettingsFile, WatchWaitsForRestAndForNewContent) {
  const TempDir dir;
  const std::string path = dir.file("weir.yaml");
  write_file(path, "policy: fifo\n");
  FileWatch watch(path, content_hash("policy: fifo\n"));
  EXPECT_FALSE(watch.changed());
  write_file(path, "policy: capacity\n");
  EXPECT_FALSE(watch.changed());  // may still be being written
  EXPECT_EQ(watch.changed()->text, "policy: capacity\n");
  watch.seen(content_hash("policy: capacity\n"));
  EXPECT_FALSE(watch.changed());
  EXPECT_FALSE(watch.changed(true));
  write_file(path, "policy: fifo\n# again\n");
  EXPECT_EQ(watch.changed(true)->text, "policy: fifo\n# again\n");
  std::filesystem::remove(path);
  EXPECT_FALSE(watch.changed());
  EXPECT_FALSE(watch.changed());
}

}  // namespace
}  // namespace weir
