// One thread for what is too slow for an io thread and not the engine's business: parsing a
// settings file that a client sent, writing lists for readers that waited. Requests from clients
// are bounded; what the daemon itself hands over always goes in. Runs until stop(), which finishes
// what is there.
#pragma once

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <utility>

namespace weir {

class Worker {
 public:
  static constexpr int kMostRequests = 16;

  void run(std::function<void()> work) { boost::asio::post(pool_, std::move(work)); }
  // False, and nothing happens, when too many requests wait already.
  bool try_run(std::function<void()> request) {
    if (requests_.fetch_add(1) >= kMostRequests) {
      requests_.fetch_sub(1);
      return false;
    }
    run([this, request = std::move(request)] {
      request();
      requests_.fetch_sub(1);
    });
    return true;
  }
  void stop() { pool_.join(); }

 private:
  boost::asio::thread_pool pool_{1};
  std::atomic<int> requests_{0};
};

}  // namespace weir
