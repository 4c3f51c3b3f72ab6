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

namespace weir {
namespace {

struct ClassFigures {
  std::vector<std::int64_t> guaranteed, maximum;  // GC and MAX by QueueId
};

struct Side {
  QueueTree tree;
  ClassFigures classes[kTaskKindCount];
};

Result<Side> make_side(const Settings& settings, const Resources& total) {
  auto tree = QueueTree::build(settings.queues);
  if (!tree) return tree.error();
  Side side{std::move(*tree), {}};
  for (const TaskKind kind : kTaskKinds) {
    ClassFigures& figures = side.classes[index(kind)];
    figures.guaranteed = guaranteed_slots(side.tree, kind, total.slots(kind));
    figures.maximum = maximum_slots(side.tree, total.slots(kind), figures.guaranteed);
  }
  return side;
}

// The figures of a queue on one side; 0 where it is not.
struct Figures {
  std::int64_t maps = 0, reduces = 0, maps_maximum = 0, reduces_maximum = 0;
  friend bool operator==(const Figures&, const Figures&) = default;
};

Figures figures_of(const Side& side, std::optional<QueueId> queue) {
  if (!queue) return {};
  const ClassFigures& maps = side.classes[index(TaskKind::kMap)];
  const ClassFigures& reduces = side.classes[index(TaskKind::kReduce)];
  const std::size_t q = queue->index();
  return {maps.guaranteed[q], reduces.guaranteed[q], maps.maximum[q], reduces.maximum[q]};
}

SettingsDiffView::Queue make_change(const std::string& path, const char* what,
                                    const Figures& before, const Figures& after) {
  SettingsDiffView::Queue change;
  change.queue = path;
  change.change = what;
  change.maps_before = before.maps;
  change.maps_after = after.maps;
  change.reduces_before = before.reduces;
  change.reduces_after = after.reduces;
  change.maps_maximum_before = before.maps_maximum;
  change.maps_maximum_after = after.maps_maximum;
  change.reduces_maximum_before = before.reduces_maximum;
  change.reduces_maximum_after = after.reduces_maximum;
  return change;
}

}  // namespace

Result<SettingsDiffView> diff_of_settings(const Settings& before, const Settings& after,
                                          std::string_view policy, const Resources& total) {
  const auto old_side = make_side(before, total);
  if (!old_side) return old_side.error();
  const auto new_side = make_side(after, total);
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
    const Figures was = figures_of(*old_side, old);
    const Figures is = figures_of(*new_side, QueueId(i));
    const bool same = old && !reworded.contains("queues." + node.path) && was == is;
    out.queues.push_back(
        make_change(node.path, !old ? "added" : (same ? "unchanged" : "changed"), was, is));
  }
  for (std::size_t i = 1; i < old_side->tree.size(); ++i) {
    const std::string& path = old_side->tree.node(QueueId(i)).path;
    const QueueId to = queue_after(after, new_side->tree, path);
    const bool moves = old_side->tree.node(QueueId(i)).leaf() && to.valid() &&
                       new_side->tree.node(to).path != path;
    const auto still = new_side->tree.find_path(path);
    if (!still)
      out.queues.push_back(make_change(path, "removed", figures_of(*old_side, QueueId(i)), {}));
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
  out.map_slots = total.slots(TaskKind::kMap);
  out.reduce_slots = total.slots(TaskKind::kReduce);
  return out;
}

}  // namespace weir
