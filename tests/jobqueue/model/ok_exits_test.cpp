// With which statuses commands may end.
#include "jobqueue/model/ok_exits.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(OkExits, NoughtAlwaysIsOne) {
  EXPECT_TRUE(OkExits().contains(0));
  EXPECT_FALSE(OkExits().contains(1));
  const auto named = OkExits::of({{"weir.ok.exit", "1,255"}});
  for (const int status : {0, 1, 255}) EXPECT_TRUE(named->contains(status)) << status;
  EXPECT_FALSE(named->contains(2));
}

TEST(OkExits, StreamingTakesAnyButWhatCouldNotBeRun) {
  const auto any = OkExits::of({{"stream.non.zero.exit.is.failure", "false"}});
  for (const int status : {0, 1, 125, 193, 255}) EXPECT_TRUE(any->contains(status)) << status;
  for (const int status : {126, 127, 137, 192}) EXPECT_FALSE(any->contains(status)) << status;
  const auto both =
      OkExits::of({{"stream.non.zero.exit.is.failure", "false"}, {"weir.ok.exit", "127"}});
  EXPECT_TRUE(both->contains(127));
  EXPECT_FALSE(OkExits::of({{"stream.non.zero.exit.is.failure", "true"}})->contains(1));
}

TEST(OkExits, WhatIsNoStatusIsRefused) {
  for (const char* wrong : {"", "1,", "-1", "256", "one", "1;2", "1 "})
    EXPECT_FALSE(OkExits::parse(wrong).ok()) << wrong;
  EXPECT_EQ(OkExits::of({{"weir.ok.exit", "x"}}).error().message, "weir.ok.exit is 'x'");
  EXPECT_EQ(OkExits::of({{"stream.non.zero.exit.is.failure", "no"}}).error().hint,
            "allowed: true or false");
}

}  // namespace
}  // namespace weir
