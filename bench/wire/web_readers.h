// People at the page: streams of /api/v1/events that take all that comes, and readers that ask,
// each for one of the pages' lists in turn, once a second. One thread for all of them, which begins
// when this is made and ends with it; it decodes nothing, so that next to the daemon it costs
// little. What cannot be had is counted, not thrown; a connection that ended is made again after a
// second.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <thread>

namespace weir::bench {

class WebReaders {
 public:
  WebReaders(std::uint16_t port, std::uint32_t streams, std::uint32_t readers);
  ~WebReaders();

  std::uint64_t answers() const { return counts_.answers; }
  std::uint64_t bytes() const { return counts_.bytes; }
  std::uint64_t refused() const { return counts_.refused; }  // not 200, or cut off

 private:
  class Client;
  struct Counts {
    std::atomic<std::uint64_t> answers{0}, bytes{0}, refused{0};
  };

  Counts counts_;
  boost::asio::io_context io_;
  std::jthread thread_;
};

}  // namespace weir::bench
