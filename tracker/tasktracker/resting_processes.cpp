#include "tracker/tasktracker/resting_processes.h"

#include <algorithm>
#include <utility>

namespace weir::tasktracker {
namespace {

bool is_of(JobId job, const RestingProcess& resting) {
  return resting.last.task.job == job;
}

}  // namespace

void RestingProcesses::put(RestingProcess resting) {
  resting_.push_back(std::move(resting));
  if (resting_.size() <= kAtMost) return;
  end(std::move(resting_.front()));
  resting_.erase(resting_.begin());
}

std::optional<RestingProcess> RestingProcesses::take(JobId job) {
  const auto found = std::find_if(resting_.rbegin(), resting_.rend(),
                                  [job](const auto& each) { return is_of(job, each); });
  if (found == resting_.rend()) return std::nullopt;
  RestingProcess taken = std::move(*found);
  resting_.erase(std::next(found).base());
  return taken;
}

void RestingProcesses::end(RestingProcess resting) {
  resting.process->kill();
  ending_.push_back(std::move(resting));
}

void RestingProcesses::end_if(const std::function<bool(const RestingProcess&)>& which) {
  for (RestingProcess& each : resting_) {
    if (which(each)) end(std::exchange(each, {}));
  }
  std::erase_if(resting_, [](const RestingProcess& each) { return each.process == nullptr; });
}

void RestingProcesses::end_job(JobId job) {
  end_if([job](const RestingProcess& each) { return is_of(job, each); });
}

void RestingProcesses::end_before(std::int64_t since_ms) {
  end_if([since_ms](const RestingProcess& each) { return each.since_ms < since_ms; });
}

void RestingProcesses::end_all() {
  end_if([](const RestingProcess&) { return true; });
}

std::vector<RestingProcess> RestingProcesses::reap() {
  std::vector<RestingProcess> gone;
  for (auto* among : {&resting_, &ending_}) {
    for (RestingProcess& each : *among) {
      if (each.process->reap()) gone.push_back(std::exchange(each, {}));
    }
    std::erase_if(*among, [](const RestingProcess& each) { return each.process == nullptr; });
  }
  return gone;
}

void RestingProcesses::add_pids(std::set<pid_t>& to) const {
  for (const auto* among : {&resting_, &ending_}) {
    for (const RestingProcess& each : *among) to.insert(each.process->pid());
  }
}

}  // namespace weir::tasktracker
