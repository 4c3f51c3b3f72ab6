// What YARN's files say of its capacity scheduler as a whole: whether and when its monitor kills
// for guarantees (yarn-site.xml), and how long jobs wait for a near slot.
#include <fmt/format.h>

#include "conf/hadoop_schedulers.h"
#include "conf/values.h"

namespace weir {
namespace {

class YarnSectionImport {
 public:
  YarnSectionImport(HadoopProperties& properties, bool containers)
      : properties_(properties), containers_(containers) {}

  // yarn-site.xml says whether its monitor kills for guarantees.
  std::string run(std::vector<ImportedQueue>& queues) {
    std::string lines;
    const HadoopValue* monitor = properties_.take("yarn.resourcemanager.scheduler.monitor.enable");
    const bool on = monitor != nullptr && hadoop_boolean(*monitor).value_or(false);
    properties_.take("yarn.resourcemanager.scheduler.monitor.policies");
    const HadoopValue* observe = take_of_monitor("observe_only");
    const bool observed = observe != nullptr && hadoop_boolean(*observe).value_or(false);
    if (on) {
      lines += fmt::format("  preemption: {}\n", observed ? "log_only" : "on");
    } else {
      lines += monitor != nullptr
                   ? "  preemption: off\n"
                   : "  preemption: off   # YARN's default; yarn-site.xml says whether it kills\n";
    }
    lines += interval();
    reclaim_after(on, queues);
    lines += locality_delay();
    return lines;
  }

 private:
  const HadoopValue* take_of_monitor(std::string_view key) {
    return properties_.take(fmt::format("{}preemption.{}", kYarnMonitorPrefix, key));
  }

  std::string interval() {
    const HadoopValue* value = take_of_monitor("monitoring_interval");
    const auto ms = value == nullptr ? std::nullopt : hadoop_integer(*value);
    if (!ms) return {};
    if (*ms >= 10 && *ms <= 3'600'000) return fmt::format("  interval: {}\n", format_duration(*ms));
    no_counterpart(*value, "an interval is from 10ms to 1h here");
    return {};
  }

  // What is asked back is killed after so long; queues below have it of those at the top.
  void reclaim_after(bool on, std::vector<ImportedQueue>& queues) {
    constexpr std::int64_t kLongestMs = 24LL * 365 * 3'600'000;
    std::int64_t after_ms = 15'000;
    const HadoopValue* value = take_of_monitor("max_wait_before_kill");
    const auto ms = value == nullptr ? std::nullopt : hadoop_integer(*value);
    if (ms && *ms >= 0 && *ms <= kLongestMs) {
      after_ms = *ms;
    } else if (ms) {
      no_counterpart(*value, "no time that there could be; it counts as 15s");
    }
    if (!on && value == nullptr) return;
    for (ImportedQueue& queue : queues)
      queue.keys.push_back("reclaim_after: " + format_duration(after_ms));
  }

  // In YARN a number of offers that are passed over, here a time.
  std::string locality_delay() {
    const HadoopValue* value =
        properties_.take(fmt::format("{}node-locality-delay", kYarnCapacityPrefix));
    const auto offers = value == nullptr ? std::nullopt : hadoop_integer(*value);
    if (!offers || (containers_ && *offers <= 0)) return {};
    if (containers_) {
      no_counterpart(*value, "capacity.locality_delay has no effect on containers");
      return {};
    }
    if (*offers <= 0) return "  locality_delay: off\n";
    hadoop_warning(*value,
                   fmt::format("{} = {} is a number of offers that a job passes over; here it is a "
                               "time, and locality_delay is auto",
                               value->what, *offers));
    return "  locality_delay: auto\n";
  }

  HadoopProperties& properties_;
  const bool containers_;
};

}  // namespace

std::string yarn_capacity_section(HadoopProperties& properties, bool containers,
                                  std::vector<ImportedQueue>& queues) {
  return YarnSectionImport(properties, containers).run(queues);
}

}  // namespace weir
