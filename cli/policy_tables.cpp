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

// What is counted: both classes of slots, or the dimensions of containers.
std::size_t count_of(const OutlookView::Share& share) {
  return share.amounts.empty() ? kTaskKindCount : share.amounts.size();
}

std::string class_of(const OutlookView::Share& share, std::size_t i) {
  return share.amounts.empty() ? name(kTaskKinds[i]) : share.amounts[i].dimension;
}

const OutlookView::Figures& figures_of(const OutlookView::Share& share, std::size_t i) {
  if (!share.amounts.empty()) return share.amounts.at(i).figures;
  return i == 0 ? share.maps : share.reduces;
}

// Containers come with a policy's outlook, so all have the same; one that is told without is empty.
OutlookView::Figures figures_of(const OutlookView::Share* share, std::size_t i) {
  if (share == nullptr || i >= count_of(*share)) return {};
  return figures_of(*share, i);
}

const OutlookView::Share* share_of_name(const OutlookView* outlook, const std::string& name) {
  if (outlook == nullptr) return nullptr;
  for (const OutlookView::Share& share : outlook->shares)
    if (share.name == name) return &share;
  return nullptr;
}

// What all policies say about one name.
struct OutlookLine {
  std::string name;
  const OutlookView::Share* any = nullptr;
  const OutlookView::Share* guarantee = nullptr;  // of a policy with guarantees
  const OutlookView::Share* fair = nullptr;       // of one with shares
};

// Whether a pool has the jobs of the queue of its name. What pends tells only where nothing runs:
// each policy has its own maximums.
bool is_the_queue(const OutlookView::Share& pool, const OutlookView::Share* queue) {
  if (queue == nullptr) return false;
  for (std::size_t i = 0; i < count_of(pool); ++i) {
    const OutlookView::Figures &one = figures_of(pool, i), other = figures_of(queue, i);
    if (one.running != other.running) return false;
    if (one.running == 0 && one.pending != other.pending) return false;
  }
  return true;
}

// The queues, as a policy without pools has them.
const OutlookView* of_queues(const PolicyView& policy) {
  const auto& all = policy.outlooks;
  const auto found = std::find_if(all.begin(), all.end(), [](const auto& of) { return !of.pools; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<OutlookLine> merge(const PolicyView& policy) {
  std::vector<OutlookLine> lines;
  const OutlookView* queues = of_queues(policy);
  for (const auto& outlook : policy.outlooks) {
    for (const auto& share : outlook.shares) {
      const bool apart = outlook.pools && queues != nullptr &&
                         !is_the_queue(share, share_of_name(queues, share.name));
      const std::string label = (apart ? "pool " : "") + share.name;
      auto line = std::find_if(lines.begin(), lines.end(),
                               [&](const OutlookLine& l) { return l.name == label; });
      if (line == lines.end()) line = lines.insert(line, OutlookLine{.name = label});
      if (line->any == nullptr || outlook.policy == policy.current) line->any = &share;
      for (std::size_t i = 0; i < count_of(share); ++i) {
        const OutlookView::Figures& of = figures_of(share, i);
        if (of.guaranteed) line->guarantee = &share;
        if (of.share_thousandths) line->fair = &share;
      }
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
                          printable(line.fair->name), unmet, maps ? "map" : "reduce",
                          unmet == 1 ? "slot" : "slots", of.running, of.min_share.value_or(0),
                          fair_share_of(of));
    }
  }
  return text.empty() ? text : "Pools that lack slots, and nobody may be killed for them:\n" + text;
}

// What it would run, in thousandths of a slot; nothing: the policy gives it no share of its own.
std::optional<std::int64_t> would_run(const OutlookView::Figures& of) {
  const std::int64_t wants = 1000 * (of.running + of.pending);
  std::optional<std::int64_t> due = of.share_thousandths;
  if (!due && of.allocated) due = 1000 * *of.allocated;
  if (!due) return std::nullopt;
  const std::int64_t sure = std::min(1000 * of.guaranteed.value_or(0), wants);
  const std::int64_t most = of.maximum ? 1000 * *of.maximum : INT64_MAX;
  return std::min({wants, std::max(*due, sure), most});
}

struct Change {
  std::string name;
  std::int64_t now = 0;   // thousandths, as the next
  std::int64_t then = 0;
  std::int64_t owed = 0;  // of what it would gain, what the policy may kill others for
  std::int64_t more() const { return then - now; }
};

// Who has guarantees is owed these; else the share.
std::int64_t owed_of(const OutlookView::Figures& of, std::int64_t then) {
  const std::int64_t due = of.guaranteed ? std::min(1000 * *of.guaranteed, then) : then;
  return std::max<std::int64_t>(0, due - 1000 * of.running);
}

const OutlookView* find_outlook(const PolicyView& policy, const std::string& name) {
  const auto found = std::find_if(policy.outlooks.begin(), policy.outlooks.end(),
                                  [&](const OutlookView& of) { return of.policy == name; });
  return found == policy.outlooks.end() ? nullptr : &*found;
}

bool has_children(const OutlookView& outlook, const std::string& name) {
  return std::any_of(outlook.shares.begin(), outlook.shares.end(), [&](const auto& share) {
    return share.name.starts_with(name + ".");
  });
}

// By half a slot or more; those who gain most first. What runs is counted as the policy to come
// counts it: a name may be a queue's and a pool's. Of new settings only what they change is said.
std::vector<Change> changes_of(const OutlookView* now, const OutlookView& to, std::size_t i) {
  constexpr std::int64_t kHalf = 500;
  const OutlookView* before = now != nullptr && now->policy == to.policy ? now : nullptr;
  std::vector<Change> changes;
  for (const OutlookView::Share& share : to.shares) {
    const OutlookView::Figures& figures = figures_of(share, i);
    const auto then = would_run(figures);
    if (!then || has_children(to, share.name)) continue;
    const OutlookView::Share* known = share_of_name(before, share.name);
    if (known != nullptr && would_run(figures_of(known, i)) == then &&
        figures_of(known, i).running == figures.running) {
      continue;
    }
    const Change change{share.name, 1000 * figures.running, *then, owed_of(figures, *then)};
    if (change.more() >= kHalf || change.more() <= -kHalf) changes.push_back(change);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.more() > b.more(); });
  return changes;
}

// No more than others are owed, in whole slots.
std::int64_t kills_at_most(const std::vector<Change>& changes) {
  std::int64_t lack = 0, excess = 0;
  for (const Change& change : changes) {
    lack += change.owed;
    if (change.more() < 0) excess += -change.more() / 1000;
  }
  return std::min((lack + 999) / 1000, excess);
}

}  // namespace

namespace {

std::string change_text(const OutlookView* now, const OutlookView& to, std::size_t width) {
  Table table({{.header = "QUEUE OR POOL", .least_width = 12},
               {"CLASS"},
               {.header = "RUNNING", .right = true},
               {.header = "WOULD RUN", .right = true},
               {.header = "CHANGE", .right = true}});
  std::int64_t kills = 0;
  const OutlookView::Share first = to.shares.empty() ? OutlookView::Share{} : to.shares.front();
  for (std::size_t i = 0; i < count_of(first); ++i) {
    const std::vector<Change> changes = changes_of(now, to, i);
    kills += kills_at_most(changes);
    for (const Change& change : changes) {
      table.add({printable(change.name), class_of(first, i), share_text(change.now),
                 share_text(change.then),
                 (change.more() > 0 ? "+" : "-") + share_text(std::abs(change.more()))});
    }
  }
  if (table.empty()) return "Nobody would gain or lose as things are now.\n";
  if (kills == 0) {
    return table.render(width) +
           "No kills are expected for it; open claims may kill once their time is over.\n";
  }
  if (!first.amounts.empty()) {  // how many containers that is depends on which
    return table.render(width) +
           fmt::format("Running attempts may be killed for it, where {} preempts and its time "
                       "limits are over; else as tasks end.\n",
                       printable(to.policy));
  }
  return table.render(width) +
         fmt::format("At most {} running attempt{} may be killed for it, where {} preempts and its "
                     "time limits are over; else as tasks end.\n",
                     kills, kills == 1 ? "" : "s", printable(to.policy));
}

}  // namespace

std::string change_text(const PolicyView& policy, const std::string& to, std::size_t width) {
  const OutlookView* outlook = find_outlook(policy, to);
  if (outlook == nullptr) return "";
  return change_text(find_outlook(policy, policy.current), *outlook, width);
}

std::string change_text(const OutlookView& now, const OutlookView& then, std::size_t width) {
  return change_text(&now, then, width);
}

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
    for (std::size_t i = 0; line.any != nullptr && i < count_of(*line.any); ++i) {
      const OutlookView::Figures now = figures_of(line.any, i), gc = figures_of(line.guarantee, i),
                                 fair = figures_of(line.fair, i);
      const std::int64_t copy_slots = i == 0 ? 0 : copying(line);
      if (now.running + now.pending + copy_slots == 0 && gc.guaranteed.value_or(0) == 0 &&
          fair.min_share.value_or(0) == 0) {
        continue;
      }
      std::vector<std::string> cells = {printable(line.name),
                                        class_of(*line.any, i),
                                        std::to_string(now.running),
                                        std::to_string(now.pending),
                                        slots_text(gc.guaranteed),
                                        slots_text(gc.allocated),
                                        slots_text(fair.min_share),
                                        fair_share_of(fair)};
      if (copies) cells.insert(cells.begin() + 4, i == 0 ? "-" : std::to_string(copy_slots));
      table.add(std::move(cells));
    }
  }
  return table.empty() ? "" : table.render(width) + unmet_lines(lines);
}

}  // namespace weir::cli
