// What queues are owed, by capacity.md, "Claims and kill timers", alone: after every input the
// claims of each leaf are compared with its shortfall and with what came of them in this step.
// - They are at most the shortfall, min(GC, DEM) - RUN in whole tasks, and at least what of it the
//   free slots dealt to the leaf do not cover; so they are born at the input that makes it short.
// - Launches beyond those that fill again what tasks of the leaf itself have left meet claims, the
//   earliest first; a smaller min(GC, DEM) drops them, the latest first; a free slot ends none.
// - Events tell all of it: the claims of the last step, and these, give the claims of now.
// Where widths, moves or slots on their way leave the page more than one reading, what every
// reading allows is a bound.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/checker/claim_moves.h"
#include "sim/checker/free_slots.h"
#include "sim/checker/owed_tasks.h"
#include "sim/checker/step.h"

namespace weir::check {
namespace {

// --- What they should be ---

// Slots that tasks of the leaf want, by width.
struct Wanted {
  std::map<std::int64_t, std::int64_t> tasks;
  std::int64_t slots = 0;
};

Wanted wanted(const Census& census, QueueId leaf, TaskKind kind) {
  Wanted all;
  for (const JobCount& job : census.jobs(kind)) {
    if (job.job->queue != leaf || job.pending() + job.returning == 0) continue;
    all.tasks[job.width] += job.pending() + job.returning;
    all.slots += job.width * (job.pending() + job.returning);
  }
  return all;
}

// The most of `gap` that whole tasks fill: counted in the widths' common measure, and for each
// number of slots with as few tasks of the width at hand as will do.
std::int64_t most_in_whole_tasks(const Wanted& all, std::int64_t gap) {
  if (all.slots <= gap) return all.slots;
  std::int64_t measure = 0;
  for (const auto& [width, tasks] : all.tasks) measure = std::gcd(measure, width);
  const auto most = static_cast<std::size_t>(gap / measure);
  std::vector<bool> reachable(most + 1, false);
  reachable[0] = true;
  for (const auto& [width, tasks] : all.tasks) {
    const auto step = static_cast<std::size_t>(width / measure);
    std::vector<std::int64_t> used(most + 1, 0);
    for (std::size_t slots = step; slots <= most; ++slots) {
      if (reachable[slots] || !reachable[slots - step] || used[slots - step] == tasks) continue;
      reachable[slots] = true;
      used[slots] = used[slots - step] + 1;
    }
  }
  std::size_t best = most;
  while (!reachable[best]) --best;
  return static_cast<std::int64_t>(best) * measure;
}

// And the least that they leave no room for another one at, in whatever order they are taken; which
// of several widths a hard limit lets in is not looked at.
std::int64_t least_in_whole_tasks(const Wanted& all, bool limited, std::int64_t gap) {
  if (limited && all.tasks.size() > 1) return 0;
  std::int64_t widest = 0, fitting = 0;
  for (const auto& [width, tasks] : all.tasks) {
    if (width > gap) continue;
    widest = width;
    fitting += width * tasks;
  }
  if (widest == 0) return 0;
  return std::min(fitting, gap - widest + 1);
}

struct Shortfall {
  std::int64_t gap = 0;           // min(GC, DEM) - RUN
  std::int64_t least = 0, most = 0;  // of it in whole tasks
};

// `free`: slots that its own tasks have left may count as if they ran still.
Shortfall shortfall(const Census& census, QueueId leaf, TaskKind kind, const ExpectedQueue& line,
                    std::int64_t free) {
  Shortfall result;
  if (line.under_one_slot || line.kept() <= line.running) return result;
  result.gap = line.kept() - line.running;
  const Wanted all = wanted(census, leaf, kind);
  const QueueSettings& settings = census.state->tree().node(leaf).settings;
  const bool limited = settings.user_limit.mode == UserLimit::Mode::kHard ||
                       settings.maximum_hundredths.has_value();
  const auto owed = [&](std::int64_t slots) {
    return owed_tasks(census, kind, leaf, line, std::max<std::int64_t>(0, slots), true).slots;
  };
  const bool narrow = all.tasks.empty() || all.tasks.rbegin()->first == 1;
  result.least = narrow    ? least_in_whole_tasks(all, limited, result.gap)
                 : limited ? 0
                           : owed(result.gap - free);
  result.most = narrow || limited ? most_in_whole_tasks(all, result.gap) : owed(result.gap);
  return result;
}

std::int64_t at_least_0(std::int64_t slots) {
  return std::max<std::int64_t>(slots, 0);
}

// One class of the cluster, after the step.
struct OwedJudge {
  const Step& step;
  Memory& memory;
  TaskKind kind;
  std::vector<ExpectedQueue> lines;
  FreeSlots free;
  std::vector<std::map<QueueId, Dealt>> dealings{};  // by every reading
  bool ruled = false;                                // before this step
  bool judges = false;                               // claims may arise
  bool drops = false;                                // what is wanted less is owed no more

  std::string numbers(QueueId leaf, const Shortfall& gap) const {
    const ExpectedQueue& line = lines[leaf.index()];
    return fmt::format("{} {} slots are claimed, the shortfall is {} (GC {}, DEM {}, RUN {}, "
                       "PEND {}, {} to die, {} free in the cluster, {} dealt to it)",
                       step.state.claims().owed(leaf, kind), name(kind), gap.gap, line.guaranteed,
                       line.demand, line.running, line.pending, line.returning, free.all,
                       dealt(leaf).most);
  }
  Dealt dealt(QueueId leaf) const {
    if (dealings.empty()) return {};
    Dealt bounds{.least = INT64_MAX, .most = 0};
    for (const auto& dealing : dealings) {
      const auto found = dealing.find(leaf);
      const Dealt one = found == dealing.end() ? Dealt{} : found->second;
      bounds.least = std::min(bounds.least, one.least);
      bounds.most = std::max(bounds.most, one.most);
    }
    return bounds;
  }
  // What a heartbeat has offered and nobody has taken is nobody's any more.
  bool was_offered(TrackerId tracker) const {
    return step.heartbeat != nullptr && step.heartbeat->asks_for_tasks &&
           step.tracker->id == tracker;
  }
  // Free slots that tasks of the leaf have left.
  std::int64_t own_free(QueueId leaf, const ClaimMoves& moves) const {
    std::map<TrackerId, std::int64_t> places = moves.left;
    const auto account = memory.claims.accounts.find({step.path(leaf), kind});
    if (account != memory.claims.accounts.end()) {
      for (const auto& [tracker, slots] : account->second.left_free) places[tracker] += slots;
    }
    std::int64_t slots = 0;
    for (const auto& [tracker, left] : places) {
      if (!was_offered(tracker)) slots += std::min(left, free.on(tracker));
    }
    return slots;
  }
  // Whether claims that these very free slots make smaller come first in their order (those of
  // before this step, with the first of those that arose in it, or all), and whether slots that
  // were just left stay with the leaf meanwhile, is not said: any of it will do.
  void deal_all(MovesByLeaf& moves, const std::vector<ClaimId>& arose) {
    const auto is_short = [](const ExpectedQueue& line) { return line.kept() > line.running; };
    if (std::none_of(lines.begin(), lines.end(), is_short)) return;  // nobody asks
    std::map<QueueId, std::int64_t> own;
    for (const QueueId leaf : step.state.tree().leaves()) {
      const std::int64_t slots = own_free(leaf, moves[{leaf, kind}]);
      if (slots > 0) own[leaf] = slots;
    }
    std::vector<ClaimId> counted{0, UINT64_MAX};
    counted.insert(counted.end(), arose.begin(), arose.end());
    for (const ClaimId before : counted) {
      dealings.push_back(deal(step.census, kind, free, lines, {before, {}}));
      if (!own.empty()) dealings.push_back(deal(step.census, kind, free, lines, {before, own}));
    }
  }

  void check(QueueId leaf, const ClaimMoves& moves, Verdict& verdict) const {
    const ExpectedQueue& line = lines[leaf.index()];
    const Shortfall now = shortfall(step.census, leaf, kind, line, free.all);
    const std::int64_t owed = step.state.claims().owed(leaf, kind);
    const auto found = memory.claims.accounts.find({step.path(leaf), kind});
    const ClaimAccount before =
        found == memory.claims.accounts.end() ? ClaimAccount{} : found->second;
    const std::string who = "queue " + step.path(leaf) + ": ";
    if (drops && owed > now.most) verdict.breach("claim-excess", who + numbers(leaf, now));
    if (judges) {
      // Which free slots are its own only the past tells; tasks that die still are to have some.
      const std::int64_t mine = dealt(leaf).most + own_free(leaf, moves) + line.returning;
      const std::int64_t covered =
          memory.every_step ? std::min(free.all, std::max(mine, before.covered)) : free.all;
      if (owed < now.least - covered) verdict.breach("claim-missing", who + numbers(leaf, now));
    }
    if (memory.every_step) check_changes(leaf, moves, before, now, owed, verdict);
  }

  // However free slots are dealt, no more can be covered than there are.
  void check_sum(Verdict& verdict) const {
    std::int64_t covered = 0, spare = free.all;
    for (const QueueId leaf : step.state.tree().leaves()) {
      const ExpectedQueue& line = lines[leaf.index()];
      const std::int64_t owed = step.state.claims().owed(leaf, kind);
      covered += at_least_0(shortfall(step.census, leaf, kind, line, free.all).least - owed);
      spare += line.returning;
    }
    if (!judges || covered <= spare) return;
    verdict.breach("claim-missing",
                   fmt::format("queues are short of {} {} slots beyond what they claim, and {} are "
                               "free",
                               covered, name(kind), free.all));
  }

  // What claims of a policy that does not rule were compared with, before who dies for pools in
  // this very step made it larger.
  std::int64_t least_when_dropped(QueueId leaf, const Shortfall& now) const {
    if (step.rules || step.pool_kills.empty()) return now.least;
    Census before = step.census;
    for (const KillOrdered* kill : step.pool_kills) before.take_back_kill(kill->attempt);
    const ExpectedQueue line = expect(before, kind, {}, {})[leaf.index()];
    return std::min(now.least, shortfall(before, leaf, kind, line, free.all).least);
  }

  void check_changes(QueueId leaf, const ClaimMoves& moves, const ClaimAccount& before,
                     const Shortfall& now, std::int64_t owed, Verdict& verdict) const {
    const ExpectedQueue& line = lines[leaf.index()];
    const std::string who = "queue " + step.path(leaf) + ": ";
    const std::int64_t kept = owed - moves.opened;  // of the claims before
    const std::int64_t expected_run = before.running + moves.all_launched - moves.all_left -
                                      moves.ordered - moves.away;
    const std::int64_t arrived = at_least_0(line.running - expected_run);
    const std::int64_t owed_before = kept + moves.met + moves.dropped;
    std::int64_t again = 0;  // launched where its own tasks have left
    for (const auto& [tracker, slots] : moves.launched) {
      const auto free_there = before.left_free.find(tracker);
      const auto left_there = moves.left.find(tracker);
      again += std::min(slots, (free_there == before.left_free.end() ? 0 : free_there->second) +
                                   (left_there == moves.left.end() ? 0 : left_there->second));
    }
    // One that is launched elsewhere may have stood for one of them already; and with less wanted
    // than is guaranteed, what fills a slot again leaves less to be owed.
    again = std::min(again, moves.all_left + before.may_refill);
    const std::int64_t beyond =
        std::max(moves.all_launched - again + arrived,
                 std::min(moves.all_launched, at_least_0(owed_before - now.least)));
    const auto launches = [&] {
      return fmt::format("{} launched, {} left by its own tasks now and {} earlier",
                         moves.all_launched, moves.all_left, before.may_refill);
    };
    if (moves.met > beyond) {
      verdict.breach("claim-met",
                     fmt::format("{}{} slots of claims are met, though only {} are launched beyond "
                                 "what it fills again ({}): {}",
                                 who, moves.met, beyond, launches(), numbers(leaf, now)));
    }
    const std::int64_t counted = at_least_0(
        (before.kept - before.running) - owed_before);  // shortfall that free slots covered
    const std::int64_t refilled = moves.all_left + moves.ordered + moves.died +
                                  std::max(before.may_refill, counted) +
                                  at_least_0(line.kept() - before.kept);
    const std::int64_t surely =
        ruled ? std::clamp<std::int64_t>(moves.all_launched - refilled, 0, owed_before) : 0;
    if (moves.met < surely) {
      verdict.breach("claim-met", fmt::format("{}{} slots of claims are met by {} launched beyond "
                                              "what it fills again ({}): {}",
                                              who, moves.met, surely, launches(),
                                              numbers(leaf, now)));
    }
    const std::int64_t most_dropped =
        at_least_0(owed_before - moves.met -
                   at_least_0(least_when_dropped(leaf, now) - own_free(leaf, moves)));
    if (moves.dropped > most_dropped) {
      verdict.breach("claim-dropped",
                     fmt::format("{}{} slots of claims are dropped, {} at most are wanted no more: "
                                 "{}",
                                 who, moves.dropped, most_dropped, numbers(leaf, now)));
    }
    const std::int64_t most_opened =
        judges ? at_least_0(now.most - kept - dealt(leaf).least) : std::int64_t{0};
    if (moves.opened > most_opened) {
      verdict.breach("claim-unfounded",
                     fmt::format("{}{} slots more are claimed, {} at most are missing: {}", who,
                                 moves.opened, most_opened, numbers(leaf, now)));
    }
  }

  void remember(QueueId leaf, const ClaimMoves& moves) const {
    const ExpectedQueue& line = lines[leaf.index()];
    ClaimAccount& account = memory.claims.accounts[{step.path(leaf), kind}];
    account.kept = line.under_one_slot ? line.running : line.kept();
    account.running = line.running;
    const std::int64_t owed = step.state.claims().owed(leaf, kind);
    account.covered = at_least_0(shortfall(step.census, leaf, kind, line, free.all).least - owed);
    for (const auto& [tracker, slots] : moves.left) account.left_free[tracker] += slots;
    for (const auto& [tracker, slots] : moves.launched) account.left_free[tracker] -= slots;
    for (auto& [tracker, slots] : account.left_free) {
      slots = was_offered(tracker) ? 0 : std::clamp<std::int64_t>(slots, 0, free.on(tracker));
    }
    std::erase_if(account.left_free, [](const auto& entry) { return entry.second == 0; });
    account.may_refill = std::clamp<std::int64_t>(
        account.may_refill + moves.all_left + moves.died - moves.all_launched, 0, free.all);
  }
};

// Of this step.
std::vector<ClaimId> claims_that_arose(const Step& step) {
  std::vector<ClaimId> claims;
  for (const Event& event : step.output.events) {
    const auto* opened = fact_as<ClaimOpened>(event.fact);
    if (opened != nullptr && !opened->again) claims.push_back(opened->claim);
  }
  return claims;
}

}  // namespace

void check_owed(const Step& step, Memory& memory, Verdict& verdict) {
  MovesByLeaf moves;
  if (memory.every_step) moves = read_moves(step, memory.claims);
  ClaimLedger ledger(step, memory.claims, moves, verdict);
  if (memory.every_step) ledger.follow();
  // While trackers are still to report after a start, claims stand as they were stored.
  const bool settled = !step.engine.recovering() && step.engine.unreported().empty();
  const bool tick = std::holds_alternative<Tick>(step.input.body);  // paused ones follow then
  std::vector<OwedJudge> judges;
  for (const TaskKind kind : kTaskKinds) {
    judges.push_back({.step = step,
                      .memory = memory,
                      .kind = kind,
                      .lines = step.rules ? step.expected[index(kind)]
                                          : expect(step.census, kind, {}, {}),
                      .free = FreeSlots(step.census, kind),
                      .ruled = !memory.paused_at,
                      .judges = step.rules && settled,
                      .drops = settled && (step.rules || tick)});
    OwedJudge& judge = judges.back();
    if (judge.judges) judge.deal_all(moves, claims_that_arose(step));
    for (const QueueId leaf : step.state.tree().leaves()) {
      judge.check(leaf, moves[{leaf, kind}], verdict);
    }
    judge.check_sum(verdict);
  }
  if (!memory.every_step) return;
  ledger.compare(step.rules && memory.paused_at);
  std::erase_if(memory.claims.accounts, [&](const auto& entry) {
    const auto queue = step.state.tree().find_path(entry.first.first);
    return !queue || !step.state.tree().leaf(*queue);
  });
  for (const OwedJudge& judge : judges) {
    for (const QueueId leaf : step.state.tree().leaves()) {
      judge.remember(leaf, moves[{leaf, judge.kind}]);
    }
  }
}

}  // namespace weir::check
