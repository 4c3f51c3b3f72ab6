// How long the web port's calls took, by route and by the status of the answer. The routes are
// given once and the statuses are a list, so what a client asks makes no series. A histogram is
// made when it is first needed. Any thread; no lock.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tracker/metrics/histogram.h"

namespace weir {

class HttpTimes {
 public:
  struct Route {
    std::string method;
    std::string path;
  };

  explicit HttpTimes(std::vector<Route> routes);
  ~HttpTimes();

  // `route`: its place among those given.
  void add(std::size_t route, int status, std::chrono::steady_clock::duration took);

  // use(route, code, histogram), of what has been counted.
  template <class Use>
  void each(Use use) const {
    for (std::size_t r = 0; r < routes_.size(); ++r) {
      for (std::size_t s = 0; s < kCodes.size(); ++s) {
        const Histogram* times = times_[r][s].load(std::memory_order_acquire);
        if (times != nullptr) use(routes_[r], kCodes[s], *times);
      }
    }
  }

 private:
  static constexpr std::array kStatuses = {200, 201, 204, 206, 304, 400, 403, 404, 405, 409, 411,
                                           412, 413, 415, 416, 421, 429, 500, 502, 503, 504};
  static constexpr std::array kCodes = {"200", "201", "204", "206", "304", "400",  "403", "404",
                                        "405", "409", "411", "412", "413", "415",  "416", "421",
                                        "429", "500", "502", "503", "504", "other"};
  static_assert(kCodes.size() == kStatuses.size() + 1);
  using OfRoute = std::array<std::atomic<Histogram*>, kCodes.size()>;

  const std::vector<Route> routes_;
  const std::unique_ptr<OfRoute[]> times_;
};

}  // namespace weir
