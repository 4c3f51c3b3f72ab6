#include "cli/queue_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/container_tables.h"
#include "cli/format.h"
#include "cli/users_present.h"
#include "jobqueue/model/counted.h"
#include "views/amount_text.h"
#include "views/claim_text.h"

namespace weir::cli {
namespace {

std::string claims_text(const std::vector<QueueView::Claim>& claims) {
  if (claims.empty()) return "-";
  std::string text;
  for (const auto& claim : claims) text += (text.empty() ? "" : ", ") + claim_text(claim);
  return text;
}

std::string list_text(const std::optional<std::vector<std::string>>& names) {
  if (!names) return "everybody";
  std::string text;
  for (const auto& name : *names) text += (text.empty() ? "" : ", ") + name;
  return names->empty() ? "nobody" : text;
}

std::string slots_of(std::int64_t slots, TaskKind kind) {
  return fmt::format("{} {}{}", slots, name(kind), slots == 1 ? "" : "s");
}

std::string owed_text(const QueueView::Claim& claim) {
  if (!claim.dimension) return slots_of(claim.slots, claim.kind);
  return amount_text(*claim.dimension, claim.slots);
}

std::string reclaim_text(const std::optional<std::int64_t>& ms) {
  if (!ms) return "-";
  return *ms < 0 ? "never" : format_duration(*ms);
}

std::string share_of(const QueueView::Slots& slots) {
  return slots.share_thousandths ? share_text(*slots.share_thousandths) : "-";
}

std::string slots_block(const QueueView& queue, std::size_t width) {
  const bool guarantees = queue.maps.lends.has_value();
  const bool shares = queue.maps.share_thousandths.has_value();
  std::vector<TableColumn> columns = {{"SLOTS"}};
  const auto column = [&](const char* header, int rank = 0) {
    columns.push_back({.header = header, .right = true, .rank = rank});
  };
  if (guarantees) column("GUARANTEED");
  if (guarantees) column("ALLOCATED", 1);
  if (shares) column("SHARE");
  column("RUNNING");
  column("PENDING");
  column("MAXIMUM", 3);
  if (guarantees) column("LENDS", 2);
  if (guarantees) column("BORROWS", 2);
  if (guarantees) column("RECLAIM AFTER", 4);
  Table table(std::move(columns));
  const auto add = [&](const char* name, const QueueView::Slots& slots,
                       const std::string& reclaim) {
    std::vector<std::string> cells = {name};
    if (guarantees) cells.push_back(std::to_string(slots.guaranteed));
    if (guarantees) cells.push_back(std::to_string(slots.allocated));
    if (shares) cells.push_back(share_of(slots));
    cells.push_back(std::to_string(slots.running));
    cells.push_back(std::to_string(slots.pending));
    cells.push_back(or_dash(slots.maximum));
    if (guarantees) cells.push_back(or_dash(slots.lends));
    if (guarantees) cells.push_back(or_dash(slots.borrows));
    if (guarantees) cells.push_back(reclaim);
    table.add(std::move(cells));
  };
  add("maps", queue.maps, reclaim_text(queue.reclaim_after_map_ms));
  add("reduces", queue.reduces, reclaim_text(queue.reclaim_after_reduce_ms));
  return "\n" + table.render(width);
}

std::string time_block(const QueueView& queue, std::size_t width) {
  if (!queue.map_time || !queue.reduce_time) return "";
  Table table({{"SLOT-SECONDS"},
               {.header = "USED", .right = true},
               {.header = "LENT", .right = true, .rank = 1},
               {.header = "BORROWED", .right = true, .rank = 1},
               {.header = "LOST TO KILLS", .right = true, .rank = 2}});
  const auto add = [&](const char* name, const QueueView::SlotTime& time) {
    table.add({name, slot_seconds(time.used_ms), slot_seconds(time.lent_ms),
               slot_seconds(time.borrowed_ms), slot_seconds(time.lost_ms)});
  };
  add("maps", *queue.map_time);
  add("reduces", *queue.reduce_time);
  return "\n" + table.render(width);
}

std::int64_t both(const std::optional<std::int64_t>& maps,
                  const std::optional<std::int64_t>& reduces) {
  return maps.value_or(0) + reduces.value_or(0);
}

std::string users_block(const QueueView& queue, std::size_t width) {
  if (queue.users.empty()) return "";
  Table table({{.header = "USER", .least_width = 8},
               {.header = "MAPS", .right = true},
               {.header = "LIMIT", .right = true, .rank = 2},
               {.header = "REDUCES", .right = true},
               {.header = "LIMIT", .right = true, .rank = 2},
               {.header = "WAIT", .right = true, .rank = 1},
               {.header = "PEND", .right = true, .rank = 1},
               {.header = "RUN", .right = true},
               {.header = "DONE", .right = true, .rank = 4},
               {.header = "FAILED", .right = true, .rank = 4},
               {.header = "KILLED", .right = true, .rank = 5},
               {.header = "USED", .right = true, .rank = 3},
               {.header = "LOST", .right = true, .rank = 6}});
  for (const auto& user : queue.users) {
    table.add(
        {user.user, std::to_string(user.running_maps), or_dash(user.limit_maps),
         std::to_string(user.running_reduces), or_dash(user.limit_reduces),
         or_dash(user.jobs_waiting),
         or_dash(user.jobs_pending),
         std::to_string(user.jobs_running.value_or(user.jobs)),
         or_dash(user.jobs_succeeded),
         or_dash(user.jobs_failed), or_dash(user.jobs_killed),
         slot_seconds(both(user.used_map_slot_ms, user.used_reduce_slot_ms)),
         slot_seconds(both(user.lost_map_slot_ms, user.lost_reduce_slot_ms))});
  }
  return "\n" + table.render(width);
}

std::string due_text(const QueueView::Claim& claim) {
  if (claim.state == "paused") return "paused";
  return claim.milliseconds_left < 0 ? "never" : "in " + short_duration(claim.milliseconds_left);
}

std::string kill_state(const QueueView::Claim& claim) {
  if (!claim.state) return "-";
  if (claim.state == "unservable") {
    if (claim.dimension) return "unservable: no tracker can make room for one task";
    const std::int64_t width = claim.width.value_or(0);
    return fmt::format("unservable: no tracker can free {} slot{}", width, width == 1 ? "" : "s");
  }
  if (claim.state == "fragmented") return "enough could be freed, on no tracker all of it";
  if (claim.state == "over_budget") return "those who borrow have lost their kill_budget";
  if (claim.state == "preemption_off") return "nobody is killed: capacity.preemption is off";
  if (claim.state == "log_only") return "nobody is killed: capacity.preemption is log_only";
  if (claim.state == "repeating") return "its last kill brought no launch; again later";
  if (claim.state == "recovering") return "trackers are still to report after a restart";
  if (claim.state == "paused") return "stands still: another policy rules";
  return *claim.state;
}

std::string claims_block(const QueueView& queue, std::size_t width) {
  if (queue.claims.empty()) return "";
  Table table({{.header = "CLAIM", .right = true},
               {queue.claims.front().dimension ? "AMOUNT" : "SLOTS"},
               {.header = "OWED FOR", .right = true, .rank = 1},
               {.header = "DUE", .right = true},
               {.header = "STATE", .least_width = 12}});
  for (const auto& claim : queue.claims) {
    const std::string due =
        claim.state == "paused" ? "-"
        : claim.overdue_ms      ? short_duration(*claim.overdue_ms) + " ago"
                                : due_text(claim);
    table.add({or_dash(claim.claim), owed_text(claim),
               claim.owed_ms ? short_duration(*claim.owed_ms) : "-", due,
               kill_state(claim)});
  }
  return "\n" + table.render(width);
}

std::string holds_block(const QueueView& queue) {
  std::string text;
  for (const auto& hold : queue.holds) {
    text +=
        fmt::format("held for claim {}: {} on tracker {}{}\n", hold.claim,
                    hold.room ? *hold.room : slots_of(hold.slots, hold.kind),
                    printable(hold.tracker),
                    hold.dying > 0 ? fmt::format(", {} of its tasks still dying", hold.dying) : "");
  }
  return text.empty() ? "" : "\n" + text;
}

std::string kills_block(const QueueView& queue, std::int64_t now_ms, std::size_t width) {
  if (queue.kills.empty()) return "";
  Table table({{.header = "KILLED", .right = true},
               {"ATTEMPT"},
               {.header = "OF QUEUE", .least_width = 8},
               {.header = "USER", .least_width = 6, .rank = 3},
               {.header = "FOR QUEUE", .least_width = 8},
               {.header = "OWED", .right = true, .rank = 4},
               {.header = "LOST", .right = true, .rank = 2},
               {.header = "SLOT", .rank = 1}});
  for (const auto& kill : queue.kills) {
    table.add({short_duration(now_ms - kill.at_ms) + " ago", kill.attempt,
               kill.victim.empty() ? "(gone)" : kill.victim, kill.user,
               kill.claimant.empty() ? "(gone)" : kill.claimant, short_duration(kill.owed_ms),
               kill.container.empty() ? slot_seconds(kill.lost_slot_ms())
                                      : amount_times_text(kill.lost_amounts_ms()),
               kill.outcome});
  }
  return "\n" + table.render(width);
}

}  // namespace

std::string share_text(std::int64_t thousandths) {
  const std::int64_t tenths = (thousandths + 50) / 100;
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

std::string claim_text(const QueueView::Claim& claim) {
  const std::string slots = owed_text(claim);
  if (!claim.overdue_ms) return slots + " " + due_text(claim);
  const std::string why = held_back_text(claim.state.value_or(""));
  return fmt::format("{} overdue {}{}", slots, short_duration(*claim.overdue_ms),
                     why.empty() ? "" : " (" + why + ")");
}

namespace {

// What the ruling policy has for queues: guarantees, shares of pools, or neither.
struct Shown {
  bool guarantees = false;
  bool shares = false;
  bool copies = false;
  bool claims = false;
  bool all_run = true;

  explicit Shown(const std::vector<QueueView>& queues) {
    for (const QueueView& queue : queues) {
      guarantees = guarantees || queue.maps.lends;
      shares = shares || queue.maps.share_thousandths;
      copies = copies || queue.reduces.copying;
      claims = claims || !queue.claims.empty();
      all_run = all_run && queue.state == "RUNNING";
    }
    claims = claims || guarantees;
  }

  void add_columns(const std::string& kind, std::vector<TableColumn>& columns) const {
    if (guarantees) {
      columns.push_back({.header = kind + " GUAR", .right = true});
      columns.push_back({.header = "ALLOC", .right = true, .rank = 2});
    } else if (shares) {
      columns.push_back({.header = kind + " SHARE", .right = true});
    }
    const bool named = guarantees || shares;
    columns.push_back({.header = named ? "RUN" : kind + " RUN", .right = true});
    columns.push_back({.header = "PEND", .right = true});
    if (!guarantees) columns.push_back({.header = "MAX", .right = true, .rank = 2});
  }

  void add_cells(const QueueView::Slots& slots, std::vector<std::string>& cells) const {
    if (guarantees) {
      cells.push_back(std::to_string(slots.guaranteed));
      cells.push_back(std::to_string(slots.allocated));
    } else if (shares) {
      cells.push_back(share_of(slots));
    }
    cells.push_back(std::to_string(slots.running));
    cells.push_back(std::to_string(slots.pending));
    if (!guarantees) cells.push_back(or_dash(slots.maximum));
  }
};

}  // namespace

Table queue_table(const std::vector<QueueView>& queues) {
  if (count_containers(queues)) return queue_amounts_table(queues);
  const Shown shown(queues);
  // While all of them run the state says nothing: it goes first then, and else last.
  std::vector<TableColumn> columns = {{.header = "QUEUE", .least_width = 10, .ends = true},
                                      {.header = "STATE", .rank = shown.all_run ? 5 : 1}};
  shown.add_columns("MAP", columns);
  shown.add_columns("RED", columns);
  if (shown.copies) columns.push_back({.header = "COPY", .right = true, .rank = 3});
  columns.push_back({.header = "USERS", .right = true, .rank = 4});
  if (shown.claims) columns.push_back({.header = "CLAIMS", .least_width = 14});
  Table table(std::move(columns));
  auto present = users_present(queues);
  for (const auto& queue : queues) {
    const auto dots =
        static_cast<std::size_t>(std::count(queue.name.begin(), queue.name.end(), '.'));
    const std::string last = dots == 0 ? queue.name : queue.name.substr(queue.name.rfind('.') + 1);
    std::vector<std::string> cells = {std::string(2 * dots, ' ') + last, queue.state};
    shown.add_cells(queue.maps, cells);
    shown.add_cells(queue.reduces, cells);
    if (shown.copies) cells.push_back(std::to_string(queue.reduces.copying.value_or(0)));
    cells.push_back(std::to_string(present[queue.name].size()));
    if (shown.claims) cells.push_back(claims_text(queue.claims));
    table.add(std::move(cells));
  }
  return table;
}

namespace {

struct Loan {
  std::string queue;
  std::int64_t slots;
};

// Those of most slots, and how many others there are.
std::string most_of(std::vector<Loan> loans) {
  constexpr std::size_t kNamed = 5;
  std::stable_sort(loans.begin(), loans.end(),
                   [](const Loan& a, const Loan& b) { return a.slots > b.slots; });
  std::string text;
  for (std::size_t i = 0; i < std::min(loans.size(), kNamed); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", loans[i].queue, loans[i].slots);
  if (loans.size() > kNamed) text += fmt::format(" and {} more", loans.size() - kNamed);
  return text;
}

}  // namespace

std::string lending_lines(const std::vector<QueueView>& queues) {
  std::string text;
  const auto add = [&](const char* name, const QueueView::Slots QueueView::*slots) {
    std::vector<Loan> lends;
    std::vector<Loan> borrows;
    for (const auto& queue : queues) {
      const QueueView::Slots& of = queue.*slots;
      if (!queue.leaf) continue;
      if (of.lends > 0) lends.push_back({queue.name, *of.lends});
      if (of.borrows > 0) borrows.push_back({queue.name, *of.borrows});
    }
    if (borrows.empty()) return;  // allocated to others, but nobody runs there
    text += fmt::format("{}: borrowed by {}; lent by {}\n", name, printable(most_of(borrows)),
                        lends.empty() ? "nobody any more" : printable(most_of(lends)));
  };
  add("maps", &QueueView::maps);
  add("reduces", &QueueView::reduces);
  return text;
}

std::string maximum_lines(const std::vector<QueueView>& queues) {
  std::string text;
  const auto add = [&](const char* name, const QueueView& queue, const QueueView::Slots& of) {
    const bool full = of.running > 0 && of.maximum && of.running >= *of.maximum;
    // Who waits for a limit on running jobs would not run below the maximum either.
    const std::int64_t waiting = queue.jobs_pending;
    if (!queue.leaf || !full || of.pending > 0 || waiting == 0) return;
    text += fmt::format(
        "{}: {} runs its maximum of {}, with {} waiting; nothing is pending beyond\n", name,
        printable(queue.name), *of.maximum, counted(waiting, "job"));
  };
  for (const QueueView& queue : queues) add("maps", queue, queue.maps);
  for (const QueueView& queue : queues) add("reduces", queue, queue.reduces);
  return text;
}

std::string queue_details(const QueueView& queue, std::int64_t now_ms,
                          std::size_t width) {
  std::vector<std::pair<std::string, std::string>> lines = {
      {"queue", queue.name},
      {"kind", queue.leaf ? "leaf: jobs are submitted here" : "parent: jobs are in its leaves"},
      {"state", queue.state},
      {"guaranteed", queue.guaranteed},
      {"jobs",
       fmt::format("{} waiting, {} pending, {} running, {} succeeded, {} failed, {} killed",
                   queue.jobs_waiting, queue.jobs_pending, queue.jobs_running,
                   queue.jobs_succeeded, queue.jobs_failed, queue.jobs_killed)},
      {"submit", list_text(queue.submit)},
      {"administer", list_text(queue.administer)}};
  if (queue.totals_since_ms > 0)
    lines.emplace_back("totals", "since " + local_time(queue.totals_since_ms));
  if (queue.kill_budget) {
    lines.emplace_back("kill budget",
                       fmt::format("{} slot-seconds an hour may be lost", *queue.kill_budget));
  }
  if (queue.leaf && queue.claims.empty()) lines.emplace_back("claims", "none");
  if (!queue.amounts.empty()) {
    if (queue.leaf && queue.reclaim_after_map_ms)  // of every dimension
      lines.emplace_back("reclaim after", reclaim_text(queue.reclaim_after_map_ms));
    return property_lines(lines) + "\n" + queue_amounts_table({queue}).render(width) +
           claims_block(queue, width) + holds_block(queue) +
           user_amounts_block(queue, width) + amount_time_block(queue, width) +
           kills_block(queue, now_ms, width);
  }
  return property_lines(lines) + slots_block(queue, width) + claims_block(queue, width) +
         holds_block(queue) + users_block(queue, width) + time_block(queue, width) +
         kills_block(queue, now_ms, width);
}

}  // namespace weir::cli
