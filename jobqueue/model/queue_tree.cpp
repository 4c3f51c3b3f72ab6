#include "jobqueue/model/queue_tree.h"

namespace weir {

Result<QueueTree> QueueTree::build(const std::vector<QueueSettings>& top_level) {
  QueueTree tree;
  tree.nodes_.push_back(Node{});
  struct Pending {
    const QueueSettings* settings;
    QueueId parent;
  };
  std::vector<Pending>
      stack;  // depth first, so that a family stays together in the order of the file
  const auto push_children = [&stack](const std::vector<QueueSettings>& queues, QueueId parent) {
    for (auto it = queues.rbegin(); it != queues.rend(); ++it) stack.push_back({&*it, parent});
  };
  push_children(top_level, root());
  if (stack.empty())
    return Error{ErrorCode::kSettingsRefused, "no queue is declared", "declare at least one queue"};
  while (!stack.empty()) {
    const Pending next = stack.back();
    stack.pop_back();
    const QueueId id(tree.nodes_.size());
    Node node;
    const Node& parent = tree.nodes_[next.parent.index()];
    node.path = parent.path.empty() ? next.settings->name : parent.path + "." + next.settings->name;
    node.parent = next.parent;
    node.settings = *next.settings;
    node.settings.queues.clear();
    if (next.settings->name.empty()) {
      return Error{ErrorCode::kSettingsRefused, "a queue under '" + parent.path + "' has no name",
                   ""};
    }
    if (!tree.by_path_.emplace(node.path, id).second) {
      return Error{ErrorCode::kSettingsRefused, "queue '" + node.path + "' is declared twice",
                   "names are unique among siblings"};
    }
    tree.by_last_part_.emplace(next.settings->name, id);
    tree.nodes_.push_back(std::move(node));
    tree.nodes_[next.parent.index()].children.push_back(id);
    push_children(next.settings->queues, id);
  }
  for (const Node& node : tree.nodes_) {
    if (node.leaf()) tree.leaves_.push_back(QueueId(tree.links_.size()));
    tree.links_.push_back({node.parent, node.leaf()});
  }
  return tree;
}

bool QueueTree::is_ancestor(QueueId ancestor, QueueId queue) const {
  for (QueueId q = queue; q.valid(); q = parent(q)) {
    if (q == ancestor) return true;
  }
  return false;
}

std::optional<QueueId> QueueTree::find_path(std::string_view path) const {
  const auto it = by_path_.find(path);
  if (it == by_path_.end()) return std::nullopt;
  return it->second;
}

Result<QueueId> QueueTree::find(std::string_view name) const {
  if (const auto exact = find_path(name)) return *exact;
  const auto [first, last] = by_last_part_.equal_range(name);
  if (first != last && std::next(first) == last) return first->second;
  std::string known;
  std::size_t listed = 0;
  for (const QueueId leaf : leaves_) {
    if (++listed > 20) {
      known += ", ...";
      break;
    }
    known += (known.empty() ? "" : ", ") + node(leaf).path;
  }
  if (first == last) {
    return Error{ErrorCode::kUnknownQueue, "there is no queue '" + std::string(name) + "'",
                 "one of: " + known};
  }
  std::string candidates;
  for (auto it = first; it != last; ++it)
    candidates += (candidates.empty() ? "" : ", ") + node(it->second).path;
  return Error{ErrorCode::kUnknownQueue, "queue name '" + std::string(name) + "' is ambiguous",
               "one of: " + candidates};
}

DurationMs reclaim_after_ms(const QueueTree& tree, QueueId queue, Dimension dimension) {
  const std::size_t which = dimension == Dimension::kReduceSlots ? 1 : 0;
  for (QueueId q = queue; q.valid(); q = tree.parent(q)) {
    if (const auto own = tree.node(q).settings.reclaim_after_ms[which]) return *own;
  }
  return (which == 0 ? 5 : 10) * DurationMs{60'000};
}

}  // namespace weir
