#include "bench/tasks/spawn_loop.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace weir::bench {
namespace {

TEST(SpawnLoop, CountsWhatHasEnded) {
  for (const SpawnBy by : {SpawnBy::kShell, SpawnBy::kWords})
    EXPECT_GT(spawn_and_wait({.by = by, .seconds = 0.1, .threads = 1}), 0);
}

TEST(SpawnLoop, APlainCommandNeedsNoShell) {
  EXPECT_THROW(
      spawn_and_wait(
          {.command = "/no/such/program", .by = SpawnBy::kWords, .seconds = 0.1, .threads = 2}),
      std::runtime_error);
}

}  // namespace
}  // namespace weir::bench
