#include "tracker/metrics/http_times.h"

#include <algorithm>

namespace weir {

HttpTimes::HttpTimes(std::vector<Route> routes)
    : routes_(std::move(routes)), times_(std::make_unique<OfRoute[]>(routes_.size())) {}

HttpTimes::~HttpTimes() {
  for (std::size_t r = 0; r < routes_.size(); ++r) {
    for (const auto& times : times_[r]) delete times.load(std::memory_order_relaxed);
  }
}

void HttpTimes::add(std::size_t route, int status, std::chrono::steady_clock::duration took) {
  const auto known = std::find(kStatuses.begin(), kStatuses.end(), status);
  auto& place = times_[route][static_cast<std::size_t>(known - kStatuses.begin())];
  Histogram* times = place.load(std::memory_order_acquire);
  if (times == nullptr) {
    auto made = std::make_unique<Histogram>(kCallTimes);
    if (place.compare_exchange_strong(times, made.get(), std::memory_order_acq_rel))
      times = made.release();  // else another thread was first, whose it is now
  }
  times->observe(took);
}

}  // namespace weir
