// The agent's side of keeping the machine in order, on a thread of its own, so that a tenant who
// leaves a large tree delays nobody: what attempts have left is removed, and what could not be is
// tried again.
#include <spdlog/spdlog.h>

#include "tracker/tasktracker/agent.h"
#include "tracker/tasktracker/leftovers.h"

namespace weir::tasktracker {
namespace {

constexpr std::chrono::seconds kEvery(60);

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
  house_.push([this] {
    remove_put_aside(dirs_, [this](const Error& problem) { complain(problem); });
  });
  house_timer_.expires_after(kEvery);
  house_timer_.async_wait([this](boost::system::error_code error) {
    if (!error) keep_house();
  });
}

}  // namespace weir::tasktracker
