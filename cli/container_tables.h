// Queues and trackers where containers count: a line a dimension. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/table.h"
#include "views/queue_view.h"
#include "views/tracker_view.h"

namespace weir::cli {

bool count_containers(const std::vector<QueueView>& queues);
Table queue_amounts_table(const std::vector<QueueView>& queues);
// What its users have, and what it and they have had; empty: nobody was there.
std::string user_amounts_block(const QueueView& queue, std::size_t width);
std::string amount_time_block(const QueueView& queue, std::size_t width);
bool offer_containers(const std::vector<TrackerView>& trackers);
Table tracker_offer_table(const std::vector<TrackerView>& trackers);
// "2 of job_0008": of how many members of a gang it holds the room; empty: of none.
std::string room_text(const TrackerView& tracker);
// "disk=ssd, zone=a"; empty: none.
std::string labels_text(const TrackerView& tracker);
// "1024/4096 MB, 1/4 vcores": used of what it offers.
std::string offer_text(const TrackerView& tracker);

}  // namespace weir::cli
