// Calls of a port by method and by how they were answered, and how long they took. A method is
// known once a call of that name was understood, so that nobody can fill the table with names of
// his own; there is room for kMost, and the rest counts as one. Any thread; no lock but for a
// method's first call.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tracker/metrics/histogram.h"

namespace weir {

class CallCounters {
 public:
  static constexpr std::size_t kMost = 64;
  static constexpr std::size_t kCodes = 32;  // places: 0 is answered, others are codes of errors
  static constexpr std::size_t kFault = 31;  // no error of ours: an exception of the framework's

  struct Method {
    explicit Method(std::string method) : name(std::move(method)) {}
    const std::string name;
    Histogram seconds{kCallTimes};
    std::array<Count, kCodes> codes;
  };

  // `code`: see kCodes. A call that was not understood goes by the name "unknown".
  void add(std::string_view method, std::size_t code, std::chrono::steady_clock::duration took);
  // By name.
  std::vector<const Method*> methods() const;

 private:
  static constexpr std::size_t kPlaces = 256;
  Method& of(std::string_view method);
  Method* find(std::string_view method, std::size_t& place) const;

  std::array<std::atomic<Method*>, kPlaces> table_{};
  std::mutex mutex_;  // for adding
  std::vector<std::unique_ptr<Method>> methods_;
};

}  // namespace weir
