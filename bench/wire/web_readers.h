// People at the page: streams of /api/v1/events that take all that comes, and readers that ask,
// each for one of the pages' lists in turn, once a second. A thread each; they begin when this is
// made, spread over a second, and end with it. What cannot be had is counted, not thrown.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "live/http_client.h"

namespace weir::bench {

class WebReaders {
 public:
  WebReaders(std::uint16_t port, std::uint32_t streams, std::uint32_t readers);
  ~WebReaders();

  std::uint64_t answers() const { return answers_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t refused() const { return refused_; }  // not 200, or no answer at all

 private:
  void stream(live::HttpClient& client, std::uint32_t number);
  void read(live::HttpClient& client, std::uint32_t number);
  // True when it is time to end.
  bool wait_ms(std::int64_t ms);

  std::atomic<std::uint64_t> answers_{0}, bytes_{0}, refused_{0};
  std::mutex mutex_;
  std::condition_variable ending_;
  bool end_ = false;
  std::vector<std::unique_ptr<live::HttpClient>> clients_;
  std::vector<std::jthread> threads_;
};

}  // namespace weir::bench
