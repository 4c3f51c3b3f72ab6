// The queues of YARN's capacity-scheduler.xml: yarn.scheduler.capacity.root.<path>.<key>. The tree
// is what the `queues` keys say; a queue's percentages are of its parent, as ours are, and weights
// are made into percentages. Capacities in memory and cores are of containers.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "conf/hadoop_schedulers.h"
#include "conf/values.h"

namespace weir {
namespace {

constexpr std::int64_t kMostApplications = 1'000'000'000;
constexpr std::int64_t kUnlimitedFactor = 0;

class YarnImport {
 public:
  YarnImport(HadoopProperties& properties, Diagnostics& out) : properties_(properties), out_(out) {
    const HadoopValue* enabled = properties_.take("yarn.acl.enable");
    if (enabled != nullptr) lists_count_ = hadoop_boolean(*enabled).value_or(true);
    root_submit_ = take("root", "acl_submit_applications");
    root_administer_ = take("root", "acl_administer_queue");
    factor_ = read_factor(take_common("user-limit-factor"), 1'000'000);
    minimum_ = read_minimum(take_common("minimum-user-limit-percent"));
  }

  ImportedScheduler run() {
    ImportedScheduler result;
    const HadoopValue* spared = take("root", "disable_preemption");
    result.queues =
        read_children("root", 1, spared != nullptr && hadoop_boolean(*spared).value_or(false));
    if (result.queues.empty()) {
      out_.error({},
                 "no queues, allowed: yarn.scheduler.capacity.root.queues with their names, in "
                 "capacity-scheduler.xml");
    }
    if (out_.ok()) settle_amounts(result.queues);
    settle_guarantees(result.queues, "root");
    const std::vector<std::string> resources = resources_of(result.queues);
    if (!resources.empty() || are_of_containers(properties_))
      result.resources = yaml_of_containers(properties_, resources);
    read_root(result.queues);
    read_running(result.queues);
    tell_unlisted();
    result.section =
        yarn_capacity_section(properties_, !result.resources.empty(), result.queues);
    read_applications(result.queues);
    return result;
  }

 private:
  // A number of a queue, until the guarantees are known.
  struct Limits {
    std::optional<std::int64_t> jobs;  // its own maximum-applications
    std::optional<std::int64_t> minimum;
    std::int64_t factor;
  };

  // The value of a queue's key, which then counts as taken over.
  const HadoopValue* take(const std::string& path, std::string_view key) {
    return properties_.take(fmt::format("{}{}.{}", kYarnCapacityPrefix, path, key));
  }
  const HadoopValue* take_common(std::string_view key) {
    return properties_.take(fmt::format("{}{}", kYarnCapacityPrefix, key));
  }

  std::vector<ImportedQueue> read_children(const std::string& path, std::size_t depth,
                                           bool spared) {
    std::vector<ImportedQueue> result;
    const HadoopValue* names = take(path, "queues");
    paths_.insert(path);
    if (names == nullptr) return result;
    std::set<std::string> seen;
    for (const std::string& name : words_of(names->text, ", \t\r\n")) {
      if (is_too_many(*names, depth)) break;
      ImportedQueue queue;
      queue.said = {.text = name, .at = names->at, .what = "queue", .out = names->out};
      queue.name = hadoop_name(queue.said, true);
      if (!seen.insert(queue.name).second) {
        names->out->error(names->at, fmt::format("{} names {} twice, allowed: each queue once",
                                                 names->what, quoted_briefly(name)));
        continue;
      }
      const std::string below = path + "." + name;
      queue.spared = spared;
      if (const HadoopValue* value = take(below, "disable_preemption"))
        queue.spared = hadoop_boolean(*value).value_or(spared);
      queue.queues = read_children(below, depth + 1, queue.spared);
      read_queue(below, queue);
      result.push_back(std::move(queue));
    }
    refuse_mixed(result);
    return result;
  }

  // As Hadoop does: what would 2w be among percentages?
  static void refuse_mixed(const std::vector<ImportedQueue>& family) {
    const auto weighted = std::find_if(family.begin(), family.end(),
                                       [](const ImportedQueue& queue) { return queue.weighted; });
    if (weighted == family.end()) return;
    for (const ImportedQueue& queue : family) {
      if (queue.weighted || !queue.guaranteed_hundredths) continue;
      return hadoop_error(queue.said, fmt::format("a weight, as {} of {} is one",
                                                  quoted_briefly(weighted->said.text),
                                                  weighted->name));
    }
  }

  bool is_too_many(const HadoopValue& names, std::size_t depth) {
    if (depth > kDeepestQueue) {
      names.out->error(names.at, fmt::format("{} is at depth {}, allowed: {} levels of queues",
                                             names.what, depth, kDeepestQueue));
      return true;
    }
    if (++queues_read_ == kMostImported + 1) {
      names.out->error(
          names.at, fmt::format("more queues than {}, allowed: at most that many", kMostImported));
    }
    return queues_read_ > kMostImported;
  }

  void read_queue(const std::string& path, ImportedQueue& queue) {
    if (const HadoopValue* value = take(path, "capacity")) {
      read_guarantee(*value, queue);
      queue.said = *value;
    }
    if (const HadoopValue* value = take(path, "maximum-capacity")) {
      const bool amounts = has_amounts(*value);
      if (amounts) queue.most = hadoop_amounts(*value).value_or(HadoopAmounts{});
      const auto most = amounts ? std::nullopt : percent_of(*value);
      if (most && *most > 0) queue.maximum_hundredths = most;
      tell_low_maximum(queue, *value);
      queue.stopped = std::erase_if(queue.most, stops_all) > 0 || most == 0;
      if (queue.stopped) tell_never_runs(*value);
    }
    read_access(take(path, "acl_submit_applications"), root_submit_, "submit", queue.submit);
    read_access(take(path, "acl_administer_queue"), root_administer_, "administer",
                queue.administer);
    queue.stopped = read_stopped(take(path, "state")) || queue.stopped;
    take_default_order(path);
    if (queue.queues.empty()) read_leaf(path, queue);
  }

  static void tell_never_runs(const HadoopValue& value) {
    hadoop_warning(value, fmt::format("{} is {}: what is submitted there never runs in YARN; here "
                                      "the queue is stopped, and refuses it",
                                      value.what, has_amounts(value) ? value.text : "0"));
  }

  static bool read_stopped(const HadoopValue* value) {
    if (value == nullptr) return false;
    const std::string state = lower_case(value->text);
    if (state != "running" && state != "stopped") hadoop_error(*value, "RUNNING, STOPPED");
    return state == "stopped";
  }

  // What is the same here as in Hadoop.
  void take_default_order(const std::string& path) {
    const std::string name = fmt::format("{}{}.ordering-policy", kYarnCapacityPrefix, path);
    const HadoopValue* order = properties_.find(name);
    if (order != nullptr && (order->text == "fifo" || order->text == "utilization"))
      properties_.take(name);
  }

  // Jobs live in leaves, so these say nothing above.
  void read_leaf(const std::string& path, ImportedQueue& queue) {
    Limits limits{.jobs = {}, .minimum = minimum_, .factor = factor_};
    if (const HadoopValue* value = take(path, "minimum-user-limit-percent"))
      limits.minimum = read_minimum(value);
    limits.factor = read_factor(take(path, "user-limit-factor"), factor_);
    std::string limit;
    if (limits.minimum) limit = "minimum: " + format_percent(*limits.minimum) + ", ";
    limit += limits.factor == kUnlimitedFactor ? "factor: unlimited"
                                               : "factor: " + format_millionths(limits.factor);
    queue.keys.push_back(fmt::format("user_limit: {{{}, mode: hard}}", limit));
    limits.jobs = applications_of(take(path, "maximum-applications"));
    limits_.push_back(limits);
    running_.push_back(applications_of(take(path, "max-parallel-apps")));
  }

  std::optional<std::int64_t> read_minimum(const HadoopValue* value) {
    const auto number = value == nullptr ? std::nullopt : hadoop_number(*value);
    if (number && *number > 0 && *number <= 100) return hadoop_scaled(*value, *number, 100);
    if (number && *number != 0 && *number != -1)
      no_counterpart(*value, "a percentage is from 0 to 100");
    return std::nullopt;
  }

  static std::int64_t read_factor(const HadoopValue* value, std::int64_t otherwise) {
    const auto number = value == nullptr ? std::nullopt : hadoop_number(*value);
    if (!number) return otherwise;
    if (*number > 0 && *number <= 1000)
      return std::max<std::int64_t>(1, hadoop_scaled(*value, *number, 1'000'000));
    if (*number == -1) return kUnlimitedFactor;
    no_counterpart(*value, "a factor is above 0 and at most 1000; it counts as 1");
    return 1'000'000;
  }

  static std::optional<std::int64_t> applications_of(const HadoopValue* value) {
    const auto number = value == nullptr ? std::nullopt : hadoop_int(*value);
    if (number == 0) tell_zero(*value, "no job");
    if (!number || (*number >= 0 && *number <= kMostApplications)) return number;
    no_counterpart(*value, "a number of jobs is from 0 to 1000000000");
    return std::nullopt;
  }

  // A queue has its part of the cluster's applications, and a user theirs of the queue's.
  void read_applications(std::vector<ImportedQueue>& queues) {
    const auto of_each = applications_of(take_common("global-queue-max-application"));
    const auto of_all = applications_of(take_common("maximum-applications"));
    std::size_t leaf = 0;
    set_applications(queues, 1.0, of_each, of_all, leaf);
  }

  void set_applications(std::vector<ImportedQueue>& queues, double part,
                        std::optional<std::int64_t> of_each, std::optional<std::int64_t> of_all,
                        std::size_t& leaf) {
    std::int64_t left = 10'000;
    std::int64_t unsaid = 0;
    for (const ImportedQueue& queue : queues) {
      left -= queue.guaranteed_hundredths.value_or(0);
      if (!queue.guaranteed_hundredths) ++unsaid;
    }
    for (ImportedQueue& queue : queues) {
      const double own =
          part / 10'000 *
          (queue.guaranteed_hundredths ? static_cast<double>(*queue.guaranteed_hundredths)
                                       : static_cast<double>(left) / static_cast<double>(unsaid));
      if (!queue.queues.empty()) {
        set_applications(queue.queues, own, of_each, of_all, leaf);
        continue;
      }
      const Limits& limits = limits_[leaf++];
      std::optional<std::int64_t> jobs = limits.jobs ? limits.jobs : of_each;
      if (!jobs && of_all) jobs = std::max<std::int64_t>(1, scaled_down(*of_all, own));
      if (!jobs) continue;
      queue.keys.push_back(fmt::format("max_jobs: {}", *jobs));
      if (limits.factor == kUnlimitedFactor) continue;
      const double user = static_cast<double>(limits.minimum.value_or(10'000)) / 10'000 *
                          static_cast<double>(limits.factor) / 1'000'000;
      if (user >= 1) continue;
      queue.keys.push_back(fmt::format("max_jobs_per_user: {}",
                                       std::max<std::int64_t>(1, scaled_down(*jobs, user))));
    }
  }

  // What may run at a time: of a leaf its own, or what is said for every queue.
  void read_running(std::vector<ImportedQueue>& queues) {
    const HadoopValue* all = take_common("max-parallel-apps");
    const auto of_each = applications_of(all);
    if (of_each) {
      hadoop_warning(*all, fmt::format("{} = {} is of each queue without queues here; YARN holds "
                                       "those above them to it as well",
                                       all->what, *of_each));
    }
    std::size_t leaf = 0;
    set_running(queues, of_each, leaf);
  }

  void set_running(std::vector<ImportedQueue>& queues, std::optional<std::int64_t> of_each,
                   std::size_t& leaf) {
    for (ImportedQueue& queue : queues) {
      if (!queue.queues.empty()) {
        set_running(queue.queues, of_each, leaf);
        continue;
      }
      const auto own = running_[leaf++];
      const auto most = own ? own : of_each;
      if (most) queue.keys.push_back(fmt::format("max_running_jobs: {}", *most));
    }
  }

  // What is said of a queue that no list names says nothing in YARN either.
  void tell_unlisted() {
    constexpr std::string_view kKeys[] = {"capacity",
                                          "maximum-capacity",
                                          "acl_submit_applications",
                                          "acl_administer_queue",
                                          "state",
                                          "queues",
                                          "user-limit-factor",
                                          "minimum-user-limit-percent",
                                          "maximum-applications",
                                          "max-parallel-apps",
                                          "disable_preemption"};
    for (const HadoopValue& value : properties_.with_prefix(kYarnCapacityPrefix)) {
      const std::string_view name = std::string_view(value.what).substr(kYarnCapacityPrefix.size());
      const std::size_t dot = name.rfind('.');
      if (!name.starts_with("root.") || dot == std::string_view::npos) continue;
      const std::string path(name.substr(0, dot));
      const bool is_key =
          std::find(std::begin(kKeys), std::end(kKeys), name.substr(dot + 1)) != std::end(kKeys);
      // Of labels and of queues to come more than the queue's name stands before the key.
      if (!is_key || paths_.contains(path) || path.find("label") != std::string::npos ||
          path.find("template") != std::string::npos)
        continue;
      properties_.take(value.what);
      no_counterpart(value, "no list of queues names that queue");
    }
  }

  static std::int64_t scaled_down(std::int64_t number, double part) {
    constexpr double kRounding = 1e-6;  // a third of 30 is 10
    return static_cast<std::int64_t>(static_cast<double>(number) * part + kRounding);
  }

  // `5w` is a weight; hundredths of it are scaled among the siblings.
  static void read_guarantee(const HadoopValue& value, ImportedQueue& queue) {
    if (has_amounts(value)) {
      queue.amounts = hadoop_amounts(value).value_or(HadoopAmounts{});
      return;
    }
    if (!value.text.ends_with('w')) {
      if (const auto number = percentage_of(value)) set_guarantee(queue, value, *number);
      return;
    }
    HadoopValue plain = value;
    plain.text.pop_back();
    const auto number = hadoop_number(plain);
    if (!number) return;
    if (*number < 0 || *number > 1'000'000)
      return hadoop_error(value, "a weight from 0 to 1000000");
    queue.weighted = true;
    set_guarantee(queue, plain, *number);
  }

  static std::optional<std::int64_t> percent_of(const HadoopValue& value) {
    const auto number = percentage_of(value);
    return number ? std::optional(hadoop_scaled(value, *number, 100)) : std::nullopt;
  }

  static std::optional<double> percentage_of(const HadoopValue& value) {
    HadoopValue plain = value;
    if (plain.text.ends_with('%')) plain.text.pop_back();
    const auto number = hadoop_number(plain);
    if (!number || (*number >= 0 && *number <= 100)) return number;
    if (*number != -1) hadoop_error(value, "a percentage from 0 to 100");
    return std::nullopt;
  }

  void read_access(const HadoopValue* value, const HadoopValue* root, std::string_view ours,
                   AccessList& target) const {
    if (value == nullptr) return;
    if (!lists_count_) return no_counterpart(*value, "yarn.acl.enable is false, and everybody may");
    target = hadoop_access(*value);
    const bool everybody = root == nullptr || root->text == "*";
    if (!everybody || value->text == "*") return;
    hadoop_warning(*value, fmt::format("{} is taken over as {}; in YARN it had no effect, as "
                                       "root's list, which is *, lets everybody in",
                                       value->what, ours));
  }

  AccessList root_access(const HadoopValue* value) const {
    return value == nullptr || !lists_count_ ? AccessList{} : hadoop_access(*value);
  }

  // Ours has no settings: what holds for root holds for each queue at the top.
  void read_root(std::vector<ImportedQueue>& queues) {
    open_to_root(queues, root_access(root_submit_), root_access(root_administer_));
    const bool stopped = read_stopped(take("root", "state"));
    for (ImportedQueue& queue : queues) queue.stopped = queue.stopped || stopped;
    take_default_order("root");
    for (const char* key : {"capacity", "maximum-capacity"}) {
      const std::string name = fmt::format("{}root.{}", kYarnCapacityPrefix, key);
      const HadoopValue* value = properties_.find(name);
      if (value != nullptr && (value->text == "100" || value->text == "100.0"))
        properties_.take(name);
    }
  }

  HadoopProperties& properties_;
  Diagnostics& out_;
  bool lists_count_ = true;
  const HadoopValue* root_submit_ = nullptr;
  const HadoopValue* root_administer_ = nullptr;
  std::int64_t factor_ = 1'000'000;  // of queues that say nothing else
  std::optional<std::int64_t> minimum_;
  std::vector<Limits> limits_;  // of the leaves, in order
  std::vector<std::optional<std::int64_t>> running_;  // likewise: what may run at a time
  std::set<std::string> paths_;                       // of all queues
  std::size_t queues_read_ = 0;
};

}  // namespace

ImportedScheduler import_yarn_capacity(HadoopProperties& properties, Diagnostics& out) {
  return YarnImport(properties, out).run();
}

}  // namespace weir
