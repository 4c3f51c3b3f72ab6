#include "conf/fair_pools.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "conf/fair_pool_amounts.h"
#include "conf/fair_section.h"
#include "fair/pool_names.h"

namespace weir {
namespace {

constexpr std::int64_t kMostWeight = 1'000'000;
constexpr std::string_view kNoJob = "no job";

std::vector<std::string> parts_of_path(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t dot = path.find('.');
    parts.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

// `min_share: {map: 10, reduce: 5}`.
void read_min_share(const MapReader& pool, PoolSettings& settings) {
  const YamlNode* node = pool.find("min_share");
  if (node == nullptr) return;
  const MapReader classes(node, pool.path("min_share"), pool.out(), {"map", "reduce"});
  for (const TaskKind kind : kTaskKinds) {
    classes.read_integer(name(kind), settings.min_share[index(kind)], {});
  }
}

void read_max_share(const MapReader& pool, PoolSettings& settings) {
  const YamlNode* node = pool.find("max_share");
  if (node == nullptr) return;
  const MapReader classes(node, pool.path("max_share"), pool.out(), {"map", "reduce"});
  for (const TaskKind kind : kTaskKinds) {
    classes.read_limit(name(kind), settings.max_share[index(kind)],
                       fmt::format("no {} task", name(kind)));
  }
}

void read_weight(const MapReader& pool, PoolSettings& settings) {
  const YamlNode* node = pool.find("weight");
  if (node == nullptr) return;
  const auto value =
      node->kind == YamlNode::Kind::kScalar ? parse_millionths(node->text) : std::nullopt;
  if (value && *value > 0 && *value <= kMostWeight * kWeightOne) {
    settings.weight = *value;
  } else {
    pool.wrong(*node, "weight",
               fmt::format("a number above 0 and up to {} with at most six decimals", kMostWeight));
  }
}

void read_pool_slots(const MapReader& pool, PoolSettings& settings) {
  read_min_share(pool, settings);
  read_max_share(pool, settings);
  if (const auto mode = pool.read_enum("mode", kPoolModes)) {
    settings.mode = static_cast<PoolSettings::Mode>(*mode);
  }
  for (const std::string_view key : {"policy", "lend"}) {
    if (const YamlNode* node = pool.find(key))
      pool.wrong(*node, key, "such a key where `resources: containers` is set");
  }
}

// What pools and their defaults have in common.
void read_pool_values(const MapReader& pool, const Space& space, std::string_view running_jobs_key,
                      PoolSettings& settings) {
  read_weight(pool, settings);
  pool.read_limit(running_jobs_key, settings.max_running_jobs, kNoJob);
  if (space.containers()) {
    read_pool_amounts(pool, space, settings);
  } else {
    read_pool_slots(pool, settings);
  }
  const DurationRange range{.never = true};
  pool.read_duration("min_share_timeout", settings.min_share_timeout_ms, range);
  pool.read_duration("fair_share_timeout", settings.fair_share_timeout_ms, range);
  pool.read_limit("kill_budget", settings.kill_budget);
}

// The position of a part of a value, as near as the file has it.
Mark part_at(const MapReader& pool, std::string_view key, std::string_view part) {
  const YamlNode* node = pool.find(key);
  if (node == nullptr) return pool.at();
  for (const auto& [name, value] : node->entries) {
    if (name->text == part) return value->at;
  }
  return node->at;
}

// Rules between the values. What a pool has from the defaults counts too; the complaint stands
// where the pool says one of the two.
void check_pool_values(const MapReader& pool, const Space& space, bool has_pools,
                       const PoolSettings& settings) {
  if (space.containers()) check_pool_amounts(pool, space, has_pools, settings);
  for (const TaskKind kind : kTaskKinds) {
    if (!pool.has("max_share") && !pool.has("min_share")) break;  // the defaults' own fault
    const auto& most = settings.max_share[index(kind)];
    const std::int64_t least = settings.min_share[index(kind)];
    if (!most || *most >= least) continue;
    const std::string_view key = pool.has("max_share") ? "max_share" : "min_share";
    pool.out().error(part_at(pool, key, name(kind)),
                     fmt::format("{}.{} is {}, below min_share.{}, which is {}, allowed: a "
                                 "max_share of at least the min_share",
                                 pool.path("max_share"), name(kind), *most, name(kind), least));
  }
  // Never is no waiting time that another could be held against: that timeout is switched off.
  const DurationMs min_ms = settings.min_share_timeout_ms;
  const DurationMs fair_ms = settings.fair_share_timeout_ms;
  if (min_ms == kNever || fair_ms >= min_ms) return;
  if (!pool.has("fair_share_timeout") && !pool.has("min_share_timeout")) return;
  pool.out().error(
      pool.at(pool.has("fair_share_timeout") ? "fair_share_timeout" : "min_share_timeout"),
      fmt::format("{} is {}, shorter than min_share_timeout, which is {}, allowed: a "
                  "fair_share_timeout at least as long",
                  pool.path("fair_share_timeout"), format_duration(fair_ms),
                  format_duration(min_ms)));
}

struct PoolDraft {
  PoolSettings settings;  // without children
  std::string path;
  Mark at;                // first mentioned
  bool declared = false;  // not only as part of another one's path
  std::vector<std::size_t> children;
};

class PoolReader {
 public:
  PoolReader(PoolSettings defaults, const Space& space, Diagnostics& out)
      : defaults_(std::move(defaults)), space_(space), out_(out), drafts_(1) {}

  void read_list(const YamlNode& node, const std::string& path, std::size_t parent) {
    if (node.kind == YamlNode::Kind::kNull) return;
    if (node.kind != YamlNode::Kind::kList) {
      out_.error(node.at, fmt::format("{} is {}, allowed: a list of pools{}", path, shown(node),
                                      parent == kTop ? ", or {file: PATH}" : ""));
      return;
    }
    for (std::size_t i = 0; i < node.items.size() && !full_; ++i) {
      read_pool(*node.items[i], path, i, parent);
    }
  }

  std::vector<PoolSettings> take() { return assemble(kTop).pools; }

  static constexpr std::size_t kTop = 0;

 private:
  void read_pool(const YamlNode& node, const std::string& list, std::size_t nth,
                 std::size_t parent) {
    // The name first: the messages about everything else use it.
    std::string path = fmt::format("{}[{}]", list, nth);
    const YamlNode* name_node = nullptr;
    for (const auto& [key, value] : node.entries) {
      if (key->text == "name") name_node = value.get();
    }
    const std::vector<std::string> names = names_of(name_node, parent);
    if (!names.empty()) {
      const bool nested = list.ends_with(".pools") && parent != kTop;
      path = nested ? list.substr(0, list.size() - 6) : list;
      for (const std::string& part : names) path += "." + part;
    }
    const MapReader map(&node, path, out_,
                        {"name", "weight", "min_share", "max_share", "max_running_jobs", "mode",
                         "policy", "lend", "min_share_timeout", "fair_share_timeout", "kill_budget",
                         "pools"});
    if (node.kind != YamlNode::Kind::kMap) {
      if (node.kind == YamlNode::Kind::kNull)
        out_.error(node.at, path + " is empty, allowed: a pool with a name");
      return;
    }
    PoolSettings settings = defaults_;
    read_pool_values(map, space_, "max_running_jobs", settings);
    const YamlNode* pools = map.find("pools");
    check_pool_values(map, space_, pools != nullptr, settings);
    if (!names.empty()) {
      const auto self = declare(names, name_node->at, parent, std::move(settings));
      if (self && pools != nullptr) read_list(*pools, map.path("pools"), *self);
      return;
    }
    complain_of_name(map, name_node, path, parent);
    // Children of a pool without a good name are looked at too, apart from all others.
    if (pools == nullptr) return;
    PoolReader(defaults_, space_, out_).read_list(*pools, map.path("pools"), kTop);
  }

  // The parts of a name that is legal; else none.
  static std::vector<std::string> names_of(const YamlNode* node, std::size_t parent) {
    constexpr std::string_view kRoot = "root.";
    if (node == nullptr || node->kind != YamlNode::Kind::kScalar) return {};
    std::string_view text = node->text;
    if (parent == kTop && text.starts_with(kRoot)) text.remove_prefix(kRoot.size());
    std::vector<std::string> parts = parts_of_path(text);
    if (!std::all_of(parts.begin(), parts.end(), is_pool_name)) return {};
    if (parts.front() == "root") return {};
    return parts;
  }

  void complain_of_name(const MapReader& map, const YamlNode* node, const std::string& path,
                        std::size_t parent) {
    if (node == nullptr) {
      out_.error(map.at(),
                 fmt::format("{} has no name, allowed: name: with {}", path, kPoolNameAllowed));
    } else if (node->text == "root" || node->text.starts_with("root.")) {
      map.wrong(*node, "name",
                parent == kTop ? "no pool root: it stands above all others, and they at the top"
                               : "the name below its parent, without root");
    } else {
      map.wrong(*node, "name", kPoolNameAllowed);
    }
  }

  // The pool's draft, unless it is too deep or one too many; its parents come to be if they are
  // not.
  std::optional<std::size_t> declare(const std::vector<std::string>& names, Mark at,
                                     std::size_t parent, PoolSettings settings) {
    std::size_t self = parent;
    for (const std::string& part : names) {
      const auto next = child(self, part, at);
      if (!next) return std::nullopt;
      self = *next;
    }
    PoolDraft& draft = drafts_[self];
    if (draft.declared) {
      out_.error(at, fmt::format("a second pool \"{}\", first at {}, allowed: each pool once",
                                 draft.path, to_string(draft.at)));
      return self;
    }
    settings.name = names.back();
    draft.settings = std::move(settings);
    draft.at = at;
    draft.declared = true;
    return self;
  }

  std::optional<std::size_t> child(std::size_t parent, const std::string& name, Mark at) {
    const std::string path =
        parent == kTop ? name : fmt::format("{}.{}", drafts_[parent].path, name);
    const auto [found, fresh] = by_path_.emplace(path, drafts_.size());
    if (!fresh) return found->second;
    const auto depth = static_cast<std::size_t>(std::count(path.begin(), path.end(), '.')) + 1;
    if (depth > kMaxPoolDepth || drafts_.size() > kMaxPools) {
      by_path_.erase(found);
      full_ = full_ || depth <= kMaxPoolDepth;
      out_.error(at,
                 depth > kMaxPoolDepth
                     ? fmt::format("pool \"{}\" is at depth {}, allowed: {} levels of pools", name,
                                   depth, kMaxPoolDepth)
                     : fmt::format("more pools than {}, allowed: at most that many", kMaxPools));
      return std::nullopt;
    }
    if (drafts_[parent].path == "default") {
      out_.error(at,
                 fmt::format("pool \"{}\" is within \"default\", where the jobs are that name no "
                             "pool, allowed: no pools within it",
                             path));
    }
    drafts_[parent].children.push_back(drafts_.size());
    PoolDraft& draft = drafts_.emplace_back();
    draft.settings = defaults_;
    draft.settings.name = name;
    draft.path = path;
    draft.at = at;
    return drafts_.size() - 1;
  }

  PoolSettings assemble(std::size_t self) {
    PoolSettings result = std::move(drafts_[self].settings);
    for (const std::size_t child : drafts_[self].children) result.pools.push_back(assemble(child));
    return result;
  }

  const PoolSettings defaults_;
  const Space& space_;
  Diagnostics& out_;
  std::vector<PoolDraft> drafts_;  // the first one stands above the top
  std::map<std::string, std::size_t> by_path_;
  bool full_ = false;
};

void read_defaults(const MapReader& section, const Space& space, FairSettings& settings) {
  const MapReader map(
      section.find("defaults"), section.path("defaults"), section.out(),
      {"pool_max_running_jobs", "user_max_running_jobs", "mode", "min_share_timeout",
       "fair_share_timeout", "kill_budget", "weight", "min_share", "max_share", "policy", "lend"});
  read_pool_values(map, space, "pool_max_running_jobs", settings.undeclared);
  check_pool_values(map, space, false, settings.undeclared);
  map.read_limit("user_max_running_jobs", settings.default_user_max_running_jobs, kNoJob);
}

void read_users(const MapReader& section, FairSettings& settings) {
  const YamlNode* node = section.find("users");
  if (node == nullptr || node->kind == YamlNode::Kind::kNull) return;
  if (node->kind != YamlNode::Kind::kList) {
    section.wrong(*node, "users", "a list like [{name: alice, max_running_jobs: 6}]");
    return;
  }
  std::map<std::string, Mark> seen;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    const YamlNode& item = *node->items[i];
    const std::string path = fmt::format("{}[{}]", section.path("users"), i);
    const MapReader user(&item, path, section.out(), {"name", "max_running_jobs"});
    if (item.kind != YamlNode::Kind::kMap) {
      if (item.kind == YamlNode::Kind::kNull)
        section.out().error(item.at, path + " is empty, allowed: a user with a name");
      continue;
    }
    std::string name;
    std::optional<std::int64_t> limit = settings.default_user_max_running_jobs;
    user.read_limit("max_running_jobs", limit, kNoJob);
    if (!user.has("name")) {
      section.out().error(item.at, path + " has no name, allowed: name: with a user's name");
    }
    if (!user.read_string("name", name)) continue;
    const auto [first, fresh] = seen.emplace(name, user.at("name"));
    if (!fresh) {
      section.out().error(user.at("name"),
                          fmt::format("a second user \"{}\", first at {}, allowed: each user once",
                                      name, to_string(first->second)));
    }
    settings.user_max_running_jobs[name] = limit.value_or(kUnlimitedJobs);
  }
}

}  // namespace

void read_pool_keys(const PoolKeys& keys, const Space& space, FairSettings& settings) {
  if (keys.defaults != nullptr) read_defaults(*keys.defaults, space, settings);
  if (keys.users != nullptr) read_users(*keys.users, settings);
  if (keys.pools == nullptr) return;
  const YamlNode* list = keys.pools->find("pools");
  if (list == nullptr) return;
  PoolReader reader(settings.undeclared, space, keys.pools->out());
  reader.read_list(*list, keys.pools->path("pools"), PoolReader::kTop);
  settings.pools = reader.take();
}

}  // namespace weir
