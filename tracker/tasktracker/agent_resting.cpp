// The agent's side of processes that go on with another task of their job: what has to be so before
// one rests, and before it is given the next.
#include <spdlog/spdlog.h>

#include "tracker/tasktracker/agent.h"

namespace weir::tasktracker {
namespace {

constexpr std::int64_t kLongestRestMs = 10'000;

}  // namespace

// Its attempt has ended without its process. Where anything is not as it should be the process is
// ended, and what comes of that is what comes of any other.
void Agent::attempt_rests(const AttemptKey& key) {
  const auto found = processes_.find(key);
  if (found == processes_.end()) return;
  const auto process = found->second;
  if (!core_->has_succeeded(key) || process->group().events().any() || !process->rest())
    return process->kill();
  spdlog::debug("{}: has ended, process {} rests", attempt_name(key), process->pid());
  processes_.erase(found);
  core_->on_exit(key, "", now());
  durable_outputs_.insert(key.task.job);
  scratch_.give_back_output_dir(key);
  resting_.put({key, process, steady_now_ms()});
}

// With what the last attempt of such a process has left, as it was made. False: there is none.
bool Agent::go_on(TaskSpec& spec, const AttemptProcess::Handlers& handlers) {
  if (!spec.may_be_followed()) return false;
  auto resting = resting_.take(spec.id.task.job);
  if (!resting) return false;
  isolation_.protect(spec);
  spec.cgroups = resting->process->group().directories;
  if (!scratch_.rename(resting->last, spec.id) || !resting->process->go_on(spec, handlers)) {
    resting_.end(std::move(*resting));
    return false;
  }
  spdlog::debug("{}: given to process {}", attempt_name(spec.id), resting->process->pid());
  processes_[spec.id] = std::move(resting->process);
  return true;
}

void Agent::end_long_rests() {
  resting_.end_before(steady_now_ms() - kLongestRestMs);
}

bool Agent::resting_ended() {
  const auto gone = resting_.reap();
  for (const RestingProcess& each : gone) {
    sessions_.remove(each.process->pid());
    remove_group(each.process->group());
    house_.push([this, path = dirs_.attempt(each.last)] { remove(path); });
  }
  return !gone.empty();
}

}  // namespace weir::tasktracker
