// Parent names to a tree. A parent is named by its dotted path; a last part that only one queue has
// is enough. Paths become known from the top down (settle), each queue's once, so 10,000 queues are
// linear work; what is left without a path hangs on an orphan or in a ring, and Boost.Graph's
// strong components name the ring.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include "conf/queues.h"

namespace weir {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

class Resolver {
 public:
  Resolver(std::vector<QueueDraft>& drafts, Diagnostics& out)
      : drafts_(drafts), out_(out), too_deep_(drafts.size()) {}

  bool run() {
    const std::size_t errors_before = out_.error_count();
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      const QueueDraft& draft = drafts_[i];
      if (!draft.settings.name.empty()) by_name_[draft.settings.name].push_back(i);
      if (draft.parent) {
        nested_[*draft.parent].push_back(i);
      } else if (!draft.parent_name.empty()) {
        waiting_[draft.parent_name].push_back(i);
      }
    }
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (!drafts_[i].parent && drafts_[i].parent_name.empty()) settle(i);
    }
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (drafts_[i].path.empty() && !drafts_[i].parent) adopt_by_last_part(i);
    }
    report_cycles();
    if (out_.error_count() != errors_before) return false;
    // Some hang on a queue that was itself adopted later; there is no ring, so walking up ends.
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (drafts_[i].path.empty()) settle_from_above(i);
    }
    if (out_.error_count() != errors_before) return false;
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (drafts_[i].parent) drafts_[*drafts_[i].parent].children.push_back(i);
    }
    return true;
  }

 private:
  // This queue's parent has its path, so it gets its own, and so do all who waited for it.
  void settle(std::size_t first) {
    std::vector<std::size_t> ready = {first};
    while (!ready.empty()) {
      const std::size_t self = ready.back();
      ready.pop_back();
      QueueDraft& draft = drafts_[self];
      const std::string name = draft.settings.name.empty() ? "?" : draft.settings.name;
      draft.path = draft.parent ? fmt::format("{}.{}", drafts_[*draft.parent].path, name) : name;
      const auto depth =
          static_cast<std::size_t>(std::count(draft.path.begin(), draft.path.end(), '.')) + 1;
      if (depth > kMaxQueueDepth) {
        // Reported once a branch; what hangs below it stays without a path and is not reported
        // again.
        out_.error(draft.at,
                   fmt::format("queue \"{}\" is at depth {}, allowed: {} levels of queues",
                               draft.settings.name, depth, kMaxQueueDepth));
        too_deep_[self] = true;
        any_too_deep_ = true;
        continue;
      }
      if (const auto found = nested_.find(self); found != nested_.end()) {
        ready.insert(ready.end(), found->second.begin(), found->second.end());
      }
      const auto found = waiting_.find(draft.path);
      if (found == waiting_.end()) continue;
      for (const std::size_t child : found->second) {
        drafts_[child].parent = self;
        ready.push_back(child);
      }
      waiting_.erase(found);
    }
  }

  void settle_from_above(std::size_t self) {
    std::vector<std::size_t> above = {self};
    while (drafts_[above.back()].parent && drafts_[*drafts_[above.back()].parent].path.empty()) {
      above.push_back(*drafts_[above.back()].parent);
    }
    settle(above.back());
    for (auto i = above.rbegin(); i != above.rend() && !any_too_deep_; ++i) {
      if (drafts_[*i].path.empty()) settle(*i);
    }
  }

  void adopt_by_last_part(std::size_t self) {
    QueueDraft& draft = drafts_[self];
    const std::string& wanted = draft.parent_name;
    const std::string last = wanted.substr(wanted.rfind('.') + 1);
    const auto found = by_name_.find(last);
    const std::string label = fmt::format("queues.{}.parent", draft.settings.name);
    if (found == by_name_.end() ||
        (last != wanted && !drafts_[found->second.front()].path.empty())) {
      if (any_too_deep_) return;
      out_.error(
          draft.parent_at,
          fmt::format("{} \"{}\" is no queue{}, allowed: the dotted path of a declared queue",
                      label, wanted, suggestion(last)));
      return;
    }
    if (found->second.size() > 1) {
      out_.error(draft.parent_at,
                 fmt::format("{} \"{}\" could be any of {} queues, allowed: the dotted path of one",
                             label, wanted, found->second.size()));
      return;
    }
    draft.parent = found->second.front();
    too_deep_[self] = too_deep_[*draft.parent];
    if (!drafts_[*draft.parent].path.empty() && !too_deep_[self]) settle(self);
  }

  std::string suggestion(const std::string& last) const {
    // Good for a handful of queues and of mistakes; in a big file the search would cost more than
    // it tells.
    constexpr std::size_t kMostNames = 200;
    if (by_name_.size() > kMostNames) return {};
    std::vector<std::string_view> names;
    for (const QueueDraft& draft : drafts_) names.push_back(draft.settings.name);
    const auto meant = nearest(last, names);
    return meant && *meant != last ? fmt::format(", did you mean \"{}\"?", *meant) : std::string();
  }

  void report_cycles() {
    Graph graph(drafts_.size());
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (drafts_[i].parent) boost::add_edge(*drafts_[i].parent, i, graph);
    }
    std::vector<int> component(drafts_.size());
    if (drafts_.empty()) return;
    const int count = boost::strong_components(
        graph, boost::make_iterator_property_map(component.begin(),
                                                 boost::get(boost::vertex_index, graph)));
    std::vector<int> size(static_cast<std::size_t>(count));
    for (const int c : component) ++size[static_cast<std::size_t>(c)];
    std::vector<bool> told(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      const auto c = static_cast<std::size_t>(component[i]);
      const bool ring = size[c] > 1 || drafts_[i].parent == i;
      // The ring is told at a member that names its parent: that is the line to mend.
      if (!ring || told[c] || drafts_[i].parent_name.empty()) continue;
      told[c] = true;
      std::string text = drafts_[i].settings.name;
      std::size_t at = i;
      constexpr int kMostShown = 20;
      for (int shown = 0; shown < kMostShown; ++shown) {
        at = *drafts_[at].parent;
        text += " under " + drafts_[at].settings.name;
        if (at == i) break;
      }
      out_.error(drafts_[i].parent_at,
                 fmt::format("queues form a cycle, {}, allowed: a tree", text));
    }
  }

  std::vector<QueueDraft>& drafts_;
  Diagnostics& out_;
  bool any_too_deep_ = false;
  std::vector<bool> too_deep_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
  std::unordered_map<std::string, std::vector<std::size_t>> waiting_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> nested_;
};

}  // namespace

bool resolve_queues(std::vector<QueueDraft>& drafts, Diagnostics& out) {
  return Resolver(drafts, out).run();
}

}  // namespace weir
