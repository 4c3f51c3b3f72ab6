#include "cli/sim_report.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cli/format.h"
#include "cli/table.h"
#include "views/amount_text.h"

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

// Of both classes.
double wasted_slot_seconds(const SummaryRow& row) {
  return row.use[0].wasted_seconds + row.use[1].wasted_seconds;
}

std::vector<TableColumn> use_columns(const std::vector<std::string>& dimensions) {
  std::vector<TableColumn> columns{{.header = "QUEUE", .least_width = 10}};
  for (const std::string& dimension : dimensions) {
    const std::string name = dimension == "memory_mb" ? "memory" : dimension;
    columns.push_back({.header = upper_case(name) + " USE", .right = true});
  }
  if (dimensions.empty()) {
    columns.push_back({.header = "MAP USE", .right = true});
    columns.push_back({.header = "REDUCE USE", .right = true});
  }
  columns.push_back({.header = "NODE", .right = true, .rank = 1});
  columns.push_back({.header = "RACK", .right = true, .rank = 1});
  columns.push_back({.header = "ANY", .right = true, .rank = 1});
  columns.push_back({.header = "KILLS", .right = true});
  if (dimensions.empty())
    columns.push_back({.header = "WASTED slot-s", .right = true, .rank = 3});
  for (const std::string& dimension : dimensions)
    columns.push_back(
        {.header = "WASTED " + unit_text(dimension) + "-s", .right = true, .rank = 3});
  columns.push_back({.header = "JAIN", .right = true, .rank = 2});
  return columns;
}

}  // namespace

std::string summary_tables(const std::vector<SummaryRow>& rows,
                           const std::vector<std::string>& dimensions, std::size_t width) {
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
  Table use(use_columns(dimensions));
  for (const SummaryRow& row : rows) {
    const auto& r = row.response;
    const auto& w = row.wait;
    times.add({row.queue, std::to_string(row.jobs), seconds(r.mean_s), seconds(r.p50_s),
               seconds(r.p95_s), seconds(r.p99_s), seconds(w.mean_s), seconds(w.p50_s),
               seconds(w.p95_s), seconds(w.p99_s)});
    const std::uint64_t maps = row.launches[0] + row.launches[1] + row.launches[2];
    std::vector<std::string> cells{row.queue};
    for (const SummaryRow::Use& of : row.use) cells.push_back(share(of.part));
    for (const std::uint64_t launches : row.launches) cells.push_back(part_of(launches, maps));
    cells.push_back(std::to_string(row.kills));
    if (dimensions.empty()) cells.push_back(fmt::format("{:.1f}", wasted_slot_seconds(row)));
    for (std::size_t i = 0; i < dimensions.size(); ++i)
      cells.push_back(fmt::format("{:.1f}", row.use[i].wasted_seconds));
    cells.push_back(row.jain ? fmt::format("{:.3f}", *row.jain) : "-");
    use.add(std::move(cells));
  }
  return times.render(width) + "\n" + use.render(width);
}

Json summary_json(const std::vector<SummaryRow>& rows, const std::vector<std::string>& dimensions) {
  Json list = Json::array();
  for (const SummaryRow& row : rows) {
    Json json = {{"queue", row.queue},
                 {"jobs", row.jobs},
                 {"succeeded", row.succeeded},
                 {"failed", row.failed},
                 {"killed", row.killed},
                 {"unfinished", row.unfinished},
                 {"response_s", json_of(row.response)},
                 {"wait_s", json_of(row.wait)}};
    if (dimensions.empty()) {
      json["map_slot_s"] = rounded(row.use[0].seconds);
      json["reduce_slot_s"] = rounded(row.use[1].seconds);
      json["map_slot_use"] = rounded(row.use[0].part);
      json["reduce_slot_use"] = rounded(row.use[1].part);
    }
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      const SummaryRow::Use& of = row.use[i];
      json["dimensions"][dimensions[i]] = {{"amount_s", rounded(of.seconds)},
                                           {"use", rounded(of.part)},
                                           {"wasted_amount_s", rounded(of.wasted_seconds)}};
    }
    json["locality"] = {
        {"node", row.launches[0]}, {"rack", row.launches[1]}, {"any", row.launches[2]}};
    json["kills"] = row.kills;
    if (dimensions.empty()) json["wasted_slot_s"] = rounded(wasted_slot_seconds(row));
    json["jain"] = rounded(row.jain);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace weir::cli
