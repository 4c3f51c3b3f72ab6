// capacity-scheduler.xml of MapReduce 1: mapred.capacity-scheduler.queue.<queue>.<key>, and the
// defaults of all queues. Two dialects: up to 0.20.0 queues had a `guaranteed-capacity` (later
// `capacity`), a reclaim time, and soft user limits; 1.x has hard user limits with a factor of 1
// unless it says another, and never kills for a guarantee. Which one a file is its keys say. The
// queues come in the order of mapred.queue.names or mapred-queues.xml (0.21 has some of the keys in
// there), else in that of the file.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "conf/hadoop_schedulers.h"
#include "conf/values.h"

namespace weir {
namespace {

constexpr std::string_view kMr1Queue = "queue.";
constexpr std::int64_t kMostJobs = 1'000'000'000;

// The keys of a queue; longer ones first where one ends like another.
constexpr std::string_view kMr1QueueKeys[] = {"guaranteed-capacity",
                                              "maximum-capacity",
                                              "capacity",
                                              "reclaim-time-limit",
                                              "supports-priority",
                                              "minimum-user-limit-percent",
                                              "user-limit-factor",
                                              "init-accept-jobs-factor",
                                              "maximum-initialized-active-tasks-per-user",
                                              "maximum-initialized-active-tasks",
                                              "maximum-initialized-jobs-per-user"};

// What holds for a queue that does not say; the names do not always agree.
constexpr std::pair<std::string_view, std::string_view> kMr1Defaults[] = {
    {"reclaim-time-limit", "default-reclaim-time-limit"},
    {"supports-priority", "default-supports-priority"},
    {"minimum-user-limit-percent", "default-minimum-user-limit-percent"},
    {"user-limit-factor", "default-user-limit-factor"},
    {"init-accept-jobs-factor", "default-init-accept-jobs-factor"},
    {"maximum-initialized-active-tasks-per-user", "default-maximum-active-tasks-per-user"},
    {"maximum-initialized-jobs-per-user", "default-maximum-initialized-jobs-per-user"}};

class Mr1Import {
 public:
  Mr1Import(HadoopProperties& properties, const Mr1Queues& declared, Diagnostics& out)
      : properties_(properties), declared_(declared), out_(out), soft_(declared.has_keys) {
    for (const HadoopValue& value : properties.named_with_prefix(kMr1CapacityPrefix))
      sort_out(value);
    sort_out_tree(declared.queues, "");
  }

  ImportedScheduler run() {
    ImportedScheduler result;
    for (const Mr1Queue& queue : queues_in_order()) result.queues.push_back(read_queue(queue, ""));
    if (result.queues.empty())
      out_.error({},
                 "no queues, allowed: at least one with a capacity, in "
                 "capacity-scheduler.xml");
    for (const auto& [name, keys] : queues_) {
      if (read_.contains(name)) continue;
      for (const auto& [key, value] : keys)
        no_counterpart(value, "there is no such queue in the list of queues");
    }
    settle_guarantees(result.queues, "the file");
    result.section = section();
    return result;
  }

 private:
  void sort_out(const HadoopValue& value) {
    std::string_view rest = std::string_view(value.what).substr(kMr1CapacityPrefix.size());
    if (rest.starts_with(kMr1Queue)) {
      rest.remove_prefix(kMr1Queue.size());
      for (const std::string_view key : kMr1QueueKeys) {
        if (rest.size() <= key.size() + 1 || !rest.ends_with(key)) continue;
        const std::string_view queue = rest.substr(0, rest.size() - key.size());
        if (!queue.ends_with('.')) continue;
        const bool readable = properties_.take(value.what) != nullptr;
        return set(std::string(queue.substr(0, queue.size() - 1)), key, value, readable);
      }
      return;
    }
    const bool used = std::any_of(std::begin(kMr1Defaults), std::end(kMr1Defaults),
                                  [&](const auto& pair) { return pair.second == rest; });
    if (!used && rest != "maximum-system-jobs" && rest != "reclaimCapacity.interval") return;
    if (properties_.take(value.what) == nullptr) return;
    common_.emplace(rest, value);
    reclaims_ = reclaims_ || rest == "default-reclaim-time-limit";
    has_factor_ = has_factor_ || rest == "default-user-limit-factor";
  }

  // A queue of which nothing is readable is one all the same, and has what is left.
  void set(const std::string& queue, std::string_view key, const HadoopValue& value,
           bool readable = true) {
    const auto [found, fresh] = queues_.try_emplace(queue);
    if (fresh) {
      HadoopValue& name = order_.emplace_back(value);
      name.text = queue;
      name.what = "queue";
    }
    if (readable) found->second.insert_or_assign(std::string(key), value);
    soft_ = soft_ || key == "guaranteed-capacity";
    reclaims_ = reclaims_ || key == "reclaim-time-limit";
    has_factor_ = has_factor_ || key == "user-limit-factor";
  }

  // What mapred-queues.xml says of its queues.
  void sort_out_tree(const std::vector<Mr1Queue>& queues, const std::string& above) {
    for (const Mr1Queue& queue : queues) {
      const std::string path = path_of(queue, above);
      for (const auto& [key, value] : queue.keys) {
        const bool known = std::find(std::begin(kMr1QueueKeys), std::end(kMr1QueueKeys), key) !=
                           std::end(kMr1QueueKeys);
        if (known) {
          set(path, key, value);
        } else {
          no_counterpart(value, "it has no counterpart");
        }
      }
      sort_out_tree(queue.queues, path);
    }
  }

  static std::string path_of(const Mr1Queue& queue, const std::string& above) {
    return above.empty() ? queue.name.text : fmt::format("{}:{}", above, queue.name.text);
  }

  std::vector<Mr1Queue> queues_in_order() const {
    if (declared_.complete) return declared_.queues;
    std::map<std::string_view, const Mr1Queue*> with_lists;
    for (const Mr1Queue& queue : declared_.queues) with_lists.emplace(queue.name.text, &queue);
    std::vector<Mr1Queue> result;
    for (const HadoopValue& name : order_) {
      const auto found = with_lists.find(name.text);
      if (found != with_lists.end()) {
        result.push_back(*found->second);
        with_lists.erase(found);
        continue;
      }
      result.push_back({.name = name});
    }
    for (const Mr1Queue& queue : declared_.queues) {
      if (with_lists.contains(queue.name.text)) result.push_back(queue);
    }
    return result;
  }

  std::string section() {
    std::string capacity;
    if (!reclaims_) {
      capacity +=
          "  preemption: off   # there are no reclaim times: nothing was killed for a guarantee\n";
    }
    if (const HadoopValue* interval = common("reclaimCapacity.interval")) {
      const auto seconds = hadoop_integer(*interval);
      if (seconds && *seconds >= 1 && *seconds <= 3600) {
        capacity += fmt::format("  interval: {}\n", format_duration(*seconds * 1000));
      } else if (seconds) {
        no_counterpart(*interval, "an interval is from 1s to 1h here");
      }
    }
    return capacity;
  }

  const HadoopValue* common(std::string_view key) const {
    const auto found = common_.find(std::string(key));
    return found == common_.end() ? nullptr : &found->second;
  }

  // The queue's own value, or the one for all.
  const HadoopValue* value_of(const Mr1QueueKeys& keys, std::string_view key) const {
    if (const auto own = keys.find(std::string(key)); own != keys.end()) return &own->second;
    for (const auto& [name, default_name] : kMr1Defaults) {
      if (name == key) return common(default_name);
    }
    return nullptr;
  }

  ImportedQueue read_queue(const Mr1Queue& declared, const std::string& above) {
    const std::string path = path_of(declared, above);
    read_.insert(path);
    ImportedQueue queue = imported_queue(declared);
    const auto found = queues_.find(path);
    const Mr1QueueKeys keys = found == queues_.end() ? Mr1QueueKeys() : found->second;
    read_guarantee(keys, queue);
    if (const HadoopValue* seconds = value_of(keys, "reclaim-time-limit")) {
      const auto value = hadoop_integer(*seconds);
      if (value && *value > 0 && *value <= 24LL * 365 * 3600) {
        queue.keys.push_back("reclaim_after: " + format_duration(*value * 1000));
      } else if (value) {
        no_counterpart(*seconds, "a reclaim time is above 0");
      }
    }
    for (const Mr1Queue& child : declared.queues) queue.queues.push_back(read_queue(child, path));
    if (queue.queues.empty()) read_leaf(keys, queue);
    return queue;
  }

  // Jobs live in leaves.
  void read_leaf(const Mr1QueueKeys& keys, ImportedQueue& queue) {
    if (const HadoopValue* priorities = value_of(keys, "supports-priority")) {
      if (const auto on = hadoop_boolean(*priorities))
        queue.keys.push_back(fmt::format("priorities: {}", *on));
    }
    const std::int64_t least_percent = read_user_limit(keys, queue);
    read_job_limits(keys, least_percent, queue);
  }

  void read_guarantee(const Mr1QueueKeys& keys, ImportedQueue& queue) {
    for (const std::string_view key : {"capacity", "guaranteed-capacity"}) {
      const HadoopValue* value = value_of(keys, key);
      if (value == nullptr) continue;
      const auto percent = hadoop_number(*value);
      if (!percent) continue;
      if (*percent >= 0 && *percent <= 100) {
        set_guarantee(queue, *value, *percent);
        queue.said = *value;
      } else if (*percent != -1) {  // which is: an equal part of what is left
        hadoop_error(*value, "a percentage from 0 to 100");
      }
    }
    const HadoopValue* most = value_of(keys, "maximum-capacity");
    const auto percent = most == nullptr ? std::nullopt : hadoop_number(*most);
    if (!percent || *percent <= 0) return;  // no maximum
    if (*percent > 100) return no_counterpart(*most, "a maximum is at most 100");
    queue.maximum_hundredths = std::max<std::int64_t>(1, hadoop_scaled(*most, *percent, 100));
    tell_low_maximum(queue, *most);
  }

  // The least percentage that a user is left with.
  std::int64_t read_user_limit(const Mr1QueueKeys& keys, ImportedQueue& queue) {
    std::int64_t least = 100;
    std::string text;
    if (const HadoopValue* value = value_of(keys, "minimum-user-limit-percent")) {
      const auto percent = hadoop_integer(*value);
      if (percent && *percent >= 1 && *percent <= 100) {
        least = *percent;
        text = fmt::format("minimum: {}%", least);
      } else if (percent) {
        no_counterpart(*value, "a percentage is from 1 to 100; it counts as 100");
      }
    }
    std::int64_t factor = 1'000'000;
    if (const HadoopValue* value = value_of(keys, "user-limit-factor")) {
      const auto number = hadoop_number(*value);
      if (number && *number > 0 && *number <= 1000) {
        factor = std::max<std::int64_t>(1, hadoop_scaled(*value, *number, 1'000'000));
      } else if (number) {
        no_counterpart(*value, "a factor is above 0 and at most 1000; it counts as 1");
      }
    }
    if (!soft_ || has_factor_) {
      text += fmt::format("{}factor: {}, mode: hard", text.empty() ? "" : ", ",
                          format_millionths(factor));
    }
    if (!text.empty()) queue.keys.push_back(fmt::format("user_limit: {{{}}}", text));
    return least;
  }

  std::optional<std::int64_t> positive(const HadoopValue* value) {
    if (value == nullptr) return std::nullopt;
    const auto number = hadoop_integer(*value);
    if (number && *number > 0) return std::min(*number, kMostJobs);
    if (number) no_counterpart(*value, "it is above 0 in Hadoop");
    return std::nullopt;
  }

  // Once of each value, as one may be that of all queues.
  void tell_tasks_per_user(const HadoopValue& value) {
    if (!tasks_told_.insert(value.what).second) return;
    hadoop_warning(value, fmt::format("{} is of all active jobs of a user together; here it is "
                                      "max_tasks_per_job, of each job alone",
                                      value.what));
  }

  // Jobs that may run in a queue are its part of maximum-system-jobs; some times as many may wait.
  void read_job_limits(const Mr1QueueKeys& keys, std::int64_t least_percent, ImportedQueue& queue) {
    const HadoopValue* of_user_tasks = value_of(keys, "maximum-initialized-active-tasks-per-user");
    if (const auto tasks = positive(of_user_tasks)) {
      queue.keys.push_back(fmt::format("max_tasks_per_job: {}", *tasks));
      tell_tasks_per_user(*of_user_tasks);
    }
    if (const auto own = keys.find("maximum-initialized-active-tasks"); own != keys.end())
      no_counterpart(own->second, "max_tasks_per_job and max_running_jobs come nearest");
    const auto per_user = positive(value_of(keys, "maximum-initialized-jobs-per-user"));
    const auto system = positive(common("maximum-system-jobs"));
    const auto wait_factor = positive(value_of(keys, "init-accept-jobs-factor"));
    if (!system || !queue.guaranteed_hundredths) {
      if (per_user) queue.keys.push_back(fmt::format("max_running_jobs_per_user: {}", *per_user));
      return;
    }
    const auto ceiling = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    // At most 10^13. A queue of capacity 0 would take no job at all.
    const std::int64_t share = std::max<std::int64_t>(1, *system * *queue.guaranteed_hundredths);
    const std::int64_t running = ceiling(share, 10'000);
    const std::int64_t of_user = per_user.value_or(ceiling(share * least_percent, 1'000'000));
    const std::int64_t factor = wait_factor.value_or(10);
    const auto times = [factor](std::int64_t jobs) {
      return jobs > kMostJobs / factor ? kMostJobs : jobs * factor;
    };
    queue.keys.push_back(fmt::format("max_running_jobs: {}", running));
    queue.keys.push_back(fmt::format("max_running_jobs_per_user: {}", of_user));
    queue.keys.push_back(fmt::format("max_jobs: {}", times(running)));
    queue.keys.push_back(fmt::format("max_jobs_per_user: {}", times(of_user)));
  }

  HadoopProperties& properties_;
  const Mr1Queues& declared_;
  Diagnostics& out_;
  std::map<std::string, Mr1QueueKeys> queues_;  // by `parent:child`
  std::vector<HadoopValue> order_;  // their names where they are first said
  std::set<std::string> read_;
  std::set<std::string> tasks_told_;
  Mr1QueueKeys common_;
  bool soft_;                // the dialect of user limits; 0.21 has keys in mapred-queues.xml
  bool has_factor_ = false;  // which is 1.x's alone
  bool reclaims_ = false;    // there are reclaim times
};

}  // namespace

ImportedScheduler import_mr1_capacity(HadoopProperties& properties, const Mr1Queues& declared,
                                      Diagnostics& out) {
  return Mr1Import(properties, declared, out).run();
}

}  // namespace weir
