// capacity-scheduler.xml of MapReduce 1: mapred.capacity-scheduler.queue.<queue>.<key>, and the
// defaults of all queues. Two dialects: up to 0.20.0 queues had a `guaranteed-capacity` (later
// `capacity`), a reclaim time, and soft user limits; 1.x has hard user limits with a factor of 1
// unless it says another, and never kills for a guarantee. Which one a file is its keys say.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "conf/hadoop_parts.h"
#include "conf/values.h"

namespace weir {
namespace {

constexpr std::string_view kMr1Prefix = "mapred.capacity-scheduler.";
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
  Mr1Import(const std::map<std::string, HadoopValue>& properties, Diagnostics& out) : out_(out) {
    for (const auto& [name, value] : properties) sort_out(name, value);
  }

  std::string run() {
    std::vector<ImportedQueue> queues;
    for (const auto& [name, keys] : queues_) queues.push_back(read_queue(name, keys));
    if (queues.empty()) out_.error({}, "no queues, allowed: at least one with a capacity");
    settle_guarantees(queues, "the file", out_);
    std::string capacity;
    if (!reclaims_) {
      capacity +=
          "  preemption: off   # this file has no reclaim times: nothing was killed for a "
          "guarantee\n";
    }
    if (const HadoopValue* interval = common("reclaimCapacity.interval")) {
      const auto seconds = hadoop_integer(*interval, out_);
      if (seconds && *seconds >= 1 && *seconds <= 3600) {
        capacity += fmt::format("  interval: {}\n", format_duration(*seconds * 1000));
      } else if (seconds) {
        no_counterpart(*interval, "an interval is from 1s to 1h here", out_);
      }
    }
    if (!capacity.empty()) capacity = "capacity:\n" + capacity;
    return capacity + "queues:\n" + yaml_of_queues(queues, 2);
  }

 private:
  using Keys = std::map<std::string, HadoopValue>;

  void sort_out(const std::string& name, const HadoopValue& value) {
    if (!name.starts_with(kMr1Prefix)) {
      return no_counterpart(value, "it is none of the capacity scheduler's", out_);
    }
    std::string_view rest = std::string_view(name).substr(kMr1Prefix.size());
    if (rest.starts_with(kMr1Queue)) {
      rest.remove_prefix(kMr1Queue.size());
      for (const std::string_view key : kMr1QueueKeys) {
        if (rest.size() <= key.size() + 1 || !rest.ends_with(key)) continue;
        const std::string_view queue = rest.substr(0, rest.size() - key.size());
        if (!queue.ends_with('.')) continue;
        queues_[std::string(queue.substr(0, queue.size() - 1))].emplace(key, value);
        soft_ = soft_ || key == "guaranteed-capacity";
        reclaims_ = reclaims_ || key == "reclaim-time-limit";
        return;
      }
      return no_counterpart(value, "it has no counterpart", out_);
    }
    const bool used = std::any_of(std::begin(kMr1Defaults), std::end(kMr1Defaults),
                                  [&](const auto& pair) { return pair.second == rest; });
    if (!used && rest != "maximum-system-jobs" && rest != "reclaimCapacity.interval") {
      return no_counterpart(value, "it has no counterpart", out_);
    }
    common_.emplace(rest, value);
    reclaims_ = reclaims_ || rest == "default-reclaim-time-limit";
  }

  const HadoopValue* common(std::string_view key) const {
    const auto found = common_.find(std::string(key));
    return found == common_.end() ? nullptr : &found->second;
  }

  // The queue's own value, or the one for all.
  const HadoopValue* value_of(const Keys& keys, std::string_view key) const {
    if (const auto own = keys.find(std::string(key)); own != keys.end()) return &own->second;
    for (const auto& [name, default_name] : kMr1Defaults) {
      if (name == key) return common(default_name);
    }
    return nullptr;
  }

  ImportedQueue read_queue(const std::string& name, const Keys& keys) {
    const Mark at = keys.begin()->second.at;
    ImportedQueue queue;
    queue.at = at;
    queue.name = hadoop_name({name, at, "queue"}, true, out_);
    read_guarantee(keys, queue);
    if (const HadoopValue* seconds = value_of(keys, "reclaim-time-limit")) {
      const auto value = hadoop_integer(*seconds, out_);
      if (value && *value > 0 && *value <= 24LL * 365 * 3600) {
        queue.keys.push_back("reclaim_after: " + format_duration(*value * 1000));
      } else if (value) {
        no_counterpart(*seconds, "a reclaim time is above 0", out_);
      }
    }
    if (const HadoopValue* priorities = value_of(keys, "supports-priority")) {
      if (priorities->text != "true" && priorities->text != "false") {
        out_.error(priorities->at, fmt::format("{} is {}, allowed: true, false", priorities->what,
                                               quoted_briefly(priorities->text)));
      } else {
        queue.keys.push_back("priorities: " + priorities->text);
      }
    }
    const std::int64_t least_percent = read_user_limit(keys, queue);
    read_job_limits(keys, least_percent, queue);
    return queue;
  }

  void read_guarantee(const Keys& keys, ImportedQueue& queue) {
    for (const std::string_view key : {"capacity", "guaranteed-capacity"}) {
      const HadoopValue* value = value_of(keys, key);
      if (value == nullptr) continue;
      const auto percent = hadoop_number(*value, out_);
      if (!percent) continue;
      if (*percent >= 0 && *percent <= 100) {
        queue.guaranteed_hundredths = hadoop_scaled(*value, *percent, 100, out_);
        queue.guaranteed_at = value->at;
      } else if (*percent != -1) {  // which is: an equal part of what is left
        no_counterpart(*value, "a capacity is from 0 to 100; the queue shares what is left", out_);
      }
    }
    const HadoopValue* most = value_of(keys, "maximum-capacity");
    const auto percent = most == nullptr ? std::nullopt : hadoop_number(*most, out_);
    if (!percent || *percent <= 0) return;  // no maximum
    if (*percent > 100) return no_counterpart(*most, "a maximum is at most 100", out_);
    const std::int64_t rounded =
        std::max<std::int64_t>(1, hadoop_scaled(*most, *percent, 100, out_));
    queue.keys.push_back("maximum: " + format_percent(rounded));
  }

  // The least percentage that a user is left with.
  std::int64_t read_user_limit(const Keys& keys, ImportedQueue& queue) {
    std::int64_t least = 100;
    std::string text;
    if (const HadoopValue* value = value_of(keys, "minimum-user-limit-percent")) {
      const auto percent = hadoop_integer(*value, out_);
      if (percent && *percent >= 1 && *percent <= 100) {
        least = *percent;
        text = fmt::format("minimum: {}%", least);
      } else if (percent) {
        no_counterpart(*value, "a percentage is from 1 to 100; it counts as 100", out_);
      }
    }
    std::int64_t factor = 1'000'000;
    if (const HadoopValue* value = value_of(keys, "user-limit-factor")) {
      const auto number = hadoop_number(*value, out_);
      if (number && *number > 0 && *number <= 1000) {
        factor = std::max<std::int64_t>(1, hadoop_scaled(*value, *number, 1'000'000, out_));
      } else if (number) {
        no_counterpart(*value, "a factor is above 0 and at most 1000; it counts as 1", out_);
      }
      soft_ = false;
    }
    if (!soft_) {
      text += fmt::format("{}factor: {}, mode: hard", text.empty() ? "" : ", ",
                          format_millionths(factor));
    }
    if (!text.empty()) queue.keys.push_back(fmt::format("user_limit: {{{}}}", text));
    return least;
  }

  std::optional<std::int64_t> positive(const HadoopValue* value) {
    if (value == nullptr) return std::nullopt;
    const auto number = hadoop_integer(*value, out_);
    if (number && *number > 0) return std::min(*number, kMostJobs);
    if (number) no_counterpart(*value, "it is above 0 in Hadoop", out_);
    return std::nullopt;
  }

  // Jobs that may run in a queue are its part of maximum-system-jobs; some times as many may wait.
  void read_job_limits(const Keys& keys, std::int64_t least_percent, ImportedQueue& queue) {
    if (const auto tasks = positive(value_of(keys, "maximum-initialized-active-tasks-per-user")))
      queue.keys.push_back(fmt::format("max_tasks_per_job: {}", *tasks));
    if (const auto own = keys.find("maximum-initialized-active-tasks"); own != keys.end())
      no_counterpart(own->second, "max_tasks_per_job and max_running_jobs come nearest", out_);
    const auto per_user = positive(value_of(keys, "maximum-initialized-jobs-per-user"));
    const auto system = positive(common("maximum-system-jobs"));
    const auto wait_factor = positive(value_of(keys, "init-accept-jobs-factor"));
    if (!system || !queue.guaranteed_hundredths) {
      if (per_user) queue.keys.push_back(fmt::format("max_running_jobs_per_user: {}", *per_user));
      return;
    }
    const auto ceiling = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t share = *system * *queue.guaranteed_hundredths;  // at most 10^13
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

  Diagnostics& out_;
  std::map<std::string, Keys> queues_;
  Keys common_;
  bool soft_ = false;      // the dialect of user limits
  bool reclaims_ = false;  // the file has reclaim times
};

}  // namespace

std::string import_mr1_capacity(const std::map<std::string, HadoopValue>& properties,
                                Diagnostics& out) {
  return Mr1Import(properties, out).run();
}

}  // namespace weir
