#include "cli/container_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "cli/format.h"
#include "cli/queue_tables.h"
#include "cli/tracker_commands.h"
#include "jobqueue/model/time.h"
#include "views/amount_text.h"
#include "views/claim_text.h"

namespace weir::cli {
namespace {

std::string used_of(const TrackerView::Offer& offer) {
  return fmt::format("{}/{}", offer.used, offer.total);
}

// Of all trackers, in their order.
std::vector<std::string> dimensions_of(const std::vector<TrackerView>& trackers) {
  std::vector<std::string> names;
  for (const TrackerView& tracker : trackers) {
    for (const TrackerView::Offer& offer : tracker.offer) {
      if (std::find(names.begin(), names.end(), offer.dimension) == names.end())
        names.push_back(offer.dimension);
    }
  }
  return names;
}

std::string header_of(const std::string& dimension) {
  return dimension == "memory_mb" ? "MEMORY MB" : upper_case(dimension);
}

template <class Amount>
bool any_amount(const std::vector<QueueView>& queues, const Amount& amount) {
  for (const QueueView& queue : queues) {
    for (const QueueView::Amounts& each : queue.amounts)
      if (amount(each) > 0) return true;
  }
  return false;
}

std::string owed_cell(const QueueView& queue, const std::string& dimension) {
  std::int64_t owed = 0;
  const QueueView::Claim* first = nullptr;
  for (const QueueView::Claim& claim : queue.claims) {
    if (claim.dimension != dimension) continue;
    owed += claim.slots;
    if (first == nullptr) first = &claim;
  }
  if (first == nullptr) return "-";
  const std::string why = held_back_text(first->state.value_or(""));
  const std::string due = first->milliseconds_left < 0 ? "never"
                          : first->overdue_ms          ? "due"
                                                       : short_duration(first->milliseconds_left);
  return fmt::format("{} ({})", owed, why.empty() ? due : why);
}

}  // namespace

bool count_containers(const std::vector<QueueView>& queues) {
  return !queues.empty() && !queues.front().amounts.empty();
}

Table queue_amounts_table(const std::vector<QueueView>& queues) {
  const bool guarantees = queues.front().amounts.front().figures.lends.has_value();
  std::vector<TableColumn> columns = {
      {.header = "QUEUE", .least_width = 10, .ends = true},
      {.header = "STATE", .rank = 4},
      {"DIMENSION"}};
  if (guarantees) columns.push_back({.header = "GUAR", .right = true});
  if (guarantees) columns.push_back({.header = "ALLOC", .right = true, .rank = 2});
  const bool shares =
      any_amount(queues, [](const auto& each) { return each.figures.share_thousandths ? 1 : 0; });
  if (shares) columns.push_back({.header = "SHARE", .right = true});
  const bool keeps = any_amount(queues, [](const auto& each) { return each.kept.value_or(0); });
  const bool reserves = any_amount(queues, [](const auto& each) { return each.reserved; });
  columns.insert(columns.end(), {{.header = "RUN", .right = true},
                                 {.header = "PEND", .right = true},
                                 {.header = "MAX", .right = true, .rank = 2}});
  const bool owes = std::any_of(queues.begin(), queues.end(),
                                [](const QueueView& queue) { return !queue.claims.empty(); });
  if (owes) columns.push_back({.header = "OWED", .right = true});
  if (keeps) columns.push_back({.header = "KEEPS", .right = true, .rank = 1});
  if (reserves) columns.push_back({.header = "RESERVED", .right = true, .rank = 1});
  columns.push_back({.header = "JOBS", .right = true, .rank = 3});
  Table table(std::move(columns));
  for (const QueueView& queue : queues) {
    const auto dots =
        static_cast<std::size_t>(std::count(queue.name.begin(), queue.name.end(), '.'));
    std::string name = std::string(2 * dots, ' ') + queue.name.substr(queue.name.rfind('.') + 1);
    std::string state = queue.state;
    std::string jobs =
        std::to_string(queue.jobs_waiting + queue.jobs_pending + queue.jobs_running);
    for (const QueueView::Amounts& each : queue.amounts) {
      const QueueView::Slots& figures = each.figures;
      std::vector<std::string> cells = {name, state, each.dimension};
      if (guarantees) cells.push_back(std::to_string(figures.guaranteed));
      if (guarantees) cells.push_back(std::to_string(figures.allocated));
      const std::optional<std::int64_t>& share = figures.share_thousandths;
      if (shares) cells.push_back(share ? share_text(*share) : "-");
      cells.push_back(std::to_string(figures.running));
      cells.push_back(std::to_string(figures.pending));
      cells.push_back(figures.maximum ? std::to_string(*figures.maximum) : "-");
      if (owes) cells.push_back(owed_cell(queue, each.dimension));
      if (keeps) cells.push_back(std::to_string(each.kept.value_or(0)));
      if (reserves) cells.push_back(std::to_string(each.reserved));
      cells.push_back(jobs);
      table.add(std::move(cells));
      name = state = jobs = "";
    }
  }
  return table;
}

std::string user_amounts_block(const QueueView& queue, std::size_t width) {
  if (queue.users.empty()) return "";
  Table table({{.header = "USER", .least_width = 8},
               {"DIMENSION"},
               {.header = "HAS", .right = true},
               {.header = "LIMIT", .right = true, .rank = 2},
               {.header = "WAIT", .right = true, .rank = 1},
               {.header = "PEND", .right = true, .rank = 1},
               {.header = "RUN", .right = true},
               {.header = "DONE", .right = true, .rank = 4},
               {.header = "FAILED", .right = true, .rank = 4},
               {.header = "KILLED", .right = true, .rank = 5},
               {.header = "USED", .right = true, .rank = 3},
               {.header = "LOST", .right = true, .rank = 6}});
  for (const QueueView::User& user : queue.users) {
    // They are of all dimensions.
    std::vector<std::string> once = {
        user.user,
        or_dash(user.jobs_waiting),
        or_dash(user.jobs_pending),
        std::to_string(user.jobs_running.value_or(user.jobs)),
        or_dash(user.jobs_succeeded),
        or_dash(user.jobs_failed),
        or_dash(user.jobs_killed),
    };
    for (const QueueView::UserAmounts& each : user.amounts) {
      std::vector<std::string> cells = {once[0], each.dimension, std::to_string(each.running),
                                        or_dash(each.limit)};
      cells.insert(cells.end(), once.begin() + 1, once.end());
      cells.push_back(slot_seconds(each.used_ms));
      cells.push_back(slot_seconds(each.lost_ms));
      table.add(std::move(cells));
      for (std::string& cell : once) cell = "";
    }
  }
  return "\n" + table.render(width);
}

std::string amount_time_block(const QueueView& queue, std::size_t width) {
  Table table({{"TOTALS"},
               {.header = "USED", .right = true},
               {.header = "LENT", .right = true, .rank = 1},
               {.header = "BORROWED", .right = true, .rank = 1},
               {.header = "LOST TO KILLS", .right = true, .rank = 2}});
  for (const QueueView::Amounts& each : queue.amounts) {
    table.add({unit_text(each.dimension) + "-seconds", slot_seconds(each.time.used_ms),
               slot_seconds(each.time.lent_ms), slot_seconds(each.time.borrowed_ms),
               slot_seconds(each.time.lost_ms)});
  }
  return "\n" + table.render(width);
}

bool offer_containers(const std::vector<TrackerView>& trackers) {
  return std::any_of(trackers.begin(), trackers.end(),
                     [](const TrackerView& tracker) { return !tracker.offer.empty(); });
}

Table tracker_offer_table(const std::vector<TrackerView>& trackers) {
  std::vector<TableColumn> columns = {{.header = "TRACKER", .least_width = 8},
                                      {"STATE"},
                                      {.header = "HOST", .least_width = 9, .rank = 3},
                                      {.header = "RACK", .least_width = 6, .rank = 4}};
  const std::vector<std::string> dimensions = dimensions_of(trackers);
  for (const std::string& dimension : dimensions)
    columns.push_back({.header = header_of(dimension), .right = true});
  const bool reserved =
      std::any_of(trackers.begin(), trackers.end(),
                  [](const TrackerView& tracker) { return tracker.reserved_for.has_value(); });
  if (reserved) columns.push_back({.header = "RESERVED FOR", .rank = 1});
  const bool rooms =
      std::any_of(trackers.begin(), trackers.end(),
                  [](const TrackerView& tracker) { return tracker.room_for.has_value(); });
  if (rooms) columns.push_back({.header = "ROOM FOR", .rank = 1});
  columns.insert(columns.end(), {{.header = "LABELS", .least_width = 8, .rank = 2},
                                 {.header = "HEARD", .right = true, .rank = 1},
                                 {.header = "FREE DISK", .right = true, .rank = 5},
                                 {.header = "HEALTH", .least_width = 12}});
  Table table(std::move(columns));
  for (const TrackerView& tracker : trackers) {
    const bool known = !tracker.host.empty();
    std::vector<std::string> cells = {tracker.name, tracker.state, known ? tracker.host : "-",
                                      known ? tracker.rack : "-"};
    for (const std::string& dimension : dimensions) {
      const auto found =
          std::find_if(tracker.offer.begin(), tracker.offer.end(),
                       [&](const auto& offer) { return offer.dimension == dimension; });
      cells.push_back(found == tracker.offer.end() ? "-" : used_of(*found));
    }
    if (reserved) cells.push_back(tracker.reserved_for ? job_name(*tracker.reserved_for) : "-");
    if (rooms) {
      const std::string text = room_text(tracker);
      cells.push_back(text.empty() ? "-" : text);
    }
    const std::string labels = labels_text(tracker);
    cells.push_back(labels.empty() ? "-" : labels);
    cells.push_back(tracker.back() ? short_duration(tracker.last_heartbeat_ms_ago) + " ago" : "-");
    cells.push_back(tracker.free_disk_mb ? short_bytes(*tracker.free_disk_mb << 20) : "-");
    cells.push_back(health_of(tracker));
    table.add(std::move(cells));
  }
  return table;
}

std::string room_text(const TrackerView& tracker) {
  if (!tracker.room_for) return "";
  return fmt::format("{} of {}", tracker.rooms, job_name(*tracker.room_for));
}

std::string labels_text(const TrackerView& tracker) {
  std::string text;
  for (const auto& [label, value] : tracker.labels)
    text += (text.empty() ? "" : ", ") + label + "=" + value;
  return text;
}

std::string offer_text(const TrackerView& tracker) {
  std::string text;
  for (const TrackerView::Offer& offer : tracker.offer) {
    text += (text.empty() ? "" : ", ") + used_of(offer) + " " +
            (offer.dimension == "memory_mb" ? "MB" : offer.dimension);
  }
  return text;
}

}  // namespace weir::cli
