#include "fair/pool_tree.h"

#include "jobqueue/model/check.h"

namespace weir {
namespace {

// Calls `take(part)` for each part of a path until it says false.
template <class Take>
void for_each_part(std::string_view path, Take take) {
  while (!path.empty()) {
    const auto dot = path.find('.');
    if (!take(path.substr(0, dot))) return;
    if (dot == std::string_view::npos) return;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

PoolTree::PoolTree(const FairSettings& settings) : settings_(settings) {
  nodes_.emplace_back();
  nodes_.front().exists = true;
  nodes_.front().declared = true;
  nodes_.front().settings = &settings.undeclared;
  declare(root(), settings.pools);
}

void PoolTree::declare(PoolId parent, const std::vector<PoolSettings>& pools) {
  for (const PoolSettings& pool : pools) {
    declare(add(parent, pool.name, &pool, true), pool.pools);
  }
}

PoolId PoolTree::add(PoolId parent, const std::string& name, const PoolSettings* settings,
                     bool declared) {
  PoolId id;
  if (free_.empty()) {
    id = PoolId(nodes_.size());
    nodes_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Node& node = nodes_[id.index()];
  Node& above = nodes_[parent.index()];
  node = Node{.path = above.path.empty() ? name : above.path + "." + name,
              .name = &above.children.emplace(name, id).first->first,
              .parent = parent,
              .declared = declared,
              .exists = true,
              .settings = settings};
  return id;
}

PoolId PoolTree::find(std::string_view path) const {
  PoolId at = root();
  for_each_part(path, [&](std::string_view part) {
    const auto& children = node(at).children;
    const auto found = children.find(part);
    at = found == children.end() ? PoolId{} : found->second;
    return at.valid();
  });
  return at == root() ? PoolId{} : at;
}

bool PoolTree::declared(std::string_view path) const {
  const PoolId pool = find(path);
  return pool.valid() && node(pool).declared;
}

Status PoolTree::check(std::string_view path) const {
  PoolId at = root();
  for_each_part(path, [&](std::string_view part) {
    const auto& children = node(at).children;
    const auto found = children.find(part);
    if (found == children.end()) return false;
    at = found->second;
    return true;
  });
  const Node& nearest = node(at);
  if (nearest.path == path) {
    if (nearest.leaf()) return Ok{};
    std::string children;
    for (const auto& [name, child] : nearest.children) {
      children += (children.empty() ? "" : ", ") + node(child).path;
    }
    return Error{ErrorCode::kBadRequest,
                 "pool " + nearest.path + " has pools of its own and holds no jobs",
                 "name one of: " + children};
  }
  if (nearest.jobs == 0) return Ok{};
  return Error{ErrorCode::kBadRequest,
               "pool " + std::string(path) + " cannot be made: pool " + nearest.path +
                   " holds jobs, so it gets no pools of its own",
               "name pool " + nearest.path + ", or wait until its jobs are over"};
}

PoolId PoolTree::enter(std::string_view path, std::vector<PoolId>& made) {
  PoolId at = root();
  for_each_part(path, [&](std::string_view part) {
    const auto& children = node(at).children;
    const auto found = children.find(part);
    if (found != children.end()) {
      at = found->second;
    } else {
      at = add(at, std::string(part), &settings_.undeclared, false);
      made.push_back(at);
    }
    return true;
  });
  WEIR_CHECK(at != root() && node(at).leaf(), "jobs live in leaves");
  ++nodes_[at.index()].jobs;
  return at;
}

void PoolTree::leave(PoolId pool, std::vector<Gone>& gone) {
  WEIR_CHECK(node(pool).jobs > 0, "a job leaves the pool that holds it");
  --nodes_[pool.index()].jobs;
  while (pool != root() && !node(pool).declared && node(pool).leaf() && node(pool).jobs == 0) {
    const PoolId parent = node(pool).parent;
    nodes_[parent.index()].children.erase(*node(pool).name);
    nodes_[pool.index()] = Node{};
    free_.push_back(pool);
    gone.push_back({pool, parent});
    pool = parent;
  }
}

}  // namespace weir
