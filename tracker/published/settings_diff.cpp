#include "tracker/published/settings_diff.h"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "conf/describe.h"
#include "conf/diff.h"
#include "conf/live_notices.h"
#include "jobqueue/model/cluster_state.h"
#include "jobqueue/model/queue_guarantees.h"
#include "jobqueue/model/queue_tree.h"
#include "jobqueue/model/space.h"
#include "jobqueue/policy/queue_bounds.h"

namespace weir {
namespace {

// GC and MAX of a queue in one dimension; 0 where it is not.
struct Figures {
  std::int64_t guaranteed = 0, maximum = 0;
  friend bool operator==(const Figures&, const Figures&) = default;
};

// By name of the dimension: a resource may have another place among those that the settings name.
using AmountsOfQueue = std::map<std::string_view, Figures>;

struct Side {
  QueueTree tree;
  std::map<std::string, std::vector<Figures>, std::less<>> of;  // by QueueId
};

// `total` is in the order of `now`, the resources that count now.
Result<Side> make_side(const Settings& settings, const Space& now, const Resources& total) {
  auto tree = QueueTree::build(settings.queues);
  if (!tree) return tree.error();
  Side side{std::move(*tree), {}};
  const Space space(settings.resources);
  for (const Dimension d : space.dimensions()) {
    const auto known = d.is_named() ? now.find(space.name(d)) : d;
    const std::int64_t all = known ? total[*known] : 0;
    const auto guaranteed = guaranteed_slots(side.tree, d, all);
    const auto maximum = space.containers() ? maximum_amounts(side.tree, d, all, guaranteed)
                                            : maximum_slots(side.tree, all, guaranteed);
    std::vector<Figures>& figures = side.of[std::string(space.name(d))];
    for (std::size_t q = 0; q < guaranteed.size(); ++q)
      figures.push_back({guaranteed[q], maximum[q]});
  }
  return side;
}

AmountsOfQueue figures_of(const Side& side, std::optional<QueueId> queue, const Space& space) {
  AmountsOfQueue figures;
  for (const Dimension d : space.dimensions()) {
    const auto found = side.of.find(space.name(d));
    figures[space.name(d)] =
        queue && found != side.of.end() ? found->second[queue->index()] : Figures{};
  }
  return figures;
}

SettingsDiffView::Queue make_change(const std::string& path, const char* what, const Space& space,
                                    const AmountsOfQueue& before, const AmountsOfQueue& after) {
  SettingsDiffView::Queue change;
  change.queue = path;
  change.change = what;
  if (space.containers()) {
    for (const Dimension d : space.dimensions()) {
      const Figures& was = before.at(space.name(d));
      const Figures& is = after.at(space.name(d));
      change.amounts.push_back({std::string(space.name(d)), was.guaranteed, is.guaranteed,
                                was.maximum, is.maximum});
    }
    return change;
  }
  const auto maps = space.name(TaskKind::kMap), reduces = space.name(TaskKind::kReduce);
  change.maps_before = before.at(maps).guaranteed;
  change.maps_after = after.at(maps).guaranteed;
  change.reduces_before = before.at(reduces).guaranteed;
  change.reduces_after = after.at(reduces).guaranteed;
  change.maps_maximum_before = before.at(maps).maximum;
  change.maps_maximum_after = after.at(maps).maximum;
  change.reduces_maximum_before = before.at(reduces).maximum;
  change.reduces_maximum_after = after.at(reduces).maximum;
  return change;
}

}  // namespace

Result<SettingsDiffView> diff_of_settings(const Settings& before, const Settings& after,
                                          std::string_view policy, const Resources& total) {
  const Space now(before.resources), space(after.resources);
  const auto old_side = make_side(before, now, total);
  if (!old_side) return old_side.error();
  const auto new_side = make_side(after, now, total);
  if (!new_side) return new_side.error();
  SettingsDiffView out;
  // A default that is spelled out is no change.
  std::map<std::string, KeyValues> words;
  for (SettingsPart& part : queue_parts(before)) words[part.path] = std::move(part.values);
  std::set<std::string> reworded;
  for (const SettingsPart& part : queue_parts(after)) {
    if (words[part.path] != part.values) reworded.insert(part.path);
  }
  for (std::size_t i = 1; i < new_side->tree.size(); ++i) {
    const QueueTree::Node& node = new_side->tree.node(QueueId(i));
    const auto old = old_side->tree.find_path(node.path);
    const AmountsOfQueue was = figures_of(*old_side, old, space);
    const AmountsOfQueue is = figures_of(*new_side, QueueId(i), space);
    const bool same = old && !reworded.contains("queues." + node.path) && was == is;
    out.queues.push_back(
        make_change(node.path, !old ? "added" : (same ? "unchanged" : "changed"), space, was, is));
  }
  for (std::size_t i = 1; i < old_side->tree.size(); ++i) {
    const std::string& path = old_side->tree.node(QueueId(i)).path;
    const QueueId to = queue_after(after, new_side->tree, path);
    const bool moves = old_side->tree.node(QueueId(i)).leaf() && to.valid() &&
                       new_side->tree.node(to).path != path;
    const auto still = new_side->tree.find_path(path);
    if (!still)
      out.queues.push_back(make_change(path, "removed", space,
                                       figures_of(*old_side, QueueId(i), space),
                                       figures_of(*new_side, std::nullopt, space)));
    if (!moves) continue;
    SettingsDiffView::Queue& change = still ? out.queues[still->index() - 1] : out.queues.back();
    change.moves_to = new_side->tree.node(to).path;
  }
  out.changes = weir::diff_settings(before, after);
  out.warnings = after.notices;
  if (after.policy == before.policy && after.policy != policy) {
    out.warnings.push_back("policy: these say " + after.policy + ", but " + std::string(policy) +
                           " rules, set by command, and stays; `weir policy set " + after.policy +
                           "` ends that");
  }
  for (std::string& notice : live_notices(after, policy, total))
    out.warnings.push_back(std::move(notice));
  if (!space.containers()) {
    out.map_slots = total.slots(TaskKind::kMap);
    out.reduce_slots = total.slots(TaskKind::kReduce);
  }
  return out;
}

}  // namespace weir
