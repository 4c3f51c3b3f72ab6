// Commands against a JobTracker that answers what a test tells it to.
#pragma once

#include <gtest/gtest.h>

#include <sstream>

#include "cli/fake_jobtracker.h"
#include "cli/format.h"
#include "cli/json.h"

namespace weir::cli {

inline void expect_lines_fit(const std::string& text, std::size_t columns) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(display_width(line), columns) << line;
}

class Commands : public testing::Test {
 protected:
  Ran weir(std::vector<std::string> arguments, Terminal terminal = {}) {
    arguments.insert(arguments.end(), {"--jobtracker", fake.address()});
    return run(arguments, terminal);
  }
  std::string on_terminal(std::size_t columns, const std::vector<std::string>& arguments) {
    return weir(arguments, {.out = true, .columns = columns}).out;
  }
  // Nothing wraps on the terminals that people have.
  void expect_fits(const std::vector<std::string>& arguments) {
    for (const std::size_t columns : {80, 100, 200})
      expect_lines_fit(on_terminal(columns, arguments), columns);
  }
  Json json(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-o", "json"});
    const auto ran = weir(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return Json::parse(ran.out);
  }
  FakeJobTracker fake;
};

}  // namespace weir::cli
