// Does something in a number of threads at once, and waits for all. What the first of them threw
// that threw is thrown as WireTrouble: one line that begins with what was being done.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace weir::bench {

class WireTrouble : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void in_parallel(std::uint32_t threads, const std::string& what,
                 const std::function<void(std::uint32_t thread)>& doing);

}  // namespace weir::bench
