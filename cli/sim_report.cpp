#include "cli/sim_report.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/format.h"
#include "cli/table.h"

namespace weir::cli {
namespace {

std::string seconds(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}", *value) : "-";
}

std::string share(double part) {
  return fmt::format("{:.1f}%", part * 100);
}

std::string part_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : share(static_cast<double>(part) / static_cast<double>(whole));
}

// Rounded, so that the text is short and the same everywhere.
Json rounded(const std::optional<double>& value) {
  return value ? Json(std::round(*value * 1000) / 1000) : Json(nullptr);
}

Json json_of(const Percentiles& times) {
  return {{"mean", rounded(times.mean_s)},
          {"p50", rounded(times.p50_s)},
          {"p95", rounded(times.p95_s)},
          {"p99", rounded(times.p99_s)}};
}

}  // namespace

std::string summary_tables(const std::vector<SummaryRow>& rows, std::size_t width) {
  Table times({{.header = "QUEUE", .least_width = 10},
               {.header = "JOBS", .right = true},
               {.header = "RESPONSE s", .right = true},
               {.header = "p50", .right = true, .rank = 2},
               {.header = "p95", .right = true, .rank = 3},
               {.header = "p99", .right = true, .rank = 1},
               {.header = "WAIT s", .right = true},
               {.header = "p50", .right = true, .rank = 2},
               {.header = "p95", .right = true, .rank = 3},
               {.header = "p99", .right = true, .rank = 1}});
  Table slots({{.header = "QUEUE", .least_width = 10},
               {.header = "MAP USE", .right = true},
               {.header = "REDUCE USE", .right = true},
               {.header = "NODE", .right = true, .rank = 1},
               {.header = "RACK", .right = true, .rank = 1},
               {.header = "ANY", .right = true, .rank = 1},
               {.header = "KILLS", .right = true},
               {.header = "WASTED slot-s", .right = true, .rank = 3},
               {.header = "JAIN", .right = true, .rank = 2}});
  for (const SummaryRow& row : rows) {
    const auto& r = row.response;
    const auto& w = row.wait;
    times.add({row.queue, std::to_string(row.jobs), seconds(r.mean_s), seconds(r.p50_s),
               seconds(r.p95_s), seconds(r.p99_s), seconds(w.mean_s), seconds(w.p50_s),
               seconds(w.p95_s), seconds(w.p99_s)});
    const std::uint64_t maps = row.launches[0] + row.launches[1] + row.launches[2];
    slots.add({row.queue, share(row.slot_use[0]), share(row.slot_use[1]),
               part_of(row.launches[0], maps), part_of(row.launches[1], maps),
               part_of(row.launches[2], maps), std::to_string(row.kills),
               fmt::format("{:.1f}", row.wasted_slot_seconds),
               row.jain ? fmt::format("{:.3f}", *row.jain) : "-"});
  }
  return times.render(width) + "\n" + slots.render(width);
}

Json summary_json(const std::vector<SummaryRow>& rows) {
  Json list = Json::array();
  for (const SummaryRow& row : rows) {
    list.push_back(
        {{"queue", row.queue},
         {"jobs", row.jobs},
         {"succeeded", row.succeeded},
         {"failed", row.failed},
         {"killed", row.killed},
         {"unfinished", row.unfinished},
         {"response_s", json_of(row.response)},
         {"wait_s", json_of(row.wait)},
         {"map_slot_s", rounded(row.slot_seconds[0])},
         {"reduce_slot_s", rounded(row.slot_seconds[1])},
         {"map_slot_use", rounded(row.slot_use[0])},
         {"reduce_slot_use", rounded(row.slot_use[1])},
         {"locality",
          {{"node", row.launches[0]}, {"rack", row.launches[1]}, {"any", row.launches[2]}}},
         {"kills", row.kills},
         {"wasted_slot_s", rounded(row.wasted_slot_seconds)},
         {"jain", rounded(row.jain)}});
  }
  return list;
}

}  // namespace weir::cli
