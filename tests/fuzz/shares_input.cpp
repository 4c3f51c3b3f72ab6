// The JSON that `weir shares` reads from its standard input, with and without --drf.
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/app.h"
#include "fuzz/target.h"

namespace {

void run_shares(std::string_view input, std::vector<std::string> arguments) {
  std::istringstream in{std::string(input)};
  std::ostringstream out, err;
  std::cin.clear();
  std::streambuf* const real = std::cin.rdbuf(in.rdbuf());
  (void)weir::cli::run_cli(std::move(arguments), out, err, {}, std::cin);
  std::cin.rdbuf(real);
}

}  // namespace

void weir::fuzz::run(std::string_view input) {
  run_shares(input, {"shares", "--total", "1000"});
  run_shares(input, {"shares", "--drf", "--total", "memory_mb=1000,vcores=10,gpu=2"});
}
