#include "jobqueue/store/store_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace weir {
namespace {

class StoreLockTest : public testing::Test {
 protected:
  ~StoreLockTest() override {
    std::error_code ignored;
    std::filesystem::remove(StoreLock::file_of(store_), ignored);
  }
  std::string store_ = testing::TempDir() + "store_lock_test_" + std::to_string(getpid());
};

TEST_F(StoreLockTest, SaysWhoHasTheStore) {
  EXPECT_EQ(StoreLock::holder(store_), std::nullopt);
  {
    StoreLock lock;
    ASSERT_TRUE(lock.take(store_, 0).ok());
    EXPECT_EQ(StoreLock::holder(store_), getpid());
    EXPECT_FALSE(StoreLock().take(store_, 0).ok());
    EXPECT_EQ(StoreLock::holder(store_), getpid());  // not one that only tried
  }
  EXPECT_EQ(StoreLock::holder(store_), std::nullopt);
}

TEST_F(StoreLockTest, WhatACrashLeftInTheFileIsOldNews) {
  std::ofstream(StoreLock::file_of(store_)) << "1234567 and more\n";
  EXPECT_EQ(StoreLock::holder(store_), std::nullopt);
  StoreLock lock;
  ASSERT_TRUE(lock.take(store_, 0).ok());
  EXPECT_EQ(StoreLock::holder(store_), getpid());
}

TEST_F(StoreLockTest, RemembersThatTheStoreWasWritten) {
  for (const bool written : {false, true, true, false}) {
    StoreLock lock;
    ASSERT_TRUE(lock.take(store_, 0).ok());
    lock.say_written(written);
    EXPECT_EQ(StoreLock::holder(store_), getpid());
  }
  const auto written = [&] {
    StoreLock lock;
    return lock.take(store_, 0).ok() && lock.written();
  };
  EXPECT_FALSE(written());
  {
    StoreLock lock;
    ASSERT_TRUE(lock.take(store_, 0).ok());
    lock.say_written(true);
  }
  EXPECT_TRUE(written());
  EXPECT_TRUE(written());
}

}  // namespace
}  // namespace weir
