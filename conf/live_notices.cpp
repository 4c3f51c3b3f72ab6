#include "conf/live_notices.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/values.h"
#include "fair/fair_settings.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/model/queue_tree.h"

namespace weir {
namespace {

constexpr std::size_t kMostNamed = 8;

std::string notice_line(const std::string& source, const std::string& what) {
  return fmt::format("{}: warning: {}", source.empty() ? "settings" : source, what);
}

std::string listed(std::vector<std::string> parts) {
  const std::size_t count = parts.size();
  if (count > kMostNamed) parts.resize(kMostNamed);
  return fmt::format("{}{}", fmt::join(parts, ", "),
                     count > kMostNamed ? fmt::format(" and {} more", count - kMostNamed) : "");
}

class Findings {
 public:
  Findings(const Settings& settings, const QueueTree& tree, TaskKind kind, std::int64_t total)
      : tree_(tree),
        kind_(kind),
        total_(total),
        source_(settings.source),
        guaranteed_(guaranteed_slots(tree, kind, total)) {}

  void scaled(std::vector<std::string>& out) const {
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const QueueTree::Node& parent = tree_.node(QueueId(i));
      std::int64_t sum = 0;
      std::vector<std::string> parts;
      for (const QueueId child : parent.children) {
        const QueueTree::Node& node = tree_.node(child);
        const Guarantee& guarantee = node.settings.guaranteed[index(kind_)];
        if (guarantee.unit != Guarantee::Unit::kSlots) continue;
        sum += guarantee.amount;
        const std::int64_t now = guaranteed_[child.index()];
        if (now != guarantee.amount)
          parts.push_back(fmt::format("{} {} for its {}", node.path, now, guarantee.amount));
      }
      if (parts.empty() || sum == guaranteed_[i]) continue;
      say(out, fmt::format("the slot counts {} total {} {} slots, {} {}: they are scaled {}, {}",
                           i == 0 ? "of the top queues" : "under " + parent.path, sum, name(kind_),
                           i == 0 ? "the cluster has" : "it is guaranteed", guaranteed_[i],
                           sum > guaranteed_[i] ? "down" : "up", listed(parts)));
    }
  }

  void under_one_slot(std::vector<std::string>& out) const {
    const std::vector<QueueShare> shares = exact_shares(tree_, kind_);
    std::vector<std::string> queues;
    for (const QueueId leaf : tree_.leaves()) {
      const std::int64_t from = shares[leaf.index()].one_slot_from;
      if (total_ < from && from != INT64_MAX)
        queues.push_back(fmt::format("{} (one slot from {} on)", tree_.node(leaf).path, from));
    }
    if (queues.empty()) return;
    say(out, fmt::format("guaranteed less than one of the cluster's {} {} slots: {}; such queues "
                         "take turns and have no claims",
                         total_, name(kind_), listed(queues)));
  }

  // A hard limit of so many slots, whatever he could use.
  void stranded(std::vector<std::string>& out) const {
    std::vector<std::string> queues;
    for (const QueueId leaf : tree_.leaves()) {
      const UserLimit& limit = tree_.node(leaf).settings.user_limit;
      const std::int64_t slots = guaranteed_[leaf.index()];
      if (limit.mode != UserLimit::Mode::kHard || !limit.factor_millionths || slots == 0) continue;
      const std::int64_t most =
          std::max<std::int64_t>(1, slots * *limit.factor_millionths / 1'000'000);
      if (most >= slots) continue;
      queues.push_back(fmt::format("{} ({} of {}; {} users fill it)", tree_.node(leaf).path, most,
                                   slots, (slots + most - 1) / most));
    }
    if (queues.empty()) return;
    say(out, fmt::format("one user alone cannot use the guaranteed {} slots, as their limit is "
                         "hard: {}",
                         name(kind_), listed(queues)));
  }

 private:
  void say(std::vector<std::string>& out, const std::string& what) const {
    out.push_back(notice_line(source_, what));
  }

  const QueueTree& tree_;
  const TaskKind kind_;
  const std::int64_t total_;
  const std::string source_;
  const std::vector<std::int64_t> guaranteed_;
};

// What all top pools together are to have at least.
void find_scaled_minimums(const Settings& settings, const FairSettings& fair,
                          const Resources& total, std::vector<std::string>& out) {
  for (const TaskKind kind : kTaskKinds) {
    std::int64_t sum = 0;
    std::vector<std::string> parts;
    for (const PoolSettings& pool : fair.pools) {
      const std::int64_t minimum = pool.min_share[index(kind)];
      if (minimum > 0) parts.push_back(fmt::format("{} {}", pool.name, minimum));
      sum += minimum;
    }
    if (total.slots(kind) <= 0 || sum <= total.slots(kind)) continue;
    out.push_back(notice_line(
        settings.source,
        fmt::format("the minimum shares of the top pools total {} {} slots, the cluster has {}: "
                    "where all want theirs each has a part, {}",
                    sum, name(kind), total.slots(kind), listed(parts))));
  }
}

bool is_inner_pool(const std::vector<PoolSettings>& pools, std::string_view path) {
  const std::size_t dot = path.find('.');
  const auto pool = std::find_if(pools.begin(), pools.end(), [&](const PoolSettings& p) {
    return p.name == path.substr(0, dot);
  });
  if (pool == pools.end()) return false;
  if (dot == std::string_view::npos) return !pool->pools.empty();
  return is_inner_pool(pool->pools, path.substr(dot + 1));
}

// Where the queue is the pool, a leaf that is called as an inner pool has nowhere to put its jobs.
void find_homeless_queues(const Settings& settings, const FairSettings& fair, const QueueTree& tree,
                          std::vector<std::string>& out) {
  if (fair.pool_name_property != "queue") return;
  std::vector<std::string> queues;
  for (const QueueId leaf : tree.leaves()) {
    const std::string& path = tree.node(leaf).path;
    if (is_inner_pool(fair.pools, path)) queues.push_back(path);
  }
  if (queues.empty()) return;
  out.push_back(notice_line(
      settings.source,
      fmt::format("queues called as a pool that has pools below it take no jobs that name no other "
                  "pool: {}",
                  listed(queues))));
}

void find_in_pools(const Settings& settings, const QueueTree& tree, const Resources& total,
                   std::vector<std::string>& out) {
  const auto section = settings.policies.find("fair");
  if (section == settings.policies.end()) return;
  const auto* fair = dynamic_cast<const FairSettings*>(section->second.get());
  if (fair == nullptr) return;
  find_scaled_minimums(settings, *fair, total, out);
  find_homeless_queues(settings, *fair, tree, out);
}

}  // namespace

std::vector<std::string> live_notices(const Settings& settings, std::string_view policy,
                                      const Resources& total) {
  std::vector<std::string> out;
  const auto tree = QueueTree::build(settings.queues);
  if (tree && policy == "fair") find_in_pools(settings, *tree, total, out);
  if (!tree || policy != "capacity") return out;
  for (const TaskKind kind : kTaskKinds) {
    if (total.slots(kind) <= 0) continue;
    const Findings findings(settings, *tree, kind, total.slots(kind));
    findings.scaled(out);
    findings.under_one_slot(out);
    findings.stranded(out);
  }
  return out;
}

}  // namespace weir
