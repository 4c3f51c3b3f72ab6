// The allocations file of the fair scheduler, of MapReduce 1 and of YARN. Seconds become durations,
// weights exact decimals, shares in percent the maximum of a queue, access lists those of the queue
// that stands beside the pool. Hadoop checks little: a minimum above the maximum, a weight of 0, a
// pool named twice all pass there; the result is what it would have done, or the default, with a
// warning.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "conf/hadoop_allocations.h"
#include "conf/hadoop_queues.h"
#include "conf/values.h"
#include "fair/fair_settings.h"

namespace weir {
namespace {

constexpr std::int64_t kMostSlots = 1'000'000'000;
constexpr std::int64_t kMostSeconds = 24LL * 365 * 3600;
constexpr std::string_view kNoJobOfIt = "no job";

class AllocationsReader {
 public:
  AllocationsReader(AllocationsUse use, Diagnostics& out) : use_(use), out_(out) {}

  ImportedAllocations run(const XmlElement& root) {
    // Defaults and root first: pools are held against them, wherever they stand.
    for (const XmlElement& element : root.children) read_default(element);
    for (const XmlElement& element : root.children) {
      if (is_root(element)) read_root(element);
    }
    tell_beside_root(root);
    raise_fair_timeout("the defaults", fair_timeout_at_, result_.min_timeout_ms,
                       result_.fair_timeout_ms);
    for (const XmlElement& element : root.children) {
      if (is_root(element)) {
        for (const XmlElement& child : element.children) {
          if (is_pool(child)) read_pool(child, {}, 1, result_.pools);
        }
      } else if (is_pool(element)) {
        read_pool(element, {}, 1, result_.pools);
      } else if (element.name == "user") {
        read_user(element);
      }
    }
    return std::move(result_);
  }

 private:
  static bool is_pool(const XmlElement& element) {
    return element.name == "pool" || element.name == "queue";
  }
  bool is_root(const XmlElement& element) const {
    return use_.yarn && is_pool(element) && element.attribute("name") == "root";
  }

  void tell_beside_root(const XmlElement& top) {
    if (std::none_of(top.children.begin(), top.children.end(),
                     [this](const XmlElement& element) { return is_root(element); }))
      return;
    for (const XmlElement& element : top.children) {
      if (!is_pool(element) || is_root(element)) continue;
      out_.warning(element.at, fmt::format("queue {} stands beside root, which YARN refuses; it is "
                                           "taken over as one within",
                                           quoted_briefly(element.attribute("name"))));
    }
  }

  void tell_of_mr1(const HadoopValue& value, bool is_mr1) const {
    if (!use_.yarn || !is_mr1) return;
    hadoop_warning(value, fmt::format("{} is taken over, though YARN passes over MapReduce's names",
                                      value.what));
  }

  // `nothing`: what runs where it is 0.
  std::optional<std::int64_t> read_limit(const HadoopValue& value, std::string_view nothing) {
    const auto number = hadoop_int(value);
    if (!number) return std::nullopt;
    if (*number == 0) tell_zero(value, nothing);
    if (*number >= 0) return std::min(*number, kMostSlots);
    hadoop_warning(value, fmt::format("{} is {}, with which nothing runs in Hadoop; it is 0 here",
                                      value.what, *number));
    return 0;
  }

  std::optional<std::int64_t> read_minimum(const HadoopValue& value) {
    const auto number = hadoop_int(value);
    if (!number) return std::nullopt;
    if (*number >= 0 && *number <= kMostSlots) return number;
    no_counterpart(value, "no number of slots that there could be; it counts as 0");
    return std::nullopt;
  }

  std::optional<DurationMs> read_seconds(const HadoopValue& value) {
    const auto seconds = hadoop_integer(value);
    if (!seconds) return std::nullopt;
    if (*seconds < 0) {
      no_counterpart(value, "below 0; it counts as 0");
      return 0;
    }
    return *seconds > kMostSeconds ? kNever : *seconds * 1000;
  }

  std::optional<std::int64_t> read_weight(const HadoopValue& value) {
    const auto number = hadoop_number(value);
    if (!number) return std::nullopt;
    if (*number > 0 && *number <= 1'000'000) {
      return std::max<std::int64_t>(1, hadoop_scaled(value, *number, kWeightOne));
    }
    no_counterpart(value, "a weight is above 0 and at most 1000000 here; it counts as 1");
    return std::nullopt;
  }

  std::string read_mode(const HadoopValue& value) {
    const std::string mode = lower_case(value.text);
    if (mode == "fair" || mode == "fifo") return mode;
    if (value.text.ends_with("FairSharePolicy")) return "fair";  // YARN's own, by class
    if (value.text.ends_with("FifoPolicy")) return "fifo";
    if (mode == "drf" || value.text.ends_with("DominantResourceFairnessPolicy")) {
      if (use_.containers) return "drf";
      no_counterpart(value, "slots are of one kind; the pool is fair");
      return "fair";
    }
    hadoop_error(value, use_.yarn ? "fair, fifo, drf" : "fair, fifo");
    return {};
  }

  void read_default(const XmlElement& element) {
    const HadoopValue value = value_of_element(element, "", out_);
    const std::string& name = element.name;
    if (is_pool(element) || name == "user") return;
    tell_of_mr1(value, is_mr1_default(name));
    if (name == "userMaxJobsDefault" || name == "userMaxAppsDefault") {
      result_.user_jobs = read_limit(value, kNoJobOfIt);
    } else if (name == "poolMaxJobsDefault" || name == "queueMaxAppsDefault") {
      result_.pool_jobs = read_limit(value, kNoJobOfIt);
    } else if (name == "fairSharePreemptionTimeout" ||
               name == "defaultFairSharePreemptionTimeout") {
      result_.fair_timeout_ms = read_seconds(value);
      fair_timeout_at_ = value.at;
    } else if (name == "defaultMinSharePreemptionTimeout") {
      result_.min_timeout_ms = read_seconds(value);
    } else if (name == "defaultPoolSchedulingMode" || name == "defaultQueueSchedulingPolicy" ||
               name == "defaultQueueSchedulingMode") {
      result_.mode = read_mode(value);
    } else if (name == "queueMaxResourcesDefault" && use_.containers &&
               value.text.find('%') == std::string::npos) {
      result_.most = hadoop_fair_amounts(value).value_or(HadoopAmounts{});
      tell_zero_amounts(value, result_.most);
    } else if (name == "queuePlacementPolicy") {
      result_.placement = read_placement(element, out_);
    } else if (name != "defaultFairSharePreemptionThreshold" || !is_half(value)) {
      tell_no_counterpart(value, name);
    }
  }

  static bool is_half(const HadoopValue& value) { return hadoop_number(value) == 0.5; }

  void read_user(const XmlElement& element) {
    const std::string name(element.attribute("name"));
    if (name.empty()) {
      out_.warning(element.at, "a user without a name is not taken over");
      return;
    }
    for (const XmlElement& child : element.children) {
      const HadoopValue value = value_of_element(child, "user " + name, out_);
      if (child.name != "maxRunningJobs" && child.name != "maxRunningApps") {
        no_counterpart(value, "it has no counterpart");
        continue;
      }
      tell_of_mr1(value, is_mr1_pool_value(child.name));
      if (const auto limit = read_limit(value, kNoJobOfIt)) result_.users[name] = *limit;
    }
  }

  // The same pool twice is one, as in Hadoop; the last value counts.
  static ImportedPool& find_or_add(const HadoopValue& said, const std::string& name,
                                   std::vector<ImportedPool>& family, bool& again) {
    const auto found = std::find_if(family.begin(), family.end(),
                                    [&](const ImportedPool& pool) { return pool.name == name; });
    again = found != family.end();
    if (again) return *found;
    ImportedPool& pool = family.emplace_back();
    pool.name = name;
    pool.said = said;
    return pool;
  }

  // Nothing more is read of a pool that is one too many.
  bool is_too_many(const XmlElement& element, const std::string& name, std::size_t depth) {
    if (++pools_read_ > kMostImported) {
      if (pools_read_ == kMostImported + 1) {
        out_.error(element.at,
                   fmt::format("more pools than {}, allowed: at most that many", kMostImported));
      }
      return true;
    }
    if (depth <= kDeepestQueue) return false;
    out_.error(element.at, fmt::format("pool {} is at depth {}, allowed: {} levels of pools",
                                       quoted_briefly(name), depth, kDeepestQueue));
    return true;
  }

  void read_pool(const XmlElement& element, const ImportedPool& parent, std::size_t depth,
                 std::vector<ImportedPool>& family) {
    std::string name(element.attribute("name"));
    if (use_.yarn && depth == 1 && name.starts_with("root.")) name = name.substr(5);
    if (name.empty()) {
      out_.warning(element.at, "a pool without a name is not taken over");
      return;
    }
    if (is_too_many(element, name, depth)) return;
    const HadoopValue said{.text = name, .at = element.at, .what = "pool", .out = &out_};
    name = hadoop_name(said, use_.yarn || use_.queue_names);
    bool again = false;
    ImportedPool& pool = find_or_add(said, name, family, again);
    if (again) {
      hadoop_warning(said, fmt::format("a second pool {} is merged with the first; last values "
                                       "count",
                                       name));
    } else if (use_.yarn) {
      // YARN's timeouts hold for the queues below; ours are each pool's own.
      pool.min_timeout_ms = parent.min_timeout_ms;
      pool.fair_timeout_ms = parent.fair_timeout_ms;
      pool.spared = parent.spared;
    }
    // Values first, as children may have them of their parent.
    for (const XmlElement& child : element.children) read_value(child, pool);
    settle(pool);
    read_pools_below(element, depth, pool);
  }

  void read_pools_below(const XmlElement& element, std::size_t depth, ImportedPool& pool) {
    const bool has_pools = std::any_of(element.children.begin(), element.children.end(), is_pool);
    if (element.attribute("type") == "parent" && !has_pools) {
      hadoop_warning(pool.said, fmt::format("pool {} is a parent without queues, which takes no "
                                            "jobs in YARN; it takes jobs here",
                                            pool.name));
    }
    if (use_.containers && has_pools && pool.mode == "fifo") {
      hadoop_warning(pool.said, fmt::format("pool {} is fifo, which is of pools without pools; it "
                                            "is drf",
                                            pool.name));
      pool.mode = "drf";
    }
    ImportedPool above;
    above.min_timeout_ms = pool.min_timeout_ms;
    above.fair_timeout_ms = pool.fair_timeout_ms;
    above.spared = pool.spared;
    for (const XmlElement& child : element.children) {
      if (!is_pool(child)) continue;
      if (pool.name == "default" && depth == 1) {
        out_.warning(child.at,
                     "a queue within default is not taken over: jobs that name no pool "
                     "are in default itself");
      } else {
        read_pool(child, above, depth + 1, pool.pools);
      }
    }
  }

  // YARN's root stands above all; ours has no name. Its timeouts hold for all queues that have no
  // other.
  void read_root(const XmlElement& element) {
    for (const XmlElement& child : element.children) {
      const HadoopValue value = value_of_element(child, "root", out_);
      if (is_pool(child)) continue;
      if (child.name == "minSharePreemptionTimeout") {
        result_.min_timeout_ms = read_seconds(value);
      } else if (child.name == "fairSharePreemptionTimeout") {
        result_.fair_timeout_ms = read_seconds(value);
        fair_timeout_at_ = value.at;
      } else if (child.name == "aclSubmitApps" || child.name == "aclAdministerApps") {
        if (!use_.lists_count) {
          tell_of_lists(value);
        } else if (value.text != "*" || child.name == "aclAdministerApps") {
          (child.name == "aclSubmitApps" ? result_.root_submit : result_.root_administer) =
              hadoop_access(value);
        }
      } else {
        no_counterpart(value, "what is above all pools has no settings");
      }
    }
  }

  static void tell_of_lists(const HadoopValue& value) {
    no_counterpart(value, "yarn.acl.enable is false, and everybody may");
  }

  void read_value(const XmlElement& element, ImportedPool& pool) {
    if (is_pool(element)) return;
    const HadoopValue value = value_of_element(element, "pool " + pool.name, out_);
    const std::string& name = element.name;
    tell_of_mr1(value, is_mr1_pool_value(name));
    if (name == "minMaps") {
      pool.minimum[index(TaskKind::kMap)] = read_minimum(value);
    } else if (name == "minReduces") {
      pool.minimum[index(TaskKind::kReduce)] = read_minimum(value);
    } else if (name == "maxMaps") {
      pool.maximum[index(TaskKind::kMap)] = read_limit(value, "no map");
    } else if (name == "maxReduces") {
      pool.maximum[index(TaskKind::kReduce)] = read_limit(value, "no reduce");
    } else if (name == "maxRunningJobs" || name == "maxRunningApps") {
      pool.max_running_jobs = read_limit(value, kNoJobOfIt);
    } else if (name == "weight") {
      pool.weight = read_weight(value);
    } else if (name == "minSharePreemptionTimeout") {
      pool.min_timeout_ms = read_seconds(value);
    } else if (name == "fairSharePreemptionTimeout") {
      pool.fair_timeout_ms = read_seconds(value);
    } else if (name == "schedulingMode" || name == "schedulingPolicy") {
      pool.mode = read_mode(value);
    } else {
      read_yarn_value(value, name, pool);
    }
  }

  // What only a queue of YARN's has.
  void read_yarn_value(const HadoopValue& value, const std::string& name, ImportedPool& pool) {
    if (name == "aclSubmitApps") {
      read_access(value, result_.root_submit, pool.submit);
    } else if (name == "aclAdministerApps") {
      read_access(value, result_.root_administer, pool.administer);
    } else if (name == "allowPreemptionFrom") {
      if (const auto allowed = hadoop_boolean(value)) pool.spared = pool.spared || !*allowed;
    } else if (use_.containers && (name == "minResources" || name == "maxResources")) {
      read_amounts_of(value, name == "minResources", pool);
    } else if (name == "maxResources" && use_.yarn && says_nothing(value.text)) {
      tell_zero(value, "no task");
      pool.maximum.fill(0);
    } else if (name == "maxResources" && use_.yarn && value.text.find('%') != std::string::npos) {
      pool.maximum_hundredths = hadoop_percentages(value);
    } else if (name != "fairSharePreemptionThreshold" || !is_half(value)) {
      tell_no_counterpart(value, name);
    }
  }

  void read_access(const HadoopValue& value, const AccessList& root, AccessList& target) {
    if (!use_.yarn) return no_counterpart(value, "it is none of MapReduce's");
    if (!use_.lists_count) return tell_of_lists(value);
    target = hadoop_access(value);
    const bool everybody = !root || *root == std::vector<std::string>{"*"};
    if (!everybody || value.text == "*") return;
    hadoop_warning(value, fmt::format("{} is taken over; in YARN it had no effect, as root's list, "
                                      "which is *, lets everybody in",
                                      value.what));
  }

  // What Hadoop lets pass and we do not.
  void settle(ImportedPool& pool) {
    for (const TaskKind kind : kTaskKinds) {
      auto& least = pool.minimum[index(kind)];
      const auto& most = pool.maximum[index(kind)];
      if (!least || !most || *least <= *most) continue;
      out_.warning(pool.said.at,
                   fmt::format("pool {} has a minimum of {} {}s above its maximum of {}; "
                               "it is {}, as Hadoop would have it",
                               pool.name, *least, name(kind), *most, *most));
      least = most;
    }
    settle_amounts_of(pool, result_.most, out_);
    const auto min_ms = pool.min_timeout_ms ? pool.min_timeout_ms : result_.min_timeout_ms;
    auto fair_ms = pool.fair_timeout_ms ? pool.fair_timeout_ms : result_.fair_timeout_ms;
    const auto before = fair_ms;
    raise_fair_timeout("pool " + pool.name, pool.said.at, min_ms, fair_ms);
    if (fair_ms != before) pool.fair_timeout_ms = fair_ms;
  }

  void raise_fair_timeout(const std::string& owner, Mark at,
                          const std::optional<DurationMs>& min_ms,
                          std::optional<DurationMs>& fair_ms) {
    if (!min_ms || *min_ms == kNever || !fair_ms || *fair_ms >= *min_ms) return;
    out_.warning(at, fmt::format("{}: the fair share timeout of {} is shorter than the min share "
                                 "timeout, which is not allowed here; it is {}",
                                 owner, format_duration(*fair_ms), format_duration(*min_ms)));
    fair_ms = min_ms;
  }

  const AllocationsUse use_;
  Diagnostics& out_;
  ImportedAllocations result_;
  Mark fair_timeout_at_;  // of all pools
  std::size_t pools_read_ = 0;
};

}  // namespace

ImportedAllocations read_allocations_file(const XmlElement& root, AllocationsUse use,
                                          Diagnostics& out) {
  return AllocationsReader(use, out).run(root);
}

}  // namespace weir
