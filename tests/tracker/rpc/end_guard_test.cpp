// A daemon that was told to end does.
#include "tracker/rpc/end_guard.h"

#include <gtest/gtest.h>

#include <thread>

namespace weir {
namespace {

using std::chrono::milliseconds;

TEST(EndGuardDeathTest, EndsTheProcessAndSaysWhatItWaitedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        EndGuard guard("tracker tt1", milliseconds(50));
        guard.at("the disk of its work directory");
        std::this_thread::sleep_for(std::chrono::minutes(10));
      },
      testing::ExitedWithCode(1), "");
}

TEST(EndGuard, AnEndInTimeIsLeftAlone) {
  const EndGuard guard("tracker tt1");
}

}  // namespace
}  // namespace weir
