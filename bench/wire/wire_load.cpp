#include "bench/wire/wire_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "TrackerService.h"
#include "bench/wire/in_parallel.h"
#include "report/percentile.h"
#include "tracker/rpc/client.h"

namespace weir::bench {

using Clock = std::chrono::steady_clock;

// A connection and its trackers.
struct WireLoad::Line {
  RpcClient<wire::TrackerServiceClient> client;
  std::vector<WireTracker> trackers;
  std::size_t turn = 0;
};

WireLoad::WireLoad(std::uint16_t port, std::uint32_t connections, std::uint32_t trackers,
                   std::uint32_t map_slots) {
  connections = std::min(connections, trackers);  // each of them has one
  lines_.reserve(connections);
  for (std::uint32_t i = 0; i < connections; ++i) {
    lines_.push_back(
        {RpcConnection::create("127.0.0.1", port)->client<wire::TrackerServiceClient>(), {}, 0});
  }
  for (std::uint32_t i = 0; i < trackers; ++i)
    lines_[i % connections].trackers.emplace_back(fmt::format("bench{:05}", i), map_slots);
}

WireLoad::~WireLoad() = default;

void WireLoad::in_threads(
    std::uint32_t lines, const std::string& what,
    const std::function<void(std::uint32_t thread, std::uint32_t threads)>& doing) {
  const std::uint32_t threads = std::min(lines, kMostThreads);
  in_parallel(threads, what, [&](std::uint32_t thread) { doing(thread, threads); });
}

void WireLoad::enlist() {
  const auto lines = static_cast<std::uint32_t>(lines_.size());
  in_threads(lines, "registering", [&](std::uint32_t thread, std::uint32_t threads) {
    for (std::uint32_t i = thread; i < lines; i += threads) {
      for (const WireTracker& tracker : lines_[i].trackers) {
        lines_[i].client.call([&](wire::TrackerServiceClient& service) {
          wire::RegistrationReply reply;
          service.register_tracker(reply, tracker.registration());
        });
      }
    }
  });
}

void WireLoad::fill() {
  for (Line& line : lines_) {
    for (WireTracker& tracker : line.trackers) tracker.fill();
  }
}

std::size_t WireLoad::held() const {
  std::size_t held = 0;
  for (const Line& line : lines_) {
    for (const WireTracker& tracker : line.trackers) held += tracker.held();
  }
  return held;
}

WireLoad::Told WireLoad::beat_lines(const WireRun& run, std::uint32_t thread,
                                    std::uint32_t threads, std::uint32_t lines) {
  Told told;
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(run.seconds));
  const std::chrono::duration<double> gap(run.per_second > 0 ? 1 / run.per_second : 0);
  wire::HeartbeatReply reply;
  for (std::uint64_t number = 0;; ++number) {
    auto due = Clock::now();
    if (run.per_second > 0) {
      // Evenly spread, as trackers that know nothing of each other are.
      due = start + std::chrono::duration_cast<Clock::duration>(gap * (number * threads + thread));
      std::this_thread::sleep_until(due);
    }
    if (due >= end) return told;
    const std::uint32_t mine = (lines - thread + threads - 1) / threads;
    Line& line = lines_[thread + number % mine * threads];
    WireTracker& tracker = line.trackers[line.turn++ % line.trackers.size()];
    reply = {};
    line.client.call([&](wire::TrackerServiceClient& service) {
      service.heartbeat(reply, tracker.report(run.finishes));
    });
    told.latencies_us.push_back(
        std::chrono::duration<float, std::micro>(Clock::now() - due).count());
    told.launches += tracker.obey(reply);
  }
}

WireFigures WireLoad::beat(const WireRun& run) {
  const auto lines = run.connections > 0
                         ? std::min(run.connections, static_cast<std::uint32_t>(lines_.size()))
                         : static_cast<std::uint32_t>(lines_.size());
  std::vector<Told> told(kMostThreads);
  const auto start = Clock::now();
  in_threads(lines, "a heartbeat", [&](std::uint32_t thread, std::uint32_t threads) {
    told[thread] = beat_lines(run, thread, threads, lines);
  });
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  WireFigures figures;
  std::vector<float> latencies;
  for (const Told& each : told) {
    figures.launches += each.launches;
    latencies.insert(latencies.end(), each.latencies_us.begin(), each.latencies_us.end());
  }
  std::sort(latencies.begin(), latencies.end());
  figures.heartbeats = latencies.size();
  figures.per_second = static_cast<double>(latencies.size()) / seconds;
  figures.p50_us = report::percentile(latencies, 50);
  figures.p99_us = report::percentile(latencies, 99);
  return figures;
}

}  // namespace weir::bench
