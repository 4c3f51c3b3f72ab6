#include "cli/policy_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/format.h"
#include "cli/queue_tables.h"
#include "cli/table.h"

namespace weir::cli {
namespace {

// What all policies say about one name.
struct OutlookLine {
  std::string name;
  const wire::PolicyShare* any = nullptr;
  const wire::PolicyShare* guarantee = nullptr;  // of a policy with guarantees
  const wire::PolicyShare* fair = nullptr;       // of one with shares
};

std::vector<OutlookLine> merge(const wire::PolicyInfo& policy) {
  std::vector<OutlookLine> lines;
  for (const auto& outlook : policy.outlooks) {
    for (const auto& share : outlook.shares) {
      auto line = std::find_if(lines.begin(), lines.end(),
                               [&](const OutlookLine& l) { return l.name == share.name; });
      if (line == lines.end()) line = lines.insert(line, OutlookLine{.name = share.name});
      if (line->any == nullptr || outlook.policy == policy.current) line->any = &share;
      const auto &maps = share.maps.__isset, &reduces = share.reduces.__isset;
      if (maps.guaranteed || reduces.guaranteed) line->guarantee = &share;
      if (maps.share_thousandths || reduces.share_thousandths) line->fair = &share;
    }
  }
  return lines;
}

std::string slots_text(bool known, std::int64_t slots) {
  return known ? std::to_string(slots) : "-";
}

std::string fair_share_of(const wire::ShareFigures& of) {
  return of.__isset.share_thousandths ? share_text(of.share_thousandths) : "-";
}

// What pools lack for too long and nobody may be killed for.
std::string unmet_lines(const std::vector<OutlookLine>& lines) {
  std::string text;
  for (const OutlookLine& line : lines) {
    for (const bool maps : {true, false}) {
      if (line.fair == nullptr) continue;
      const wire::ShareFigures& of = maps ? line.fair->maps : line.fair->reduces;
      if (!of.__isset.unmet || of.unmet == 0) continue;
      text += fmt::format("  {}: {} {} {} (runs {}, min share {}, fair share {})\n",
                          printable(line.name), of.unmet, maps ? "map" : "reduce",
                          of.unmet == 1 ? "slot" : "slots", of.running, of.min_share,
                          fair_share_of(of));
    }
  }
  return text.empty() ? text : "Pools that lack slots, and nobody may be killed for them:\n" + text;
}

}  // namespace

std::string outlook_table(const wire::PolicyInfo& policy, std::size_t width) {
  const std::vector<OutlookLine> lines = merge(policy);
  const auto copying = [](const OutlookLine& line) -> std::int64_t {
    return line.fair != nullptr && line.fair->reduces.__isset.copying ? line.fair->reduces.copying
                                                                      : 0;
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
      const auto of = [&](const wire::PolicyShare* share) {
        if (share == nullptr) return wire::ShareFigures();
        return maps ? share->maps : share->reduces;
      };
      const wire::ShareFigures now = of(line.any), gc = of(line.guarantee), fair = of(line.fair);
      const std::int64_t copy_slots = maps ? 0 : copying(line);
      if (now.running + now.pending + copy_slots == 0 && gc.guaranteed == 0 &&
          fair.min_share == 0) {
        continue;
      }
      std::vector<std::string> cells = {printable(line.name),
                                        maps ? "map" : "reduce",
                                        std::to_string(now.running),
                                        std::to_string(now.pending),
                                        slots_text(gc.__isset.guaranteed, gc.guaranteed),
                                        slots_text(gc.__isset.allocated, gc.allocated),
                                        slots_text(fair.__isset.min_share, fair.min_share),
                                        fair_share_of(fair)};
      if (copies) cells.insert(cells.begin() + 4, maps ? "-" : std::to_string(copy_slots));
      table.add(std::move(cells));
    }
  }
  return table.empty() ? "" : table.render(width) + unmet_lines(lines);
}

}  // namespace weir::cli
