// How queues look to people: the table of `weir queue list` with a line on who lends and borrows,
// and everything about one queue for `weir queue show`. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/table.h"
#include "views/queue_view.h"

namespace weir::cli {

// Children stand under their parent, indented. A cell `3/5` cannot be misread: each figure has a
// column of its own.
Table queue_table(const std::vector<QueueView>& queues);
// "maps: research lends 3; production borrows 3"; a line a class, empty if nobody lends or borrows.
std::string lending_lines(const std::vector<QueueView>& queues);
// "maps: q runs its maximum of 4, with 2 jobs waiting; ..."; a line a queue and class of which
// nothing pends for that reason.
std::string maximum_lines(const std::vector<QueueView>& queues);
// `now_ms` is for the age of kills; the tables in it are drawn for `width`.
std::string queue_details(const QueueView& queue, std::int64_t now_ms, std::size_t width);

std::string share_text(std::int64_t thousandths);  // of a slot: "2.4"
// "3 maps in 8.2s", "3 maps overdue 2.0s (unservable)".
std::string claim_text(const QueueView::Claim& claim);

}  // namespace weir::cli
