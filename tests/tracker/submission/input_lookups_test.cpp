#include "tracker/submission/input_lookups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "cli/temporary_directory.h"

namespace weir {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

InputLookups::Wanted wanted(const std::string& path) {
  return {{path}, 4, std::nullopt};
}

using Found = std::future<Result<InputSplits>>;

Found ask(InputLookups& lookups, const Asker& asker, const std::string& path) {
  const auto found = std::make_shared<std::promise<Result<InputSplits>>>();
  lookups.look(asker, wanted(path),
               [found](Result<InputSplits> input) { found->set_value(std::move(input)); });
  return found->get_future();
}
// By a user whom no other address has.
Found ask(InputLookups& lookups, const std::string& address, const std::string& path) {
  return ask(lookups, Asker{address, "user at " + address}, path);
}

// A disk on which what is called "hang" does, until it is let go.
class Disk {
 public:
  InputLookups::Look look() {
    return [this](const InputLookups::Wanted& wanted, const LookLimits&) -> Result<InputSplits> {
      const std::string& path = wanted.paths.front();
      std::unique_lock lock(mutex_);
      looked_.push_back(path);
      if (path == "hang") {
        ++hanging_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return free_; });
      }
      return InputSplits{wanted.paths, {}, 1};
    };
  }
  void wait_until_hanging(int looks) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return hanging_ >= looks; });
  }
  void wait_until_it_hangs() { wait_until_hanging(1); }
  void let_go() {
    const std::lock_guard lock(mutex_);
    free_ = true;
    changed_.notify_all();
  }
  std::vector<std::string> looked() {
    const std::lock_guard lock(mutex_);
    return looked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> looked_;
  int hanging_ = 0;
  bool free_ = false;
};

TEST(InputLookups, LooksAtTheDisk) {
  cli::TemporaryDirectory dir;
  dir.write("in/a", "0123456789");
  InputLookups lookups;
  const auto found = ask(lookups, "1.2.3.4", dir / "in").get();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->splits.size(), 3u);
  EXPECT_THAT(ask(lookups, "1.2.3.4", dir / "gone").get().error().message,
              HasSubstr("gone: does not exist"));
}

InputLookups::Look on(const std::shared_ptr<Disk>& disk) {
  return [disk, look = disk->look()](const auto& wanted, const auto& limits) {
    return look(wanted, limits);
  };
}

TEST(InputLookups, AFileSystemThatHangsHoldsUpNobodyElse) {
  const auto disk = std::make_shared<Disk>();
  InputLookups lookups({.threads = 2, .patience = std::chrono::hours(1)}, on(disk));
  auto hanging = ask(lookups, "bad", "hang");
  disk->wait_until_it_hangs();
  auto second = ask(lookups, "bad", "x");  // of the two threads the address has no other
  EXPECT_TRUE(ask(lookups, "good", "y").get().ok());
  EXPECT_TRUE(ask(lookups, "good", "z").get().ok());
  EXPECT_EQ(second.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  disk->let_go();
  EXPECT_TRUE(hanging.get().ok());
  EXPECT_TRUE(second.get().ok());
}

TEST(InputLookups, WhoWaitsForLongIsToldSo) {
  const auto disk = std::make_shared<Disk>();
  InputLookups lookups({.threads = 2, .patience = std::chrono::milliseconds(50)}, on(disk));
  auto hanging = ask(lookups, "bad", "hang");
  auto second = ask(lookups, "bad", "x");  // behind it
  const Error looked_at = hanging.get().error();
  EXPECT_EQ(looked_at.code, ErrorCode::kBusy);
  EXPECT_THAT(looked_at.message, HasSubstr("has not answered in time"));
  const Error waited = second.get().error();
  EXPECT_EQ(waited.code, ErrorCode::kBusy);
  EXPECT_THAT(waited.message, HasSubstr("other submissions from bad"));
  EXPECT_FALSE(InputLookups::for_everybody(waited));
  disk->let_go();
}

TEST(InputLookups, WhoFindsNoThreadIsNotToldThatHisFileSystemHangs) {
  const auto disk = std::make_shared<Disk>();
  InputLookups lookups({.threads = 1, .patience = std::chrono::milliseconds(50)}, on(disk));
  auto hanging = ask(lookups, "bad", "hang");
  disk->wait_until_it_hangs();
  const Error waited = ask(lookups, "good", "x").get().error();
  EXPECT_THAT(waited.message, HasSubstr("the file systems of others do not answer"));
  EXPECT_TRUE(InputLookups::for_everybody(waited));
  disk->let_go();
}

TEST(InputLookups, OneWithManyAddressesOrManyUsersLeavesThreadsToOthers) {
  for (const bool one_user : {true, false}) {
    const auto disk = std::make_shared<Disk>();
    InputLookups lookups({.patience = std::chrono::hours(1)}, on(disk));
    std::vector<Found> hanging;
    for (int i = 0; i < 8; ++i) {
      const std::string number = std::to_string(i);
      hanging.push_back(ask(lookups, one_user ? Asker{number, "bad"} : Asker{"bad", number},
                            "hang"));
    }
    disk->wait_until_hanging(4);
    EXPECT_TRUE(ask(lookups, "good", "y").get().ok());
    disk->let_go();
    for (Found& each : hanging) EXPECT_TRUE(each.get().ok());
  }
}

TEST(InputLookups, AddressesTakeTurns) {
  const auto disk = std::make_shared<Disk>();
  InputLookups lookups({.threads = 1, .patience = std::chrono::hours(1)}, on(disk));
  std::vector<Found> answers;
  answers.push_back(ask(lookups, "a", "hang"));
  disk->wait_until_it_hangs();
  for (const char* path : {"a1", "a2", "a3"}) answers.push_back(ask(lookups, "a", path));
  answers.push_back(ask(lookups, Asker{"a", "another"}, "other"));
  for (const char* path : {"b1", "b2"}) answers.push_back(ask(lookups, "b", path));
  disk->let_go();
  for (Found& each : answers) EXPECT_TRUE(each.get().ok());
  EXPECT_THAT(disk->looked(), ElementsAre("hang", "b1", "other", "b2", "a1", "a2", "a3"));
}

TEST(InputLookups, WhatWaitsOfAUserIsBoundedWhateverHisAddresses) {
  const auto disk = std::make_shared<Disk>();
  InputLookups lookups({.threads = 1, .waiting_of_user = 2}, on(disk));
  auto hanging = ask(lookups, Asker{"1", "ann"}, "hang");
  disk->wait_until_it_hangs();
  auto first = ask(lookups, Asker{"2", "ann"}, "x"), second = ask(lookups, Asker{"3", "ann"}, "y");
  const Error refused = ask(lookups, Asker{"4", "ann"}, "z").get().error();
  EXPECT_THAT(refused.message, HasSubstr("too many submissions of ann"));
  EXPECT_FALSE(InputLookups::for_everybody(refused));
  disk->let_go();
  for (auto* answer : {&hanging, &first, &second}) EXPECT_TRUE(answer->get().ok());
}

TEST(InputLookups, TheLineIsBoundedInAllAndForAnAddress) {
  const auto disk = std::make_shared<Disk>();
  InputLookups lookups({.threads = 1, .waiting = 3, .waiting_of_address = 2}, on(disk));
  auto hanging = ask(lookups, "a", "hang");
  disk->wait_until_it_hangs();
  auto first = ask(lookups, "a", "1"), second = ask(lookups, "a", "2");
  EXPECT_THAT(ask(lookups, "a", "3").get().error().message,
              HasSubstr("too many submissions from a"));
  auto third = ask(lookups, "b", "4");
  const Error full = ask(lookups, "c", "5").get().error();
  EXPECT_THAT(full.message, HasSubstr("too many submissions wait"));
  EXPECT_TRUE(InputLookups::for_everybody(full));
  disk->let_go();
  EXPECT_TRUE(hanging.get().ok());
  for (auto* answer : {&first, &second, &third}) EXPECT_TRUE(answer->get().ok());
}

TEST(InputLookups, AnEndWaitsForNoFileSystem) {
  const auto disk = std::make_shared<Disk>();
  Found hanging, waiting;
  {
    InputLookups lookups({.threads = 1}, on(disk));
    hanging = ask(lookups, "a", "hang");
    disk->wait_until_it_hangs();
    waiting = ask(lookups, "a", "x");
  }
  EXPECT_EQ(hanging.get().error().code, ErrorCode::kShuttingDown);
  EXPECT_EQ(waiting.get().error().code, ErrorCode::kShuttingDown);
  disk->let_go();
}

}  // namespace
}  // namespace weir
