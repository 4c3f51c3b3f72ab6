// Where there is no libFuzzer: runs the target over files, as `fuzz_settings FILE...`, so that
// asan replays the corpus. Each input is a block of its own size, so that a sanitizer sees
// a read behind its end.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int*, char***);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be opened\n", argv[i]);
      return 1;
    }
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
    std::fprintf(stderr, "Running: %s\n", argv[i]);  // so that a crash names its file
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  return argc > 1 ? 0 : 1;
}
