#include "cli/policy_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/format.h"
#include "cli/queue_tables.h"
#include "cli/table.h"

namespace weir::cli {
namespace {

// What all policies say about one name.
struct OutlookLine {
  std::string name;
  const OutlookView::Share* any = nullptr;
  const OutlookView::Share* guarantee = nullptr;  // of a policy with guarantees
  const OutlookView::Share* fair = nullptr;       // of one with shares
};

std::vector<OutlookLine> merge(const PolicyView& policy) {
  std::vector<OutlookLine> lines;
  for (const auto& outlook : policy.outlooks) {
    for (const auto& share : outlook.shares) {
      auto line = std::find_if(lines.begin(), lines.end(),
                               [&](const OutlookLine& l) { return l.name == share.name; });
      if (line == lines.end()) line = lines.insert(line, OutlookLine{.name = share.name});
      if (line->any == nullptr || outlook.policy == policy.current) line->any = &share;
      const OutlookView::Figures &maps = share.maps, &reduces = share.reduces;
      if (maps.guaranteed || reduces.guaranteed) line->guarantee = &share;
      if (maps.share_thousandths || reduces.share_thousandths) line->fair = &share;
    }
  }
  return lines;
}

std::string slots_text(const std::optional<std::int64_t>& slots) {
  return slots ? std::to_string(*slots) : "-";
}

std::string fair_share_of(const OutlookView::Figures& of) {
  return of.share_thousandths ? share_text(*of.share_thousandths) : "-";
}

// What pools lack for too long and nobody may be killed for.
std::string unmet_lines(const std::vector<OutlookLine>& lines) {
  std::string text;
  for (const OutlookLine& line : lines) {
    for (const bool maps : {true, false}) {
      if (line.fair == nullptr) continue;
      const OutlookView::Figures& of = maps ? line.fair->maps : line.fair->reduces;
      const std::int64_t unmet = of.unmet.value_or(0);
      if (unmet == 0) continue;
      text += fmt::format("  {}: {} {} {} (runs {}, min share {}, fair share {})\n",
                          printable(line.name), unmet, maps ? "map" : "reduce",
                          unmet == 1 ? "slot" : "slots", of.running, of.min_share.value_or(0),
                          fair_share_of(of));
    }
  }
  return text.empty() ? text : "Pools that lack slots, and nobody may be killed for them:\n" + text;
}

}  // namespace

std::string outlook_table(const PolicyView& policy, std::size_t width) {
  const std::vector<OutlookLine> lines = merge(policy);
  const auto copying = [](const OutlookLine& line) -> std::int64_t {
    return line.fair == nullptr ? 0 : line.fair->reduces.copying.value_or(0);
  };
  const bool copies = std::any_of(lines.begin(), lines.end(),
                                  [&](const OutlookLine& line) { return copying(line) > 0; });
  std::vector<TableColumn> columns = {{.header = "QUEUE OR POOL", .least_width = 12},
                                      {"CLASS"},
                                      {.header = "RUNNING", .right = true},
                                      {.header = "PENDING", .right = true, .rank = 1},
                                      {.header = "GUARANTEED", .right = true},
                                      {.header = "ALLOCATED", .right = true, .rank = 2},
                                      {.header = "MIN SHARE", .right = true, .rank = 3},
                                      {.header = "FAIR SHARE", .right = true}};
  if (copies) columns.insert(columns.begin() + 4, {.header = "COPYING", .right = true, .rank = 4});
  Table table(std::move(columns));
  for (const OutlookLine& line : lines) {
    for (const bool maps : {true, false}) {
      const auto of = [&](const OutlookView::Share* share) {
        if (share == nullptr) return OutlookView::Figures();
        return maps ? share->maps : share->reduces;
      };
      const OutlookView::Figures now = of(line.any), gc = of(line.guarantee), fair = of(line.fair);
      const std::int64_t copy_slots = maps ? 0 : copying(line);
      if (now.running + now.pending + copy_slots == 0 && gc.guaranteed.value_or(0) == 0 &&
          fair.min_share.value_or(0) == 0) {
        continue;
      }
      std::vector<std::string> cells = {printable(line.name),
                                        maps ? "map" : "reduce",
                                        std::to_string(now.running),
                                        std::to_string(now.pending),
                                        slots_text(gc.guaranteed),
                                        slots_text(gc.allocated),
                                        slots_text(fair.min_share),
                                        fair_share_of(fair)};
      if (copies) cells.insert(cells.begin() + 4, maps ? "-" : std::to_string(copy_slots));
      table.add(std::move(cells));
    }
  }
  return table.empty() ? "" : table.render(width) + unmet_lines(lines);
}

}  // namespace weir::cli
