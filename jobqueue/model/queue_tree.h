// The tree of queues: dense ids in the order of the settings (parents before children), dotted
// paths, parents and children. A flat list is a tree of depth one under an unnamed root, which is
// the whole cluster. Immutable: new settings make a new tree, and the engine carries what lives in
// the queues over by path. QueueId 0 is the root. Parents given by name are made into a tree, with
// Boost.Graph, where settings are read (conf/queue_tree_check.cpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/ids.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/settings.h"

namespace weir {

class QueueTree {
 public:
  struct Node {
    std::string path;  // research.vision; "" for the root
    QueueId parent;    // invalid for the root
    std::vector<QueueId> children;
    QueueSettings settings;  // its own `queues` left empty
    bool leaf() const { return children.empty(); }
  };

  static constexpr QueueId root() { return QueueId(0); }

  // Errors name the queue: a duplicate, an empty name, no queue at all.
  static Result<QueueTree> build(const std::vector<QueueSettings>& top_level);

  std::size_t size() const { return nodes_.size(); }
  const Node& node(QueueId id) const { return nodes_[id.index()]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<QueueId>& leaves() const { return leaves_; }
  // What the hot path asks of a node, from a table that is small enough to stay in the cache.
  QueueId parent(QueueId id) const { return links_[id.index()].parent; }
  bool leaf(QueueId id) const { return links_[id.index()].leaf; }
  // From a queue to the root, itself first.
  bool is_ancestor(QueueId ancestor, QueueId queue) const;
  std::optional<QueueId> find_path(std::string_view path) const;
  // A full path, or a last part that only one queue has; the error says which it could be.
  Result<QueueId> find(std::string_view name) const;

 private:
  struct Link {
    QueueId parent;
    bool leaf = false;
  };
  std::vector<Node> nodes_;
  std::vector<Link> links_;  // by QueueId
  std::vector<QueueId> leaves_;
  std::map<std::string, QueueId, std::less<>> by_path_;
  std::multimap<std::string, QueueId, std::less<>> by_last_part_;
};

// The kill timer of a queue: its own, else that of the nearest ancestor that has one, else 5 min,
// for reduce slots 10 min. Containers have one for all dimensions.
DurationMs reclaim_after_ms(const QueueTree& tree, QueueId queue, Dimension dimension);

}  // namespace weir
