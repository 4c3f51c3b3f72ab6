#include "sim/checker/expected.h"

#include <algorithm>
#include <functional>
#include <map>

namespace weir::check {
namespace {

constexpr std::int64_t kWhole = 10000;  // 100% in hundredths of a percent
using Lines = std::vector<ExpectedQueue>;

std::vector<ExpectedQueue> new_lines(const QueueTree& tree) {
  return std::vector<ExpectedQueue>(tree.size());
}

// --- Guarantees, from the top down ---

// The parts of a family of what their parent has; they may all be 0.
std::vector<Rational> parts_of(const QueueTree& tree, QueueId parent, TaskKind kind) {
  std::vector<Guarantee> said;
  for (const QueueId child : tree.node(parent).children) {
    said.push_back(tree.node(child).settings.guaranteed[index(kind)]);
  }
  std::int64_t percent = 0, slots = 0, silent = 0;
  for (const Guarantee& g : said) {
    if (g.unit == Guarantee::Unit::kPercent) percent += g.amount;
    if (g.unit == Guarantee::Unit::kSlots) slots += g.amount;
    if (g.unit == Guarantee::Unit::kUnset) ++silent;
  }
  std::vector<Rational> parts;
  for (const Guarantee& g : said) {
    switch (g.unit) {
      case Guarantee::Unit::kPercent:
        parts.emplace_back(g.amount, kWhole);
        break;
      case Guarantee::Unit::kSlots:
        parts.push_back(slots == 0 ? Rational(0) : Rational(g.amount, slots));
        break;
      case Guarantee::Unit::kUnset:
        parts.push_back(slots > 0 ? Rational(0) : Rational(kWhole - percent, kWhole * silent));
        break;
    }
  }
  const bool nothing = std::all_of(parts.begin(), parts.end(), [](auto& p) { return p == 0; });
  if (nothing) parts.assign(parts.size(), Rational(1, static_cast<std::int64_t>(parts.size())));
  return parts;
}

void set_guarantees(const QueueTree& tree, TaskKind kind, std::int64_t total, Lines& lines) {
  lines[0].share = 1;
  lines[0].guaranteed = lines[0].maximum = total;
  for (std::size_t q = 0; q < tree.size(); ++q) {  // parents come before their children
    const auto& children = tree.nodes()[q].children;
    if (children.empty()) continue;
    const auto parts = parts_of(tree, QueueId(q), kind);
    std::vector<Rational> exact;  // never parts of what the parent's were rounded to
    for (const Rational& part : parts) exact.push_back(lines[q].share * part * total);
    const auto slots = round_by_largest_remainder(exact, lines[q].guaranteed);
    for (std::size_t i = 0; i < children.size(); ++i) {
      ExpectedQueue& line = lines[children[i].index()];
      const auto& settings = tree.node(children[i]).settings;
      const Rational ceiling =
          Rational(lines[q].maximum) * settings.maximum_hundredths.value_or(kWhole) / kWhole;
      line.share = lines[q].share * parts[i];
      line.under_one_slot = line.share * total < 1;
      line.guaranteed = slots[i];
      line.maximum = std::max({floor_of(ceiling), line.guaranteed, std::int64_t{1}});
    }
  }
}

// --- Demand, from the leaves up ---

// What one user could launch, by width; widest tasks are counted first.
using ByWidth = std::map<std::int64_t, std::int64_t, std::greater<>>;

ByWidth within_limit(const ByWidth& wanted, std::int64_t running,
                     const std::function<std::int64_t(std::int64_t)>& limit_of) {
  ByWidth permitted;
  std::int64_t held = running;
  for (const auto& [width, tasks] : wanted) {
    for (std::int64_t i = 0; i < tasks && held + width <= limit_of(width); ++i) {
      held += width;
      ++permitted[width];
    }
  }
  return permitted;
}

void set_leaf_demand(const Census& census, QueueId leaf, TaskKind kind, ExpectedQueue& line) {
  const QueueSettings& settings = census.state->tree().node(leaf).settings;
  std::map<UserId, ByWidth> wanted;
  std::map<UserId, std::int64_t> running;
  for (const JobCount& count : census.jobs(kind)) {
    if (count.job->queue != leaf) continue;
    line.returning += count.returning * count.width;
    if (count.pending() == 0) continue;
    wanted[count.job->user][count.width] += count.pending();
    ++line.waiting_jobs;
  }
  std::set<UserId> active;
  for (const auto& [user, tasks] : wanted) active.insert(user);
  for (const auto& [key, slots] : census.user_running[index(kind)]) {
    if (key.first != leaf || slots == 0) continue;
    running[key.second] = slots;
    active.insert(key.second);
    line.running += slots;
  }
  line.active_users = static_cast<std::int64_t>(active.size());

  const auto too_wide = [&](const auto& tasks) {
    return settings.maximum_hundredths && line.running + tasks.first > line.maximum;
  };
  ByWidth permitted;
  for (auto& [user, tasks] : wanted) {
    std::erase_if(tasks, too_wide);  // what cannot start at all takes no room from others
    ByWidth own = tasks;
    if (settings.user_limit.mode == UserLimit::Mode::kHard) {
      own = within_limit(tasks, running[user], [&](std::int64_t width) {
        return user_limit(settings.user_limit, line.guaranteed, line.guaranteed, line.running,
                          width, line.active_users);
      });
    }
    for (const auto& [width, count] : own) permitted[width] += count;
  }
  for (const auto& [width, tasks] : permitted) {
    for (std::int64_t i = 0; i < tasks; ++i) {
      const bool over = line.running + line.pending + width > line.maximum;
      if (settings.maximum_hundredths && over) break;
      line.pending += width;
    }
  }
  line.demand = std::min(line.maximum, line.running + line.pending + line.returning);
}

void set_demands(const Census& census, TaskKind kind, Lines& lines) {
  const QueueTree& tree = census.state->tree();
  for (std::size_t q = tree.size(); q-- > 0;) {  // children before their parents
    ExpectedQueue& line = lines[q];
    if (tree.nodes()[q].leaf()) {
      set_leaf_demand(census, QueueId(q), kind, line);
      continue;
    }
    for (const QueueId child : tree.nodes()[q].children) {
      const ExpectedQueue& below = lines[child.index()];
      line.running += below.running;
      line.pending += below.pending;
      line.returning += below.returning;
      line.waiting_jobs += below.waiting_jobs;
      line.demand += below.demand;
    }
    line.demand = std::min(line.maximum, line.demand);
  }
}

// What a queue does not lend is kept for it by its parent, too.
void set_withheld(const QueueTree& tree, Lines& lines) {
  for (std::size_t q = tree.size(); q-- > 0;) {
    ExpectedQueue& line = lines[q];
    std::int64_t of_children = 0;
    for (const QueueId child : tree.nodes()[q].children) {
      of_children += lines[child.index()].withheld;
    }
    line.withheld = line.lends ? std::max(line.kept(), of_children) : line.guaranteed;
  }
}

// --- Allocation, from the top down ---

// Its weight when excess is shared out, and its turn: 0 with the others, 1 after them, 2 last.
std::pair<Rational, int> claim_on_excess(const ExpectedQueue& line, const CapacityRules& rules) {
  if (line.share == 0) return {1, 2};
  using By = CapacityRules::RedistributeBy;
  switch (rules.redistribute_by) {
    case By::kGuaranteed:
      return {line.share, 0};
    case By::kDemand:
      return {Rational(line.demand - line.guaranteed), 0};
    case By::kWaitingJobs:
      if (line.waiting_jobs == 0) return {1, 1};
      return {Rational(line.waiting_jobs), 0};
  }
  return {1, 2};
}

void allocate_family(const std::vector<std::size_t>& family, std::int64_t total,
                     const CapacityRules& rules, Lines& lines) {
  std::int64_t excess = total;
  for (const std::size_t q : family) {
    ExpectedQueue& line = lines[q];
    line.allocated = line.withheld;
    excess -= line.allocated;
  }
  for (int turn = 0; turn <= 2 && excess > 0; ++turn) {
    std::vector<Bowl> bowls;
    for (const std::size_t q : family) {
      const std::int64_t more = std::max<std::int64_t>(lines[q].demand - lines[q].guaranteed, 0);
      const auto [weight, own_turn] = claim_on_excess(lines[q], rules);
      bowls.push_back(more > 0 && own_turn == turn ? Bowl{more, weight} : Bowl{0, 0});
    }
    const auto taken = round_by_largest_remainder(pour(Rational(excess), bowls));
    for (std::size_t i = 0; i < family.size(); ++i) {
      lines[family[i]].allocated += taken[i];
      excess -= taken[i];
    }
  }
  if (excess == 0) return;
  // Nobody wants the rest: it stays with those who do not use what is theirs.
  std::vector<Rational> unused;
  for (const std::size_t q : family) {
    const ExpectedQueue& line = lines[q];
    unused.emplace_back(line.guaranteed - line.withheld);
  }
  const auto back = share_out(excess, unused);
  for (std::size_t i = 0; i < family.size(); ++i) lines[family[i]].allocated += back[i];
}

}  // namespace

std::vector<ExpectedQueue> expect(const Census& census, TaskKind kind, const CapacityRules& rules,
                                  const NotLending& not_lending) {
  const QueueTree& tree = census.state->tree();
  Lines lines = new_lines(tree);
  set_guarantees(tree, kind, census.total.slots(kind), lines);
  set_demands(census, kind, lines);
  for (const auto& [queue, of_class] : not_lending) {
    if (of_class == kind) lines[queue.index()].lends = false;
  }
  set_withheld(tree, lines);
  lines[0].allocated = census.total.slots(kind);
  for (std::size_t q = 0; q < tree.size(); ++q) {
    std::vector<std::size_t> family;
    for (const QueueId child : tree.nodes()[q].children) family.push_back(child.index());
    if (!family.empty()) allocate_family(family, lines[q].allocated, rules, lines);
  }
  return lines;
}

std::vector<ExpectedQueue> expect_maximums(const Census& census, TaskKind kind) {
  const QueueTree& tree = census.state->tree();
  Lines lines = new_lines(tree);
  set_guarantees(tree, kind, census.total.slots(kind), lines);
  for (const auto& [leaf, slots] : census.running[index(kind)]) {
    for (QueueId q = leaf; q.valid(); q = tree.node(q).parent) lines[q.index()].running += slots;
  }
  return lines;
}

std::int64_t user_limit(const UserLimit& limit, std::int64_t guaranteed, std::int64_t capacity,
                        std::int64_t running, std::int64_t need, std::int64_t active_users) {
  const std::int64_t c = std::max(capacity, running + need);  // C
  const Rational equal(c, std::max<std::int64_t>(active_users, 1));
  const Rational minimum = Rational(limit.minimum_hundredths) * c / kWhole;
  std::int64_t slots = std::max(ceil_of(equal), ceil_of(minimum));
  if (limit.factor_millionths) {
    const Rational most =
        Rational(*limit.factor_millionths) * std::max<std::int64_t>(guaranteed, 1) / 1000000;
    slots = std::min(slots, floor_of(most));
  }
  return std::max(slots, need);  // one task is always allowed
}

}  // namespace weir::check
