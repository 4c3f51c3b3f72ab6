#include "capacity/queue_shares.h"

#include <algorithm>

#include "capacity/capacity_arithmetic.h"
#include "jobqueue/policy/queue_bounds.h"

namespace weir {

QueueShares::QueueShares(const QueueTree& tree, Dimension dimension,
                         CapacitySettings::RedistributeBy by)
    : tree_(tree),
      dimension_(dimension),
      by_(by),
      shares_(exact_shares(tree, dimension)),
      lines_(tree.size()),
      families_(tree.size()),
      is_changed_(tree.size(), false) {}

void QueueShares::resize(std::int64_t total) {
  const auto guaranteed = guaranteed_slots(tree_, shares_, total);
  const bool slots = dimension_.is_slots();
  const auto maximum = slots ? maximum_slots(tree_, total, guaranteed)
                             : maximum_amounts(tree_, dimension_, total, guaranteed);
  for (std::size_t q = 0; q < lines_.size(); ++q) {
    QueueLine& line = lines_[q];
    line.guaranteed = guaranteed[q];
    line.maximum = maximum[q];
    line.weight = shares_[q].weight;
    line.under_one_slot = slots && total < shares_[q].one_slot_from;
    if (!slots && q > 0)
      line.keep = kept_amount(tree_.nodes()[q].settings, dimension_, guaranteed[q]);
    families_[q] = Family{};
  }
  lines_[QueueTree::root().index()].allocated = total;
  for (std::size_t q = lines_.size(); q-- > 0;) {  // children before their parents
    recount(QueueId(q));
    mark_changed(QueueId(q));
    if (!tree_.nodes()[q].leaf()) to_fill_.insert(QueueId(q));
  }
}

// DEM anew, and the queue into its family's sums, which hold nothing of it yet.
void QueueShares::recount(QueueId queue) {
  QueueLine& line = lines_[queue.index()];
  const bool leaf = tree_.leaf(queue);
  const std::int64_t wanted = leaf ? line.facts.wanted() : families_[queue.index()].demand;
  line.demand = std::max(std::min(line.maximum, wanted), line.keep);
  line.withheld = withheld_by(queue);
  if (queue == QueueTree::root()) return;
  Family& family = families_[tree_.parent(queue).index()];
  family.withheld += line.withheld;
  family.wanting_more += line.wants_more() ? 1 : 0;
  family.demand += line.demand;
}

void QueueShares::set_leaf(QueueId leaf, const LeafFacts& facts) {
  const LeafFacts before = lines_[leaf.index()].facts;
  std::int64_t wanted = facts.wanted();
  for (QueueId q = leaf; q.valid(); q = tree_.parent(q)) {
    QueueLine& line = lines_[q.index()];
    const QueueLine old = line;
    line.facts.running += facts.running - before.running;
    line.facts.pending += facts.pending - before.pending;
    line.facts.dying += facts.dying - before.dying;
    line.facts.waiting_jobs += facts.waiting_jobs - before.waiting_jobs;
    line.facts.wide_jobs += facts.wide_jobs - before.wide_jobs;
    line.demand = std::max(std::min(line.maximum, wanted), line.keep);
    line.withheld = withheld_by(q);
    mark_changed(q);
    const QueueId parent = tree_.parent(q);
    if (!parent.valid()) return;
    Family& family = families_[parent.index()];
    const bool matters = changes_allocation(old, line, parent);
    family.withheld += line.withheld - old.withheld;
    family.wanting_more += (line.wants_more() ? 1 : 0) - (old.wants_more() ? 1 : 0);
    family.demand += line.demand - old.demand;
    if (matters) to_fill_.insert(parent);
    wanted = family.demand;
  }
}

// Before a queue lends, all of its guarantee stays; and what stays with its children stays with it.
std::int64_t QueueShares::withheld_by(QueueId queue) const {
  const QueueLine& line = lines_[queue.index()];
  if (!line.lends) return line.guaranteed;
  if (tree_.leaf(queue)) return line.kept();
  return std::max(line.kept(), families_[queue.index()].withheld);
}

void QueueShares::set_lends(QueueId queue, bool lends) {
  if (lines_[queue.index()].lends == lends) return;
  lines_[queue.index()].lends = lends;
  for (QueueId q = queue; tree_.parent(q).valid(); q = tree_.parent(q)) {
    QueueLine& line = lines_[q.index()];
    const std::int64_t now = withheld_by(q);
    if (now == line.withheld) return;
    const QueueId parent = tree_.parent(q);
    families_[parent.index()].withheld += now - line.withheld;
    line.withheld = now;
    to_fill_.insert(parent);
  }
}

// Whether the family's allocation may be another one now. `families_[parent]` is as before.
bool QueueShares::changes_allocation(const QueueLine& before, const QueueLine& now,
                                     QueueId parent) const {
  using By = CapacitySettings::RedistributeBy;
  const bool weighs_demand = by_ == By::kDemand && before.demand != now.demand;
  const bool weighs_jobs =
      by_ == By::kWaitingJobs && before.facts.waiting_jobs != now.facts.waiting_jobs;
  if (before.demand == now.demand && before.withheld == now.withheld && !weighs_jobs) {
    return false;
  }
  const QueueLine& above = lines_[parent.index()];
  const Family& family = families_[parent.index()];
  // Nobody lends anything: everybody has what he keeps, however much more he wants.
  const bool nothing_lent = above.allocated == family.withheld;
  if (nothing_lent && before.withheld == now.withheld) return false;
  // Nobody borrows: everybody has his guarantee, used or not.
  const bool at_home = above.allocated == above.guaranteed && family.wanting_more == 0;
  if (at_home && !now.wants_more()) return false;
  // It wanted more than it could get, and still does.
  const std::int64_t enough = std::max(now.allocated, now.guaranteed);
  const bool never_full = before.demand > enough && now.demand > enough;
  return !never_full || weighs_demand || weighs_jobs;
}

void QueueShares::settle() {
  while (!to_fill_.empty()) {
    const QueueId parent = *to_fill_.begin();
    to_fill_.erase(to_fill_.begin());
    fill(parent);
  }
}

void QueueShares::fill(QueueId parent) {
  const auto& children = tree_.node(parent).children;
  std::vector<QueueNeed> needs;
  needs.reserve(children.size());
  for (const QueueId child : children) {
    const QueueLine& line = lines_[child.index()];
    needs.push_back({line.guaranteed, std::max(line.demand, line.withheld), line.weight,
                     line.facts.waiting_jobs});
  }
  const auto allocated = allocate(lines_[parent.index()].allocated, needs, by_);
  for (std::size_t i = 0; i < children.size(); ++i) {
    QueueLine& line = lines_[children[i].index()];
    if (line.allocated == allocated[i]) continue;
    line.allocated = allocated[i];
    mark_changed(children[i]);
    if (!tree_.leaf(children[i])) to_fill_.insert(children[i]);
  }
}

void QueueShares::mark_changed(QueueId queue) {
  if (is_changed_[queue.index()]) return;
  is_changed_[queue.index()] = true;
  changed_.push_back(queue);
}

void QueueShares::take_changed(std::vector<QueueId>& out) {
  out.assign(changed_.begin(), changed_.end());
  for (const QueueId queue : changed_) is_changed_[queue.index()] = false;
  changed_.clear();
}

}  // namespace weir
