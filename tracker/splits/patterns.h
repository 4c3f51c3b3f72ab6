// Patterns of paths as a shell has them (* ? [a-z] {a,b}), and the account of what a look at the
// disk has cost. A pattern can stand for as many alternatives as it has braces doubled, and for a
// walk over the whole disk: both end where the account does, whoever wrote it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/result.h"
#include "tracker/splits/splits.h"

namespace weir {

class LookAccount {
 public:
  explicit LookAccount(const LookLimits& limits) : limits_(limits) {}
  // One more entry of a directory, or path: or why it is enough.
  Status take(const std::string& path);
  bool exhausted() const { return taken_ > limits_.entries || ended(); }
  bool ended() const { return limits_.ended != nullptr && *limits_.ended; }
  const LookLimits& limits() const { return limits_; }

 private:
  const LookLimits& limits_;
  std::size_t taken_ = 0;
};

Error wrong_input(const std::string& path, const std::string& cause);

// What a pattern stands for, by name. Like a folder, it leaves out what begins with "_" (or "."),
// unless it says so itself.
Result<std::vector<std::string>> matches_of(const std::string& pattern, LookAccount& account);

// How many alternatives the braces of a pattern stand for, or more; SIZE_MAX at most.
std::size_t alternatives_of(std::string_view pattern);

}  // namespace weir
