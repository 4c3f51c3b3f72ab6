// The test program is also the program that the agent starts for each attempt, as `weir` is in real
// life.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <string_view>

#include "tracker/tasktracker/run_task.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "run-task") return weir::run_task_main(argv[2]);
  spdlog::set_level(spdlog::level::warn);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
