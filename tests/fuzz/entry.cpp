// The entry that libFuzzer and replay_main.cpp know, with what is the same for all targets: quiet
// logs and a bound on the input.
#include <spdlog/spdlog.h>

#include "fuzz/target.h"

extern "C" int LLVMFuzzerInitialize(int*, char***);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerInitialize(int*, char***) {
  spdlog::set_level(spdlog::level::off);
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > weir::fuzz::kMostInputBytes) return -1;
  weir::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
