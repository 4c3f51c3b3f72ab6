#include "tracker/jobtracker/settings_diff.h"

#include <utility>
#include <vector>

#include "capacity/guarantees.h"
#include "conf/diff.h"
#include "jobqueue/queue_tree.h"

namespace weir {
namespace {

struct Side {
  QueueTree tree;
  std::vector<std::int64_t> maps, reduces;  // by QueueId
};

Result<Side> make_side(const Settings& settings, const Resources& total) {
  auto tree = QueueTree::build(settings.queues);
  if (!tree) return tree.error();
  Side side{std::move(*tree), {}, {}};
  side.maps = guaranteed_slots(side.tree, TaskKind::kMap, total.slots(TaskKind::kMap));
  side.reduces = guaranteed_slots(side.tree, TaskKind::kReduce, total.slots(TaskKind::kReduce));
  return side;
}

}  // namespace

Result<wire::SettingsDiff> diff_of_settings(const Settings& before, const Settings& after,
                                            const Resources& total) {
  const auto old_side = make_side(before, total);
  if (!old_side) return old_side.error();
  const auto new_side = make_side(after, total);
  if (!new_side) return new_side.error();
  wire::SettingsDiff out;
  for (std::size_t i = 1; i < new_side->tree.size(); ++i) {
    const QueueTree::Node& node = new_side->tree.node(QueueId(i));
    wire::QueueChange change;
    change.queue = node.path;
    change.maps_before = change.reduces_before = 0;
    change.maps_after = new_side->maps[i];
    change.reduces_after = new_side->reduces[i];
    const auto old = old_side->tree.find_path(node.path);
    if (!old) {
      change.change = "added";
    } else {
      change.maps_before = old_side->maps[old->index()];
      change.reduces_before = old_side->reduces[old->index()];
      const bool same = old_side->tree.node(*old).settings == node.settings &&
                        change.maps_before == change.maps_after &&
                        change.reduces_before == change.reduces_after;
      change.change = same ? "unchanged" : "changed";
    }
    out.queues.push_back(std::move(change));
  }
  for (std::size_t i = 1; i < old_side->tree.size(); ++i) {
    const std::string& path = old_side->tree.node(QueueId(i)).path;
    if (new_side->tree.find_path(path)) continue;
    wire::QueueChange change;
    change.queue = path;
    change.change = "removed";
    change.maps_before = old_side->maps[i];
    change.reduces_before = old_side->reduces[i];
    change.maps_after = change.reduces_after = 0;
    out.queues.push_back(std::move(change));
  }
  out.changes = weir::diff_settings(before, after);
  out.warnings = after.notices;
  return out;
}

}  // namespace weir
