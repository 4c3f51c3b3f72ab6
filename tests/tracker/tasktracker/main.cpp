// The test program is also the one that makes the processes of attempts, as `weir` is in real
// life.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <string_view>

#include "tracker/tasktracker/attempt_server.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "serve-attempts")
    return weir::serve_attempts_main();
  spdlog::set_level(spdlog::level::warn);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
