// What mapred-site.xml says about the fair scheduler of MapReduce 1: mapred.fairscheduler.* and the
// booster of new jobs. Its pools are in the allocations file, which is imported by itself.
// Milliseconds become durations, class names the names of ours.
#include <algorithm>

#include <fmt/format.h>

#include "conf/hadoop_schedulers.h"
#include "conf/values.h"

namespace weir {
namespace {

constexpr std::string_view kBoosterPrefix = "mapred.newjobweightbooster.";
constexpr std::int64_t kLongestMs = 3'600'000;

class FairSiteImport {
 public:
  explicit FairSiteImport(HadoopProperties& properties) : properties_(properties) {}

  ImportedFairSite run() {
    pool_name();
    word("allow.undeclared.pools", "undeclared_pools", "allow", "refuse");
    preemption();
    duration("preemption.interval", "preemption_interval", 0);
    duration("update.interval", "update_interval", 10);
    word("assignmultiple", "assign_multiple", "true", "false");
    per_heartbeat("assignmultiple.maps", "max_maps");
    per_heartbeat("assignmultiple.reduces", "max_reduces");
    word("sizebasedweight", "size_based_weight", "true", "false");
    booster();
    shipped_class("loadmanager", "CapBasedLoadManager", "load_manager: cap");
    shipped_class("taskselector", "DefaultTaskSelector", "task_selector: default");
    load_difference();
    locality_delay();
    if (const HadoopValue* file = take("allocation.file"))
      no_counterpart(*file, "nothing that a file names is opened; import that file with this one");
    return std::move(result_);
  }

 private:
  const HadoopValue* take(std::string_view key, std::string_view prefix = kMr1FairPrefix) {
    return properties_.take(fmt::format("{}{}", prefix, key));
  }

  void add(const std::string& line) { result_.section += "  " + line + "\n"; }

  static std::optional<bool> boolean(const HadoopValue* value) {
    return value == nullptr ? std::nullopt : hadoop_boolean(*value);
  }

  void word(std::string_view key, const char* ours, const char* if_true, const char* if_false) {
    const auto value = boolean(take(key));
    if (!value) return;
    add(fmt::format("{}: {}", ours, *value ? if_true : if_false));
  }

  void pool_name() {
    const HadoopValue* value = take("poolnameproperty");
    if (value == nullptr) return;
    std::string name = value->text;
    if (name == "user.name" || name == "mapreduce.job.user.name") name = "user";
    if (name == "mapred.job.queue.name" || name == "mapreduce.job.queuename") name = "queue";
    if (name == "group.name") name = "group";
    if (!name.empty()) result_.pool_name_property = name;
  }

  void preemption() {
    const auto on = boolean(take("preemption"));
    const auto only_log = boolean(take("preemption.only.log"));
    if (on) add(fmt::format("preemption: {}", !*on ? "off" : only_log == true ? "log_only" : "on"));
  }

  // In milliseconds; what is out of our range is cut to it.
  void duration(std::string_view key, const char* ours, std::int64_t least_ms) {
    const HadoopValue* value = take(key);
    const auto ms = value == nullptr ? std::nullopt : hadoop_integer(*value);
    if (!ms) return;
    const std::int64_t cut = std::clamp(*ms, least_ms, kLongestMs);
    if (cut != *ms) {
      hadoop_warning(*value, fmt::format("{} is {}; it is {} here, the nearest allowed",
                                         value->what, *ms, format_duration(cut)));
    }
    add(fmt::format("{}: {}", ours, format_duration(cut)));
  }

  void per_heartbeat(std::string_view key, const char* ours) {
    constexpr std::int64_t kMost = 100'000;
    const HadoopValue* value = take(key);
    const auto most = value == nullptr ? std::nullopt : hadoop_integer(*value);
    if (!most) return;
    if (*most == 0) return no_counterpart(*value, "0 would launch nothing; it counts as all");
    add(*most < 0 || *most > kMost ? fmt::format("{}: all", ours)
                                   : fmt::format("{}: {}", ours, *most));
  }

  void booster() {
    const HadoopValue* adjuster = take("weightadjuster");
    const HadoopValue* factor = take("factor", kBoosterPrefix);
    const HadoopValue* lasting = take("duration", kBoosterPrefix);
    if (adjuster == nullptr) return;
    if (!adjuster->text.ends_with("NewJobWeightBooster"))
      return no_counterpart(*adjuster, "there is new_job_booster alone");
    std::int64_t millionths = 3'000'000;
    std::int64_t ms = 300'000;
    if (factor != nullptr) {
      const auto number = hadoop_number(*factor);
      if (number && *number > 0 && *number <= 1000) {
        millionths = std::max<std::int64_t>(1, hadoop_scaled(*factor, *number, 1'000'000));
      } else if (number) {
        no_counterpart(*factor, "a factor is above 0 and at most 1000; it counts as 3");
      }
    }
    if (lasting != nullptr) {
      const auto number = hadoop_integer(*lasting);
      if (number) ms = std::clamp<std::int64_t>(*number, 1, 24 * kLongestMs);
    }
    add(fmt::format("new_job_booster: {{factor: {}, duration: {}}}", format_millionths(millionths),
                    format_duration(ms)));
  }

  void shipped_class(std::string_view key, std::string_view shipped, const char* ours) {
    const HadoopValue* value = take(key);
    if (value == nullptr) return;
    if (!value->text.ends_with(shipped)) return no_counterpart(*value, "a class of its own");
    add(ours);
  }

  void load_difference() {
    const HadoopValue* value = take("load.max.diff");
    const auto number = value == nullptr ? std::nullopt : hadoop_number(*value);
    if (!number) return;
    const HadoopValue& said = *value;
    add("load_max_diff: " +
        format_millionths(hadoop_scaled(said, std::clamp(*number, 0.0, 1.0), 1'000'000)));
  }

  // -1 is automatic, for both levels if the common value is -1 and either of theirs is.
  void locality_delay() {
    bool said = false;
    const auto read = [&](std::string_view key, std::int64_t otherwise) {
      const HadoopValue* value = take(key);
      if (value == nullptr) return otherwise;
      said = true;
      return std::clamp<std::int64_t>(hadoop_integer(*value).value_or(-1), -1, kLongestMs);
    };
    const std::int64_t both = read("locality.delay", -1);
    const std::int64_t node = read("locality.delay.node", both);
    const std::int64_t rack = read("locality.delay.rack", both);
    if (!said) return;
    if (node < 0 || rack < 0) return add("locality_delay: auto");
    if (node == 0 && rack == 0) return add("locality_delay: off");
    add(fmt::format("locality_delay: {{node: {}, rack: {}}}", format_duration(node),
                    format_duration(rack)));
  }

  HadoopProperties& properties_;
  ImportedFairSite result_;
};

}  // namespace

ImportedFairSite import_mr1_fair_site(HadoopProperties& properties) {
  return FairSiteImport(properties).run();
}

}  // namespace weir
