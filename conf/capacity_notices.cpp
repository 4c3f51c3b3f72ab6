// What is noteworthy about queues on the cluster as it is.
#include <algorithm>

#include <fmt/format.h>

#include "conf/capacity_section.h"
#include "conf/live_notices.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/model/space.h"

namespace weir {
namespace {

class Findings {
 public:
  Findings(const QueueTree& tree, const Space& space, Dimension dimension, std::int64_t total)
      : tree_(tree),
        space_(space),
        dimension_(dimension),
        total_(total),
        guaranteed_(guaranteed_slots(tree, exact_shares(tree, dimension), total)) {}

  void scaled(std::vector<std::string>& out) const {
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const QueueTree::Node& parent = tree_.node(QueueId(i));
      std::int64_t sum = 0;
      std::vector<std::string> parts;
      for (const QueueId child : parent.children) {
        const QueueTree::Node& node = tree_.node(child);
        const Guarantee& guarantee = node.settings.guaranteed[dimension_.place()];
        if (guarantee.unit != Guarantee::Unit::kSlots) continue;
        sum += guarantee.amount;
        const std::int64_t now = guaranteed_[child.index()];
        if (now != guarantee.amount)
          parts.push_back(fmt::format("{} {} for its {}", node.path, now, guarantee.amount));
      }
      if (parts.empty() || sum == guaranteed_[i]) continue;
      out.push_back(
          fmt::format("the {} {} total {}{}, {} {}: they are scaled {}, {}",
                      space_.containers() ? "amounts" : "slot counts",
                      i == 0 ? "of the top queues" : "under " + parent.path, sum, unit(),
                      i == 0 ? "the cluster has" : "it is guaranteed", guaranteed_[i],
                      sum > guaranteed_[i] ? "down" : "up", first_few(parts)));
    }
  }

  void under_one_slot(std::vector<std::string>& out) const {
    const std::vector<QueueShare> shares = exact_shares(tree_, dimension_);
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
                    total_, space_.name(dimension_), first_few(queues)));
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
    out.push_back(fmt::format(
        "one user alone cannot use the guaranteed{}, as their limit is hard: {}",
        space_.containers() ? " " + std::string(space_.name(dimension_)) : unit(),
        first_few(queues)));
  }

 private:
  // " map slots", " MB", " gpu"
  std::string unit() const {
    if (!space_.containers()) return fmt::format(" {} slots", space_.name(dimension_));
    if (dimension_ == Dimension::kMemoryMb) return " MB";
    return fmt::format(" {}", space_.name(dimension_));
  }

  const QueueTree& tree_;
  const Space& space_;
  const Dimension dimension_;
  const std::int64_t total_;
  const std::vector<std::int64_t> guaranteed_;
};

}  // namespace

std::vector<std::string> capacity_notices(const Settings& settings, const QueueTree& tree,
                                          const Resources& total) {
  const Space space(settings.resources);
  std::vector<std::string> out;
  for (const Dimension d : space.dimensions()) {
    if (total[d] <= 0) continue;
    const Findings findings(tree, space, d, total[d]);
    findings.scaled(out);
    if (!space.containers()) findings.under_one_slot(out);
    findings.stranded(out);
  }
  return out;
}

}  // namespace weir
