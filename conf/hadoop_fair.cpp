// fair-scheduler.xml: pools with slots (MapReduce 1, elements `pool`) or queues with memory and
// cores (YARN, elements `queue`, which nest), users, and defaults. Seconds become durations. Where
// Hadoop takes what makes no sense (a weight of 0, a maximum below the minimum) the result is what
// it would have done, or the default, with a warning.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/hadoop_parts.h"
#include "conf/values.h"
#include "fair/fair_settings.h"

namespace weir {
namespace {

constexpr std::int64_t kMostSlots = 1'000'000'000;
constexpr std::int64_t kMostSeconds = 24LL * 365 * 3600;
constexpr int kDeepest = 32;
constexpr std::size_t kMostPools = 10'000;

struct ImportedPool {
  std::string name;
  Mark at;
  std::optional<std::int64_t> weight;  // millionths
  std::array<std::optional<std::int64_t>, kTaskKindCount> minimum, maximum;
  std::optional<std::int64_t> max_running_jobs;
  std::string mode;  // empty: the default
  std::optional<DurationMs> min_timeout_ms, fair_timeout_ms;
  std::vector<ImportedPool> pools;
};

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

HadoopValue value_of_element(const XmlElement& element, const std::string& owner) {
  return {element.text, element.at,
          owner.empty() ? element.name : fmt::format("{} of {}", element.name, owner)};
}

class FairImport {
 public:
  explicit FairImport(Diagnostics& out) : out_(out) {}

  std::string run(const XmlElement& root) {
    // Defaults first: pools are held against them, wherever they stand.
    for (const XmlElement& element : root.children) read_default(element);
    raise_fair_timeout("the defaults", root.at, default_min_ms_, default_fair_ms_);
    std::vector<ImportedPool> pools;
    for (const XmlElement& element : root.children) {
      if (element.name == "pool" || element.name == "queue") {
        read_pool(element, {}, 1, pools);
      } else if (element.name == "user") {
        read_user(element);
      }
    }
    return yaml(pools);
  }

 private:
  std::optional<std::int64_t> read_limit(const HadoopValue& value) {
    const auto number = hadoop_integer(value, out_);
    if (!number) return std::nullopt;
    if (*number >= 0) return std::min(*number, kMostSlots);
    no_counterpart(value, "below 0; it counts as no limit", out_);
    return std::nullopt;
  }

  std::optional<std::int64_t> read_minimum(const HadoopValue& value) {
    const auto number = hadoop_integer(value, out_);
    if (!number) return std::nullopt;
    if (*number >= 0 && *number <= kMostSlots) return number;
    no_counterpart(value, "no number of slots that there could be; it counts as 0", out_);
    return std::nullopt;
  }

  std::optional<DurationMs> read_seconds(const HadoopValue& value) {
    const auto seconds = hadoop_integer(value, out_);
    if (!seconds) return std::nullopt;
    if (*seconds < 0) {
      no_counterpart(value, "below 0; it counts as 0", out_);
      return 0;
    }
    return *seconds > kMostSeconds ? kNever : *seconds * 1000;
  }

  std::optional<std::int64_t> read_weight(const HadoopValue& value) {
    const auto number = hadoop_number(value, out_);
    if (!number) return std::nullopt;
    if (*number > 0 && *number <= 1'000'000) {
      return std::max<std::int64_t>(1, hadoop_scaled(value, *number, kWeightOne, out_));
    }
    no_counterpart(value, "a weight is above 0 and at most 1000000 here; it counts as 1", out_);
    return std::nullopt;
  }

  std::string read_mode(const HadoopValue& value) {
    const std::string mode = lower_case(value.text);
    if (mode == "fair" || mode == "fifo") return mode;
    if (mode == "drf") {
      no_counterpart(value, "slots are of one kind; the pool is fair", out_);
      return "fair";
    }
    out_.error(value.at, fmt::format("{} is {}, allowed: fair, fifo", value.what,
                                     quoted_briefly(value.text)));
    return {};
  }

  void read_default(const XmlElement& element) {
    const HadoopValue value = value_of_element(element, "");
    const std::string& name = element.name;
    if (name == "pool" || name == "queue" || name == "user") return;
    if (name == "userMaxJobsDefault" || name == "userMaxAppsDefault") {
      default_user_jobs_ = read_limit(value);
    } else if (name == "poolMaxJobsDefault" || name == "queueMaxAppsDefault") {
      default_pool_jobs_ = read_limit(value);
    } else if (name == "fairSharePreemptionTimeout" ||
               name == "defaultFairSharePreemptionTimeout") {
      default_fair_ms_ = read_seconds(value);
    } else if (name == "defaultMinSharePreemptionTimeout") {
      default_min_ms_ = read_seconds(value);
    } else if (name == "defaultPoolSchedulingMode" || name == "defaultQueueSchedulingPolicy" ||
               name == "defaultQueueSchedulingMode") {
      default_mode_ = read_mode(value);
    } else {
      no_counterpart(value, "it has no counterpart", out_);
    }
  }

  void read_user(const XmlElement& element) {
    const std::string name(element.attribute("name"));
    if (name.empty()) {
      out_.warning(element.at, "a user without a name is not taken over");
      return;
    }
    for (const XmlElement& child : element.children) {
      const HadoopValue value = value_of_element(child, "user " + name);
      if (child.name != "maxRunningJobs" && child.name != "maxRunningApps") {
        no_counterpart(value, "it has no counterpart", out_);
        continue;
      }
      if (const auto limit = read_limit(value)) users_[name] = *limit;
    }
  }

  // The same pool twice is one, as in Hadoop; the last value counts.
  static ImportedPool& find_or_add(const std::string& name, Mark at,
                                   std::vector<ImportedPool>& family, bool& again) {
    const auto found = std::find_if(family.begin(), family.end(),
                                    [&](const ImportedPool& pool) { return pool.name == name; });
    again = found != family.end();
    if (again) return *found;
    ImportedPool& pool = family.emplace_back();
    pool.name = name;
    pool.at = at;
    return pool;
  }

  void read_pool(const XmlElement& element, const ImportedPool& parent, int depth,
                 std::vector<ImportedPool>& family) {
    std::string name(element.attribute("name"));
    const bool yarn = element.name == "queue";
    if (yarn && parent.name.empty() && name.starts_with("root.")) name = name.substr(5);
    if (yarn && parent.name.empty() && name == "root") return read_root(element, family);
    if (name.empty()) {
      out_.warning(element.at, "a pool without a name is not taken over");
      return;
    }
    if (++pools_read_ > kMostPools) {
      if (pools_read_ == kMostPools + 1) {
        out_.error(element.at,
                   fmt::format("more pools than {}, allowed: at most that many", kMostPools));
      }
      return;
    }
    if (depth > kDeepest) {
      out_.error(element.at, fmt::format("pool {} is at depth {}, allowed: {} levels of pools",
                                         quoted_briefly(name), depth, kDeepest));
      return;
    }
    name = hadoop_name({name, element.at, "pool"}, false, out_);
    bool again = false;
    ImportedPool& pool = find_or_add(name, element.at, family, again);
    if (again) {
      out_.warning(
          element.at,
          fmt::format("a second pool {} is merged with the first; last values count", name));
    } else if (yarn) {
      // YARN's timeouts hold for the queues below; ours are each pool's own.
      pool.min_timeout_ms = parent.min_timeout_ms;
      pool.fair_timeout_ms = parent.fair_timeout_ms;
    }
    // Values first, as children may have them of their parent.
    for (const XmlElement& child : element.children) read_value(child, pool);
    settle(pool);
    for (const XmlElement& child : element.children) {
      if (child.name != "queue" && child.name != "pool") continue;
      if (name == "default" && depth == 1) {
        out_.warning(child.at,
                     "a queue within default is not taken over: jobs that name no pool "
                     "are in default itself");
      } else {
        const ImportedPool above = pool;
        read_pool(child, above, depth + 1, pool.pools);
      }
    }
  }

  // YARN's root stands above all; ours has no name.
  void read_root(const XmlElement& element, std::vector<ImportedPool>& family) {
    for (const XmlElement& child : element.children) {
      if (child.name == "queue") {
        read_pool(child, {}, 1, family);
      } else {
        no_counterpart(value_of_element(child, "root"), "what is above all pools has no settings",
                       out_);
      }
    }
  }

  void read_value(const XmlElement& element, ImportedPool& pool) {
    const HadoopValue value = value_of_element(element, "pool " + pool.name);
    const std::string& name = element.name;
    if (name == "queue" || name == "pool") return;
    if (name == "minMaps") {
      pool.minimum[index(TaskKind::kMap)] = read_minimum(value);
    } else if (name == "minReduces") {
      pool.minimum[index(TaskKind::kReduce)] = read_minimum(value);
    } else if (name == "maxMaps") {
      pool.maximum[index(TaskKind::kMap)] = read_limit(value);
    } else if (name == "maxReduces") {
      pool.maximum[index(TaskKind::kReduce)] = read_limit(value);
    } else if (name == "maxRunningJobs" || name == "maxRunningApps") {
      pool.max_running_jobs = read_limit(value);
    } else if (name == "weight") {
      pool.weight = read_weight(value);
    } else if (name == "minSharePreemptionTimeout") {
      pool.min_timeout_ms = read_seconds(value);
    } else if (name == "fairSharePreemptionTimeout") {
      pool.fair_timeout_ms = read_seconds(value);
    } else if (name == "schedulingMode" || name == "schedulingPolicy") {
      pool.mode = read_mode(value);
    } else if (name == "minResources" || name == "maxResources") {
      no_counterpart(value, "memory and cores are not slots; say min_share and max_share in slots",
                     out_);
    } else if (name == "aclSubmitApps" || name == "aclAdministerApps") {
      no_counterpart(value, "declare a queue of that name with submit and administer", out_);
    } else {
      no_counterpart(value, "it has no counterpart", out_);
    }
  }

  // What Hadoop lets pass and we do not.
  void settle(ImportedPool& pool) {
    for (const TaskKind kind : kTaskKinds) {
      auto& least = pool.minimum[index(kind)];
      const auto& most = pool.maximum[index(kind)];
      if (!least || !most || *least <= *most) continue;
      out_.warning(pool.at, fmt::format("pool {} has a minimum of {} {}s above its maximum of {}; "
                                        "it is {}, as Hadoop would have it",
                                        pool.name, *least, name(kind), *most, *most));
      least = most;
    }
    const auto min_ms = pool.min_timeout_ms ? pool.min_timeout_ms : default_min_ms_;
    auto fair_ms = pool.fair_timeout_ms ? pool.fair_timeout_ms : default_fair_ms_;
    const auto before = fair_ms;
    raise_fair_timeout("pool " + pool.name, pool.at, min_ms, fair_ms);
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

  static std::string shares(const char* key,
                            const std::array<std::optional<std::int64_t>, kTaskKindCount>& slots) {
    std::vector<std::string> parts;
    for (const TaskKind kind : kTaskKinds) {
      if (slots[index(kind)])
        parts.push_back(fmt::format("{}: {}", name(kind), *slots[index(kind)]));
    }
    return parts.empty() ? "" : fmt::format("{}: {{{}}}", key, fmt::join(parts, ", "));
  }

  static void write(const std::vector<ImportedPool>& pools, std::size_t indent, std::string& yaml) {
    const std::string blanks(indent, ' ');
    for (const ImportedPool& pool : pools) {
      std::vector<std::string> keys;
      if (pool.weight) keys.push_back("weight: " + format_millionths(*pool.weight));
      keys.push_back(shares("min_share", pool.minimum));
      keys.push_back(shares("max_share", pool.maximum));
      if (pool.max_running_jobs)
        keys.push_back(fmt::format("max_running_jobs: {}", *pool.max_running_jobs));
      if (!pool.mode.empty()) keys.push_back("mode: " + pool.mode);
      if (pool.min_timeout_ms)
        keys.push_back("min_share_timeout: " + format_duration(*pool.min_timeout_ms));
      if (pool.fair_timeout_ms)
        keys.push_back("fair_share_timeout: " + format_duration(*pool.fair_timeout_ms));
      yaml += fmt::format("{}- name: {}\n", blanks, yaml_scalar(pool.name));
      for (const std::string& key : keys) {
        if (!key.empty()) yaml += fmt::format("{}  {}\n", blanks, key);
      }
      if (pool.pools.empty()) continue;
      yaml += blanks + "  pools:\n";
      write(pool.pools, indent + 4, yaml);
    }
  }

  std::string yaml(const std::vector<ImportedPool>& pools) const {
    // Hadoop's pools are its users, unless mapred-site.xml says otherwise.
    std::string result =
        "fair:\n  pool_name_property: user   # Hadoop's default; mapred.fairscheduler."
        "poolnameproperty in mapred-site.xml says another\n";
    if (!pools.empty()) {
      result += "  pools:\n";
      write(pools, 4, result);
    }
    if (!users_.empty()) result += "  users:\n";
    for (const auto& [name, limit] : users_) {
      result += fmt::format("    - {{name: {}, max_running_jobs: {}}}\n", yaml_scalar(name), limit);
    }
    std::string defaults;
    const auto add = [&defaults](const char* key, const std::string& value) {
      defaults += fmt::format("    {}: {}\n", key, value);
    };
    if (default_pool_jobs_) add("pool_max_running_jobs", fmt::format("{}", *default_pool_jobs_));
    if (default_user_jobs_) add("user_max_running_jobs", fmt::format("{}", *default_user_jobs_));
    if (!default_mode_.empty()) add("mode", default_mode_);
    if (default_min_ms_) add("min_share_timeout", format_duration(*default_min_ms_));
    if (default_fair_ms_) add("fair_share_timeout", format_duration(*default_fair_ms_));
    if (!defaults.empty()) result += "  defaults:\n" + defaults;
    return result;
  }

  Diagnostics& out_;
  std::map<std::string, std::int64_t> users_;
  std::optional<std::int64_t> default_pool_jobs_, default_user_jobs_;
  std::optional<DurationMs> default_min_ms_, default_fair_ms_;
  std::string default_mode_;
  std::size_t pools_read_ = 0;
};

}  // namespace

std::string import_fair_allocations(const XmlElement& root, Diagnostics& out) {
  return FairImport(out).run(root);
}

}  // namespace weir
