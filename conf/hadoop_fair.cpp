// The fair scheduler of MapReduce 1 and of YARN as our `fair:` section and the queues beside it.
// YARN's queues are its pools, so each pool is written as a queue, too, and jobs find the pool by
// their queue. MapReduce's queues are other files' matter (one, `default`, unless they say more),
// and its pools are its users unless mapred-site.xml says otherwise.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/hadoop_allocations.h"
#include "conf/hadoop_schedulers.h"
#include "conf/values.h"

namespace weir {
namespace {

constexpr std::string_view kDefaultQueue = "default";

std::string share_line(const char* key,
                       const std::array<std::optional<std::int64_t>, kTaskKindCount>& slots) {
  std::vector<std::string> parts;
  for (const TaskKind kind : kTaskKinds) {
    if (slots[index(kind)]) parts.push_back(fmt::format("{}: {}", name(kind), *slots[index(kind)]));
  }
  return parts.empty() ? "" : fmt::format("{}: {{{}}}", key, fmt::join(parts, ", "));
}

std::string amounts_line(const char* key, const HadoopAmounts& amounts) {
  return amounts.empty() ? "" : fmt::format("{}: {}", key, yaml_of_amounts(amounts));
}

// `most_of_others`: what pools may have that say nothing.
std::vector<std::string> pool_lines(const ImportedPool& pool, bool containers,
                                    const HadoopAmounts& most_of_others) {
  std::vector<std::string> lines;
  if (pool.weight) lines.push_back("weight: " + format_millionths(*pool.weight));
  lines.push_back(share_line("min_share", pool.minimum));
  lines.push_back(share_line("max_share", pool.maximum));
  lines.push_back(amounts_line("min_share", pool.least));
  lines.push_back(amounts_line("max_share", pool.most));
  // Its parts of the cluster are the maximum of the queue.
  if (pool.most.empty() && !pool.most_parts.empty() && !most_of_others.empty())
    lines.push_back("max_share: unlimited");
  if (pool.max_running_jobs)
    lines.push_back(fmt::format("max_running_jobs: {}", *pool.max_running_jobs));
  if (!pool.mode.empty()) lines.push_back((containers ? "policy: " : "mode: ") + pool.mode);
  if (pool.min_timeout_ms)
    lines.push_back("min_share_timeout: " + format_duration(*pool.min_timeout_ms));
  if (pool.fair_timeout_ms)
    lines.push_back("fair_share_timeout: " + format_duration(*pool.fair_timeout_ms));
  if (pool.spared && pool.pools.empty())
    lines.push_back("kill_budget: 0   # its tasks are not preempted");
  std::erase(lines, "");
  return lines;
}

void write_pools(const std::vector<ImportedPool>& pools, bool containers,
                 const HadoopAmounts& most_of_others, std::size_t indent, std::string& yaml) {
  const std::string blanks(indent, ' ');
  for (const ImportedPool& pool : pools) {
    yaml += fmt::format("{}- name: {}\n", blanks, yaml_scalar(pool.name));
    for (const std::string& line : pool_lines(pool, containers, most_of_others))
      yaml += fmt::format("{}  {}\n", blanks, line);
    if (pool.pools.empty()) continue;
    yaml += blanks + "  pools:\n";
    write_pools(pool.pools, containers, most_of_others, indent + 4, yaml);
  }
}

std::string yaml_of_allocations(const ImportedAllocations& file, bool containers = false) {
  std::string yaml;
  if (!file.pools.empty()) {
    yaml += "  pools:\n";
    write_pools(file.pools, containers, file.most, 4, yaml);
  }
  if (!file.users.empty()) yaml += "  users:\n";
  for (const auto& [name, limit] : file.users) {
    yaml += fmt::format("    - {{name: {}, max_running_jobs: {}}}\n", yaml_scalar(name), limit);
  }
  std::string defaults;
  const auto add = [&defaults](const char* key, const std::string& value) {
    defaults += fmt::format("    {}: {}\n", key, value);
  };
  if (file.pool_jobs) add("pool_max_running_jobs", fmt::format("{}", *file.pool_jobs));
  if (file.user_jobs) add("user_max_running_jobs", fmt::format("{}", *file.user_jobs));
  // YARN's own default is fair, by memory alone; ours is drf.
  if (containers) {
    add("policy", file.mode.empty() ? "fair" : file.mode);
  } else if (!file.mode.empty()) {
    add("mode", file.mode);
  }
  if (!file.most.empty()) add("max_share", yaml_of_amounts(file.most));
  if (file.min_timeout_ms) add("min_share_timeout", format_duration(*file.min_timeout_ms));
  if (file.fair_timeout_ms) add("fair_share_timeout", format_duration(*file.fair_timeout_ms));
  if (!defaults.empty()) yaml += "  defaults:\n" + defaults;
  return yaml;
}

std::int64_t part_of(const HadoopAmounts& parts, const std::string& name) {
  for (const auto& [of, part] : parts) {
    if (of == name) return part;
  }
  return 10'000;
}

// Of the parent's maximum, what is said of the cluster; `{memory_mb: 50%}`, or nothing.
std::string maximum_line(const HadoopAmounts& own, const HadoopAmounts& parents) {
  std::vector<std::string> parts;
  for (const auto& [name, part] : own) {
    const std::int64_t of = part_of(parents, name);
    if (part >= of) continue;
    const std::int64_t hundredths = std::max<std::int64_t>(1, part * 10'000 / of);
    parts.push_back(fmt::format("{}: {}", name, format_percent(hundredths)));
  }
  return parts.empty() ? "" : fmt::format("maximum: {{{}}}", fmt::join(parts, ", "));
}

// A queue for each pool. Maximums are of the cluster in YARN, of the parent's here.
std::vector<ImportedQueue> queues_of(const std::vector<ImportedPool>& pools,
                                     std::int64_t parents_hundredths,
                                     const HadoopAmounts& parents_parts) {
  std::vector<ImportedQueue> result;
  for (const ImportedPool& pool : pools) {
    ImportedQueue& queue = result.emplace_back();
    queue.name = pool.name;
    queue.said = pool.said;
    queue.submit = pool.submit;
    queue.administer = pool.administer;
    std::int64_t own = parents_hundredths;
    if (pool.maximum_hundredths && *pool.maximum_hundredths < parents_hundredths) {
      own = *pool.maximum_hundredths;
      queue.maximum_hundredths = std::max<std::int64_t>(1, own * 10'000 / parents_hundredths);
    }
    HadoopAmounts parts = parents_parts;
    for (const auto& [name, part] : pool.most_parts) {
      if (part >= part_of(parents_parts, name)) continue;
      std::erase_if(parts, [&](const auto& one) { return one.first == name; });
      parts.emplace_back(name, part);
    }
    if (std::string line = maximum_line(pool.most_parts, parents_parts); !line.empty())
      queue.keys.push_back(std::move(line));
    queue.queues = queues_of(pool.pools, own, parts);
  }
  return result;
}

bool has_default(const std::vector<ImportedPool>& pools) {
  return std::any_of(pools.begin(), pools.end(),
                     [](const ImportedPool& pool) { return pool.name == kDefaultQueue; });
}

ImportedQueue default_queue() {
  ImportedQueue queue;
  queue.name = kDefaultQueue;
  return queue;
}

std::vector<ImportedQueue> queues_beside(const ImportedAllocations& file) {
  std::vector<ImportedQueue> queues = queues_of(file.pools, 10'000, {});
  if (!has_default(file.pools)) queues.push_back(default_queue());
  open_to_root(queues, file.root_submit, file.root_administer);
  return queues;
}

std::string yarn_placement(const ImportedPlacement& placement, const ImportedFairSite& site,
                           ImportedAllocations& file) {
  bool refused = placement.undeclared_refused;
  if (site.undeclared != nullptr && placement.said) {
    no_counterpart(*site.undeclared, "queuePlacementPolicy decides instead");
  } else if (site.undeclared != nullptr) {
    refused = hadoop_boolean(*site.undeclared) == false;
  }
  std::string yaml = fmt::format("  pool_name_property: {}\n", placement.pool_name_property);
  if (!refused) return yaml;
  // It is always there in YARN.
  if (!has_default(file.pools)) {
    file.pools.emplace_back().name = kDefaultQueue;
  }
  return yaml + "  undeclared_pools: refuse\n";
}

void add_names_of_pools(const std::vector<ImportedPool>& pools, std::vector<std::string>& names) {
  for (const ImportedPool& pool : pools) {
    for (const HadoopAmounts* amounts : {&pool.least, &pool.most, &pool.most_parts})
      add_names_of(*amounts, names);
    add_names_of_pools(pool.pools, names);
  }
}

}  // namespace

ImportedScheduler import_yarn_fair(HadoopProperties& properties, const XmlElement* allocations,
                                   Diagnostics& out) {
  const HadoopValue* enabled = properties.take("yarn.acl.enable");
  const bool lists_count = enabled == nullptr || hadoop_boolean(*enabled).value_or(true);
  const bool containers = are_of_containers(properties) ||
                          (allocations != nullptr && is_of_containers(*allocations));
  const ImportedFairSite site = import_yarn_fair_site(properties, containers);
  ImportedAllocations file;
  if (allocations != nullptr) {
    const AllocationsUse use{.yarn = true, .lists_count = lists_count, .containers = containers};
    file = read_allocations_file(*allocations, use, out);
  }
  const std::string placement = yarn_placement(file.placement, site, file);
  std::vector<std::string> names;
  add_names_of(file.most, names);
  add_names_of_pools(file.pools, names);
  return {.resources = containers ? yaml_of_containers(properties, names) : "",
          .section = placement + site.section + yaml_of_allocations(file, containers),
          .queues = queues_beside(file),
          .comment = "   # each is the pool of its name; a job that names another is refused"};
}

ImportedScheduler import_mr1_fair(HadoopProperties& properties, const XmlElement* allocations,
                                  const Mr1Queues& declared, Diagnostics& out) {
  const ImportedFairSite site = import_mr1_fair_site(properties);
  const bool by_queue = site.pool_name_property == "queue";
  ImportedAllocations file;
  if (allocations != nullptr) {
    file = read_allocations_file(*allocations, {.queue_names = by_queue}, out);
  }
  ImportedScheduler result;
  const char* by_default =
      "   # Hadoop's default, where mapred.fairscheduler.poolnameproperty says no other";
  result.section = fmt::format("  pool_name_property: {}{}\n",
                               yaml_scalar(site.pool_name_property.value_or("user")),
                               site.pool_name_property ? "" : by_default) +
                   site.section + yaml_of_allocations(file);
  if (!declared.queues.empty()) {
    result.queues = imported_queues(declared.queues);
  } else if (by_queue) {
    result.queues = queues_beside(file);
    result.comment = "   # each is the pool of its name";
  } else {
    result.queues.push_back(default_queue());
    result.comment = "   # MapReduce's one queue; a job may name its pool by --conf pool=NAME";
  }
  return result;
}

}  // namespace weir
