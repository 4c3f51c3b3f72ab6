// Who is in which queue: an inner queue has the users of those below it, each once. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "views/queue_view.h"

namespace weir::cli {

// By the queue's name, who has a job or a task in it or below it.
std::map<std::string, std::set<std::string>> users_present(const std::vector<QueueView>& queues);

}  // namespace weir::cli
