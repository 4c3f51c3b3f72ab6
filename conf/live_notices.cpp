#include "conf/live_notices.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jobqueue/queue_guarantees.h"
#include "conf/values.h"
#include "jobqueue/queue_tree.h"

namespace weir {
namespace {

constexpr std::size_t kMostNamed = 8;

class Findings {
 public:
  Findings(const Settings& settings, const QueueTree& tree, TaskKind kind, std::int64_t total)
      : tree_(tree),
        kind_(kind),
        total_(total),
        source_(settings.source.empty() ? "settings" : settings.source),
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
    say(out, fmt::format("one user alone cannot use the guaranteed {} slots, as his limit is hard: "
                         "{}",
                         name(kind_), listed(queues)));
  }

 private:
  void say(std::vector<std::string>& out, const std::string& what) const {
    out.push_back(fmt::format("{}: warning: {}", source_, what));
  }
  static std::string listed(std::vector<std::string> parts) {
    const std::size_t count = parts.size();
    if (count > kMostNamed) parts.resize(kMostNamed);
    return fmt::format("{}{}", fmt::join(parts, ", "),
                       count > kMostNamed ? fmt::format(" and {} more", count - kMostNamed) : "");
  }

  const QueueTree& tree_;
  const TaskKind kind_;
  const std::int64_t total_;
  const std::string source_;
  const std::vector<std::int64_t> guaranteed_;
};

}  // namespace

std::vector<std::string> live_notices(const Settings& settings, const Resources& total) {
  std::vector<std::string> out;
  const auto tree = QueueTree::build(settings.queues);
  if (!tree || settings.policy != "capacity") return out;
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
