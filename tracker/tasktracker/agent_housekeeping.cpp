// The agent's side of keeping the machine in order, on threads of its own, so that a tenant who
// leaves or fills a large tree delays nobody: what attempts have left is removed, and what could
// not be is tried again; logs are kept within their bounds; what jobs take of the disk is measured.
#include <spdlog/spdlog.h>

#include <chrono>

#include "tracker/tasktracker/agent.h"
#include "tracker/tasktracker/leftovers.h"

namespace weir::tasktracker {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kHouseEvery(10);
constexpr std::int64_t kMeasureEveryMs = 1000;
constexpr std::int64_t kMeasureShare = 10;  // at most every tenth moment is spent on it

}  // namespace

// The same problem again and again is told once.
void Agent::complain(const Error& problem) {
  if (problem.message == last_complaint_) return;
  last_complaint_ = problem.message;
  spdlog::warn("{}: cannot remove {}; it is left for now", subject_, problem.message);
}

void Agent::remove(const std::string& path) {
  if (auto removed = remove_tree(path); !removed) complain(removed.error());
}

void Agent::keep_house() {
  end_long_rests();
  std::set<std::string> running;
  for (const auto& [key, process] : processes_) running.insert(attempt_name(key));
  house_.push([this, running = std::move(running)] {
    remove_put_aside(dirs_, [this](const Error& problem) { complain(problem); });
    tell_of_logs(sweep_logs(dirs_.logs(), options_.log, wall_now_ms(), running));
    asio::post(io_, [this] {
      house_timer_.expires_after(kHouseEvery);
      house_timer_.async_wait([this](boost::system::error_code error) {
        if (!error) keep_house();
      });
    });
  });
}

void Agent::tell_of_logs(const SweptLogs& swept) {
  if (swept.removed == 0) return;
  spdlog::info("{}: removed the logs of {} attempts ({} MB), {} MB are kept", subject_,
               swept.removed, swept.removed_bytes >> 20, swept.kept_bytes >> 20);
}

void Agent::watch_disk(std::int64_t pause_ms) {
  if (!job_disk_.bounded()) return;
  gauge_timer_.expires_after(std::chrono::milliseconds(std::max(kMeasureEveryMs, pause_ms)));
  gauge_timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    if (processes_.empty()) return watch_disk(0);
    measure_disk();
  });
}

void Agent::measure_disk() {
  std::vector<AttemptKey> running;
  for (const auto& [key, process] : processes_) running.push_back(key);
  gauge_.push([this, running = std::move(running)] {
    const std::int64_t begun_ms = steady_now_ms();
    std::map<AttemptKey, TreeSize> sizes;
    for (const AttemptKey& key : running) {
      TreeSize& size = sizes[key];
      for (const std::string& path : {dirs_.attempt(key), dirs_.output(key), dirs_.log(key)}) {
        const TreeSize part = tree_size(path, JobDisk::kMostEntries);
        size.bytes += part.bytes;
        size.entries += part.entries;
      }
    }
    const std::int64_t pause_ms = (steady_now_ms() - begun_ms) * kMeasureShare;
    asio::post(io_, [this, sizes = std::move(sizes), pause_ms] {
      for (const JobDisk::Over& over : job_disk_.judge(sizes)) {
        spdlog::warn("{}: {}", attempt_name(over.attempt), over.why);
        core_->on_over_limit(over.attempt, over.why, now());
      }
      turn();
      watch_disk(pause_ms);
    });
  });
}

// A map's output, which stays until its job is dropped.
void Agent::keep_output(const AttemptKey& map) {
  if (!job_disk_.bounded()) return;
  gauge_.push([this, map] {
    const std::int64_t bytes = tree_size(dirs_.output(map), JobDisk::kMostEntries).bytes;
    asio::post(io_, [this, map, bytes] { job_disk_.keep_output(map, bytes); });
  });
}

}  // namespace weir::tasktracker
