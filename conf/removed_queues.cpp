#include "conf/removed_queues.h"

#include <map>

#include <fmt/format.h>

#include "jobqueue/model/queue_tree.h"

namespace weir {
namespace {

constexpr std::string_view kAllowed = "a list of {queue: PATH, move_to: PATH}";

class RemovedQueuesReader {
 public:
  RemovedQueuesReader(Diagnostics& out, const QueueTree* tree) : out_(out), tree_(tree) {}

  void read(const YamlNode& item, std::size_t place) {
    const std::string path = fmt::format("removed_queues[{}]", place);
    const std::size_t errors = out_.error_count();
    const MapReader map(&item, path, out_, {"queue", "move_to"});
    RemovedQueue entry;
    for (const std::string_view key : {"queue", "move_to"}) {
      if (item.kind == YamlNode::Kind::kMap && !map.has(key))
        out_.error(item.at, fmt::format("{} has no {}, allowed: {}", path, key, kAllowed));
    }
    map.read_string("queue", entry.queue);
    map.read_string("move_to", entry.move_to);
    if (out_.error_count() != errors) return;
    check_removed(map, entry);
    if (tree_ != nullptr) check_target(map, entry);
    if (out_.error_count() == errors) result.push_back(std::move(entry));
  }

  std::vector<RemovedQueue> result;

 private:
  void check_removed(const MapReader& map, const RemovedQueue& entry) {
    const auto [first, fresh] = seen_.emplace(entry.queue, map.at("queue"));
    if (!fresh) {
      out_.error(map.at("queue"),
                 fmt::format("{} is \"{}\", named already at {}, allowed: each queue once",
                             map.path("queue"), entry.queue, to_string(first->second)));
    }
    if (tree_ == nullptr) return;
    const auto declared = tree_->find_path(entry.queue);
    if (!declared || !tree_->node(*declared).leaf()) return;
    out_.error(map.at("queue"),
               fmt::format("{} is \"{}\", which is declared in queues, allowed: the dotted path of "
                           "a queue that is no longer declared, or has queues of its own now",
                           map.path("queue"), entry.queue));
  }

  void check_target(const MapReader& map, RemovedQueue& entry) {
    const auto target = tree_->find(entry.move_to);
    if (target && tree_->node(*target).leaf()) {
      entry.move_to = tree_->node(*target).path;
      return;
    }
    std::string why = "which has queues of its own";
    if (!target) why = "which is not declared or could be several queues";
    out_.error(map.at("move_to"),
               fmt::format("{} is \"{}\", {}, allowed: a leaf queue of this file",
                           map.path("move_to"), entry.move_to, why));
  }

  Diagnostics& out_;
  const QueueTree* tree_;
  std::map<std::string, Mark> seen_;
};

}  // namespace

std::vector<RemovedQueue> read_removed_queues(const MapReader& root,
                                              const std::vector<QueueSettings>& queues) {
  const YamlNode* list = root.find("removed_queues");
  if (list == nullptr || list->kind == YamlNode::Kind::kNull) return {};
  if (list->kind != YamlNode::Kind::kList) {
    root.wrong(*list, "removed_queues", kAllowed);
    return {};
  }
  const auto tree = QueueTree::build(queues);
  RemovedQueuesReader reader(root.out(), tree ? &*tree : nullptr);
  for (std::size_t i = 0; i < list->items.size(); ++i) reader.read(*list->items[i], i);
  return std::move(reader.result);
}

}  // namespace weir
