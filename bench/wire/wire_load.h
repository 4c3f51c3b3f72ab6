// Trackers that beat over a number of connections with a blocking client of Thrift's each: one
// heartbeat of a connection is answered before its next, and its trackers take turns. A connection
// has a thread, up to kMostThreads of them; of more than that a thread has several in turn. Either
// as fast as they are answered, or so many a second: then a heartbeat's latency counts from the
// moment at which it was due, so a server that stalls is not let off.
//
// What goes wrong on the way is thrown: WireTrouble (in_parallel.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/wire/wire_tracker.h"

namespace weir::bench {

struct WireRun {
  double seconds = 2;
  std::uint32_t finishes = 0;     // that each report tells
  double per_second = 0;          // of all trackers together; 0: as fast as they are answered
  std::uint32_t connections = 0;  // of those there are; 0: all
};

struct WireFigures {
  std::uint64_t heartbeats = 0;
  std::uint64_t launches = 0;
  double per_second = 0;
  double p50_us = 0;
  double p99_us = 0;
};

class WireLoad {
 public:
  static constexpr std::uint32_t kMostThreads = 64;

  WireLoad(std::uint16_t port, std::uint32_t connections, std::uint32_t trackers,
           std::uint32_t map_slots);
  ~WireLoad();

  // They introduce themselves.
  void enlist();
  // Of nobody's jobs: see WireTracker.
  void fill();
  WireFigures beat(const WireRun& run);
  // How many attempts they all hold.
  std::size_t held() const;

 private:
  struct Line;  // a connection and its trackers
  struct Told {
    std::uint64_t launches = 0;
    std::vector<float> latencies_us;
  };
  void in_threads(std::uint32_t lines, const std::string& what,
                  const std::function<void(std::uint32_t thread, std::uint32_t threads)>& doing);
  // Lines `thread`, `thread` + `threads` and so on of the first so many.
  Told beat_lines(const WireRun& run, std::uint32_t thread, std::uint32_t threads,
                  std::uint32_t lines);

  std::vector<Line> lines_;
};

}  // namespace weir::bench
