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
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

WireLoad::WireLoad(std::uint16_t port, std::uint32_t connections, std::uint32_t trackers,
                   std::uint32_t map_slots) {
  lines_.resize(connections);
  for (Line& line : lines_) line.connection = RpcConnection::create("127.0.0.1", port);
  for (std::uint32_t i = 0; i < trackers; ++i)
    lines_[i % connections].trackers.emplace_back(fmt::format("bench{:05}", i), map_slots);
}

WireLoad::~WireLoad() = default;

void WireLoad::enlist() {
  in_parallel(static_cast<std::uint32_t>(lines_.size()), "registering", [this](std::uint32_t i) {
    auto calls = lines_[i].connection->client<wire::TrackerServiceClient>();
    for (const WireTracker& tracker : lines_[i].trackers) {
      calls.call([&](wire::TrackerServiceClient& service) {
        wire::RegistrationReply reply;
        service.register_tracker(reply, tracker.registration());
      });
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

WireLoad::Told WireLoad::beat_line(Line& line, const WireRun& run, std::uint32_t lines) {
  Told told;
  auto calls = line.connection->client<wire::TrackerServiceClient>();
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(run.seconds));
  const std::chrono::duration<double> gap(run.per_second > 0 ? lines / run.per_second : 0);
  wire::HeartbeatReply reply;
  for (std::uint64_t number = 0;; ++number) {
    auto due = Clock::now();
    if (run.per_second > 0) {
      due = start + std::chrono::duration_cast<Clock::duration>(gap * number);
      std::this_thread::sleep_until(due);
    }
    if (due >= end) return told;
    WireTracker& tracker = line.trackers[line.turn++ % line.trackers.size()];
    reply = {};
    calls.call([&](wire::TrackerServiceClient& service) {
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
  std::vector<Told> told(lines);
  const auto start = Clock::now();
  in_parallel(lines, "a heartbeat",
              [&](std::uint32_t i) { told[i] = beat_line(lines_[i], run, lines); });
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
