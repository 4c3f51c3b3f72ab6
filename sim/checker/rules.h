// The rules that hold after every input (capacity.md, "Always true"), each with a short name that
// stays: it is printed with a breach, listed by `weir sim --list-rules`, and named to `--break`. A
// breach says which rule, when, with which numbers, and which input made it. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/time.h"

namespace weir::check {

struct Rule {
  std::string_view name;
  std::string_view says;
  bool of_containers = false;  // where slots count there is nothing to break
};
const std::vector<Rule>& rules();
const Rule* find_rule(std::string_view name);

struct Breach {
  std::string rule;
  TimeMs at = 0;
  std::string message;  // with the numbers
  std::string input;    // what the engine was told
  std::uint64_t step = 0;
};
std::string to_string(const Breach& breach);  // one line

}  // namespace weir::check
