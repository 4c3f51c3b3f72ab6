// The bare loop that real tasks are compared with: a thread for each core starts a program, waits
// for its end and starts it again, with nothing around it. Blocks for the time it is given.
#pragma once

#include <cstdint>
#include <string>

namespace weir::bench {

// How a loop starts its command: through the shell, as tasks are, or its words alone.
enum class SpawnBy { kShell, kWords };

struct SpawnLoop {
  std::string command = "/bin/true";
  SpawnBy by = SpawnBy::kShell;
  double seconds = 1;
  std::uint32_t threads = 0;  // 0: as many as there are cores
};

// Ends a second, of all threads. Throws std::runtime_error if the program cannot be started.
double spawn_and_wait(const SpawnLoop& loop);

}  // namespace weir::bench
