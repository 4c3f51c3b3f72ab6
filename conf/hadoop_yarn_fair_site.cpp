// What yarn-site.xml says about YARN's fair scheduler: yarn.scheduler.fair.*. Its queues are in the
// allocations file. Milliseconds become durations; a job that passes over a part of the cluster's
// heartbeats for a nearer slot waits the time in which they come.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "conf/hadoop_schedulers.h"
#include "conf/values.h"

namespace weir {
namespace {

constexpr std::int64_t kLongestYarnMs = 3'600'000;
constexpr std::int64_t kYarnHeartbeatMs = 1000;  // unless it is set otherwise

constexpr std::pair<std::string_view, std::string_view> kYarnFairReasons[] = {
    {"cluster-utilization-threshold", "it preempts however full the cluster is"},
    {"waitTimeBeforeKill", "a task that is preempted is killed at once"},
    {"waitTimeBeforeNextStarvationCheck", "preemption_interval comes nearest"},
    {"dynamic.max.assign", "say max_maps and max_reduces"},
    {"continuous-scheduling", "slots are given out at heartbeats"},
    {"allocation.file", "nothing that a file names is opened; import that file with this one"},
};

class YarnFairSiteImport {
 public:
  YarnFairSiteImport(HadoopProperties& properties, bool containers)
      : properties_(properties), containers_(containers) {}

  ImportedFairSite run() {
    result_.undeclared = take("allow-undeclared-pools");
    word("preemption", "preemption", "on", "off");
    duration("preemptionInterval", "preemption_interval", 0);
    duration("update-interval-ms", "update_interval", 10);
    word("assignmultiple", "assign_multiple", "true", "false");
    most_at_once();
    word("sizebasedweight", "size_based_weight", "true", "false");
    locality_delay();
    said_anyway("user-as-default-queue", "every job names its queue here");
    said_anyway("continuous-scheduling-enabled", "slots are given out at heartbeats");
    return std::move(result_);
  }

 private:
  const HadoopValue* take(std::string_view key) {
    return properties_.take(fmt::format("{}{}", kYarnFairPrefix, key));
  }

  void add(const std::string& line) { result_.section += "  " + line + "\n"; }

  void word(std::string_view key, const char* ours, const char* if_true, const char* if_false) {
    const HadoopValue* value = take(key);
    const auto on = value == nullptr ? std::nullopt : hadoop_boolean(*value);
    if (on) add(fmt::format("{}: {}", ours, *on ? if_true : if_false));
  }

  // What is off here; that it is off in YARN as well needs no word.
  void said_anyway(std::string_view key, std::string_view why) {
    const HadoopValue* value = take(key);
    if (value != nullptr && hadoop_boolean(*value) == true) no_counterpart(*value, why);
  }

  void duration(std::string_view key, const char* ours, std::int64_t least_ms) {
    const HadoopValue* value = take(key);
    const auto ms = value == nullptr ? std::nullopt : hadoop_integer(*value);
    if (!ms) return;
    const std::int64_t cut = std::clamp(*ms, least_ms, kLongestYarnMs);
    if (cut != *ms) {
      hadoop_warning(*value, fmt::format("{} is {}; it is {} here, the nearest allowed",
                                         value->what, *ms, format_duration(cut)));
    }
    add(fmt::format("{}: {}", ours, format_duration(cut)));
  }

  // -1 is no limit.
  void most_at_once() {
    constexpr std::int64_t kMost = 100'000;
    const HadoopValue* value = take("max.assign");
    const auto most = value == nullptr ? std::nullopt : hadoop_integer(*value);
    if (!most || *most < 0) return;
    if (containers_)
      return no_counterpart(*value, "a heartbeat fills what is free, or one at a time");
    if (*most == 0 || *most > kMost)
      return no_counterpart(*value, "a number of tasks is from 1 to 100000; it counts as all");
    add(fmt::format("max_maps: {}", *most));
    add(fmt::format("max_reduces: {}", *most));
    hadoop_warning(*value, fmt::format("{} = {} is of maps and of reduces here, each by "
                                       "themselves",
                                       value->what, *most));
  }

  // In ms by the times of continuous scheduling, else by the parts of the cluster.
  void locality_delay() {
    const auto node_ms = delay("locality-delay-node-ms");
    const auto rack_ms = delay("locality-delay-rack-ms");
    const auto node_part = threshold("locality.threshold.node");
    const auto rack_part = threshold("locality.threshold.rack");
    const auto node = node_ms ? node_ms : node_part;
    const auto rack = rack_ms ? rack_ms : rack_part;
    if (!node && !rack) return;
    if (node.value_or(0) == 0 && rack.value_or(0) == 0) return add("locality_delay: off");
    add(fmt::format("locality_delay: {{node: {}, rack: {}}}", format_duration(node.value_or(0)),
                    format_duration(rack.value_or(0))));
  }

  std::optional<std::int64_t> delay(std::string_view key) {
    const HadoopValue* value = take(key);
    const auto ms = value == nullptr ? std::nullopt : hadoop_integer(*value);
    if (!ms || *ms < 0) return std::nullopt;
    return std::min(*ms, kLongestYarnMs);
  }

  // -1 passes over none.
  std::optional<std::int64_t> threshold(std::string_view key) {
    const HadoopValue* value = take(key);
    const auto part = value == nullptr ? std::nullopt : hadoop_number(*value);
    if (!part) return std::nullopt;
    if (*part <= 0) return 0;
    if (*part > 1) {
      no_counterpart(*value, "a part of the cluster is at most 1; it counts as 1");
    }
    const auto ms = static_cast<std::int64_t>(
        std::llround(std::min(*part, 1.0) * static_cast<double>(kYarnHeartbeatMs)));
    hadoop_warning(*value,
                   fmt::format("{} = {} is a part of the cluster's heartbeats; here it is "
                               "the time in which they come, at one a second of each "
                               "tracker, {}",
                               value->what, quoted_briefly(value->text), format_duration(ms)));
    return ms;
  }

  HadoopProperties& properties_;
  bool containers_;
  ImportedFairSite result_;
};

}  // namespace

ImportedFairSite import_yarn_fair_site(HadoopProperties& properties, bool containers) {
  return YarnFairSiteImport(properties, containers).run();
}

std::string why_not_in_yarn_fair(std::string_view name) {
  for (const auto& [part, why] : kYarnFairReasons) {
    if (name.find(part) != std::string_view::npos) return std::string(why);
  }
  return "it has no counterpart";
}

}  // namespace weir
