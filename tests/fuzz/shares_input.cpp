// The JSON that `weir shares` reads from its standard input.
#include <iostream>
#include <sstream>

#include "cli/app.h"
#include "fuzz/target.h"

void weir::fuzz::run(std::string_view input) {
  std::istringstream in{std::string(input)};
  std::ostringstream out, err;
  std::cin.clear();
  std::streambuf* const real = std::cin.rdbuf(in.rdbuf());
  (void)cli::run_cli({"shares", "--total", "1000"}, out, err, {}, std::cin);
  std::cin.rdbuf(real);
}
