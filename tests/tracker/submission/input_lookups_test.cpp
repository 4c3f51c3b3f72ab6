#include "tracker/submission/input_lookups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <memory>

#include "cli/temporary_directory.h"

namespace weir {
namespace {

using testing::HasSubstr;

InputLookups::Wanted wanted(const std::string& path) {
  return {{path}, 4, std::nullopt};
}

std::future<Result<InputSplits>> ask(InputLookups& lookups, const std::string& address,
                                     const std::string& path) {
  const auto found = std::make_shared<std::promise<Result<InputSplits>>>();
  lookups.look(address, wanted(path),
               [found](Result<InputSplits> input) { found->set_value(std::move(input)); });
  return found->get_future();
}

// A disk on which what is called "hang" does, until it is let go.
class Disk {
 public:
  InputLookups::Look look() {
    return [this](const InputLookups::Wanted& wanted, const LookLimits&) -> Result<InputSplits> {
      if (wanted.paths.front() == "hang") {
        hanging_.count_down();
        free_.get_future().share().wait();
      }
      return InputSplits{wanted.paths, {}, 1};
    };
  }
  void wait_until_it_hangs() { hanging_.wait(); }
  void let_go() { free_.set_value(); }

 private:
  std::latch hanging_{1};
  std::promise<void> free_;
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
  for (auto* answer : {&hanging, &second}) {
    const auto late = answer->get();
    EXPECT_EQ(late.error().code, ErrorCode::kBusy);
    EXPECT_THAT(late.error().message, HasSubstr("has not answered in time"));
  }
  disk->let_go();
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
  EXPECT_THAT(ask(lookups, "c", "5").get().error().message, HasSubstr("too many submissions wait"));
  disk->let_go();
  EXPECT_TRUE(hanging.get().ok());
  for (auto* answer : {&first, &second, &third}) EXPECT_TRUE(answer->get().ok());
}

TEST(InputLookups, AnEndWaitsForNoFileSystem) {
  const auto disk = std::make_shared<Disk>();
  std::future<Result<InputSplits>> hanging, waiting;
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
