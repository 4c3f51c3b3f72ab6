// What is noteworthy about queues on the cluster as it is.
#include <algorithm>

#include <fmt/format.h>

#include "conf/capacity_section.h"
#include "conf/live_notices.h"
#include "jobqueue/model/queue_guarantees.h"

namespace weir {
namespace {

class Findings {
 public:
  Findings(const QueueTree& tree, TaskKind kind, std::int64_t total)
      : tree_(tree),
        kind_(kind),
        total_(total),
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
      out.push_back(
          fmt::format("the slot counts {} total {} {} slots, {} {}: they are scaled {}, {}",
                      i == 0 ? "of the top queues" : "under " + parent.path, sum, name(kind_),
                      i == 0 ? "the cluster has" : "it is guaranteed", guaranteed_[i],
                      sum > guaranteed_[i] ? "down" : "up", first_few(parts)));
    }
  }

  void under_one_slot(std::vector<std::string>& out) const {
    const std::vector<QueueShare> shares = exact_shares(tree_, kind_);
    std::vector<std::string> queues;
    for (const QueueId leaf : tree_.leaves()) {
      const std::int64_t from = shares[leaf.index()].one_slot_from;
      if (total_ < from && from != INT64_MAX)
        queues.push_back(fmt::format("{} ({}one slot from {} on)", tree_.node(leaf).path,
                                     guaranteed_[leaf.index()] > 0 ? "1 by rounding, " : "",
                                     from));
    }
    if (queues.empty()) return;
    out.push_back(
        fmt::format("guaranteed less than one of the cluster's {} {} slots: {}; such queues take "
                    "turns and have no claims",
                    total_, name(kind_), first_few(queues)));
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
    out.push_back(
        fmt::format("one user alone cannot use the guaranteed {} slots, as their limit is hard: {}",
                    name(kind_), first_few(queues)));
  }

 private:
  const QueueTree& tree_;
  const TaskKind kind_;
  const std::int64_t total_;
  const std::vector<std::int64_t> guaranteed_;
};

}  // namespace

std::vector<std::string> capacity_notices(const Settings&, const QueueTree& tree,
                                          const Resources& total) {
  std::vector<std::string> out;
  for (const TaskKind kind : kTaskKinds) {
    if (total.slots(kind) <= 0) continue;
    const Findings findings(tree, kind, total.slots(kind));
    findings.scaled(out);
    findings.under_one_slot(out);
    findings.stranded(out);
  }
  return out;
}

}  // namespace weir
