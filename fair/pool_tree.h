// The pools there are: those that the settings declare, and those that appear on demand, each with
// a dense id (a place in vectors; reused when an on-demand pool has gone). Pool 0 is the unnamed
// root, the whole cluster. Jobs live in leaves: a pool that holds jobs gets no children, a pool
// with children no jobs. An on-demand pool disappears when it is empty. Derived state, on the
// engine's thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fair/fair_settings.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/result.h"

namespace weir {

using PoolId = Id<struct PoolTag>;

class PoolTree {
 public:
  struct Node {
    std::string path;  // research.vision; empty for the root, and where no pool has this id
    const std::string* name = nullptr;  // last part; keeps its place in memory
    PoolId parent;
    bool declared = false;
    bool exists = false;
    const PoolSettings* settings = nullptr;
    std::map<std::string, PoolId, std::less<>> children;  // by name, which is their order
    std::uint32_t jobs = 0;                               // that are held here
    bool leaf() const { return children.empty(); }
  };

  // The settings must outlive the tree.
  explicit PoolTree(const FairSettings& settings);

  static constexpr PoolId root() { return PoolId(0); }
  std::size_t size() const { return nodes_.size(); }
  const Node& node(PoolId id) const { return nodes_[id.index()]; }
  PoolId find(std::string_view path) const;  // invalid if there is none
  bool declared(std::string_view path) const;
  bool contains(PoolId above, PoolId pool) const {  // each contains itself
    while (pool.valid() && pool != above) pool = node(pool).parent;
    return pool.valid();
  }
  // Whether a job may come in there: neither it nor a pool above it is in the way.
  Status check(std::string_view path) const;

  // A job comes in: the pool of that path, made where it is missing. check() must have said Ok.
  // Appends to `made` the pools that are new.
  PoolId enter(std::string_view path, std::vector<PoolId>& made);
  struct Gone {
    PoolId pool;
    PoolId parent;
  };
  // A job leaves. Appends to `gone` the pools that have disappeared, children first.
  void leave(PoolId pool, std::vector<Gone>& gone);

  // Visits the pools below `from`, children before their parents, siblings by name.
  template <class Visit>
  void visit_children_first(PoolId from, Visit visit) const {
    for (const auto& [name, child] : node(from).children) {
      visit_children_first(child, visit);
      visit(child);
    }
  }

 private:
  PoolId add(PoolId parent, const std::string& name, const PoolSettings* settings, bool declared);
  void declare(PoolId parent, const std::vector<PoolSettings>& pools);

  const FairSettings& settings_;
  std::vector<Node> nodes_;
  std::vector<PoolId> free_;
};

}  // namespace weir
