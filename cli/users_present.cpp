#include "cli/users_present.h"

namespace weir::cli {

std::map<std::string, std::set<std::string>> users_present(const std::vector<QueueView>& queues) {
  std::map<std::string, std::set<std::string>> present;
  for (const QueueView& queue : queues) {
    for (const QueueView::User& user : queue.users) {
      if (user.jobs == 0 && user.running_maps == 0 && user.running_reduces == 0) continue;
      for (std::size_t end = queue.name.size(); end != std::string::npos && end > 0;
           end = queue.name.rfind('.', end - 1))
        present[queue.name.substr(0, end)].insert(user.user);
    }
  }
  return present;
}

}  // namespace weir::cli
