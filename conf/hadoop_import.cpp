#include "conf/hadoop_import.h"

#include <algorithm>
#include <list>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/hadoop_allocations.h"
#include "conf/hadoop_schedulers.h"
#include "conf/load.h"
#include "conf/policies.h"

namespace weir {
namespace {

constexpr std::string_view kImportable =
    "a fair-scheduler.xml with <allocations>, a mapred-queues.xml with <queues>, or a "
    "capacity-scheduler.xml, mapred-site.xml, mapred-queue-acls.xml or yarn-site.xml with "
    "<configuration> and properties of a scheduler or of queues";

enum class Scheduler : std::uint8_t { kMr1Capacity, kYarnCapacity, kMr1Fair, kYarnFair, kMr1Fifo };

struct SchedulerName {
  Scheduler scheduler;
  const char* policy;
  const char* name;  // for people
};
constexpr SchedulerName kSchedulers[] = {
    {Scheduler::kMr1Capacity, "capacity", "MapReduce's capacity scheduler"},
    {Scheduler::kYarnCapacity, "capacity", "YARN's capacity scheduler"},
    {Scheduler::kMr1Fair, "fair", "MapReduce's fair scheduler"},
    {Scheduler::kYarnFair, "fair", "YARN's fair scheduler"},
    {Scheduler::kMr1Fifo, "fifo", "Hadoop's queues"}};

// One line, whatever a value or a name holds.
std::string comment_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text + "\n";
}

const SchedulerName& name_of(Scheduler scheduler) {
  return kSchedulers[static_cast<std::size_t>(scheduler)];
}

// A file that has been read; one that is no `<configuration>` counts as a whole.
struct WholeFile {
  XmlElement root;
  Diagnostics* out = nullptr;
  explicit operator bool() const { return out != nullptr; }
};

class Import {
 public:
  Result<HadoopImport> run(const std::vector<HadoopFile>& files) {
    for (const HadoopFile& file : files) read(file);
    properties_.resolve();
    if (ok()) import();
    if (!ok()) return refusal();
    std::vector<std::string> warnings;
    for (const Diagnostics& found : findings_) {
      const std::vector<std::string> lines = found.warnings();
      warnings.insert(warnings.end(), lines.begin(), lines.end());
    }
    std::vector<std::string> names;
    for (const HadoopFile& file : files) names.push_back(file.name);
    HadoopImport result{.yaml = yaml(names, warnings), .warnings = warnings};
    // More pools or queues than we take, for example.
    const auto loaded = load_settings_text(
        fmt::format("the settings made of {}", fmt::join(names, ", ")), result.yaml);
    if (!loaded) return loaded.error();
    return result;
  }

 private:
  bool ok() const {
    return std::all_of(findings_.begin(), findings_.end(),
                       [](const Diagnostics& found) { return found.ok(); });
  }

  Error refusal() const {
    std::optional<Error> error;
    for (const Diagnostics& found : findings_) {
      if (found.ok()) continue;
      Error more = found.as_error();
      if (!error) {
        error = std::move(more);
      } else {
        error->diagnostics.insert(error->diagnostics.end(), more.diagnostics.begin(),
                                  more.diagnostics.end());
      }
    }
    return *error;
  }

  void read(const HadoopFile& file) {
    Diagnostics& out = findings_.emplace_back(file.name);
    XmlElement root = parse_xml(file.xml, out);
    if (!out.ok()) return;
    if (root.name == "configuration") {
      properties_.read(root, out);
      if (!configuration_)
        configuration_ = {.root = {.name = root.name, .at = root.at}, .out = &out};
    } else if (root.name == "allocations" || root.name == "queues") {
      WholeFile& whole = root.name == "queues" ? queues_ : allocations_;
      if (whole) {
        return out.error(root.at, fmt::format("a second file with <{}>, after {}, allowed: one",
                                              root.name, whole.out->file()));
      }
      whole = {.root = std::move(root), .out = &out};
    } else {
      out.error(root.at,
                fmt::format("the root element is <{}>, allowed: {}", root.name, kImportable));
    }
  }

  // The file that has the findings which are no single value's.
  WholeFile& main_file() {
    return allocations_ ? allocations_ : queues_ ? queues_ : configuration_;
  }

  bool has(Scheduler scheduler) const {
    switch (scheduler) {
      case Scheduler::kMr1Capacity:
        return properties_.any(kMr1CapacityPrefix);
      case Scheduler::kYarnCapacity:
        return properties_.any(kYarnCapacityPrefix) || properties_.any(kYarnMonitorPrefix);
      case Scheduler::kMr1Fair:
        return !has(Scheduler::kYarnFair) && (allocations_ || properties_.any(kMr1FairPrefix));
      case Scheduler::kYarnFair:
        return properties_.any(kYarnFairPrefix) ||
               (allocations_ && is_yarn_allocations(allocations_.root));
      case Scheduler::kMr1Fifo:
        return properties_.any("mapred.queue.") || queues_;
    }
    return false;
  }

  // What the cluster was told to use, if these files have that.
  std::optional<Scheduler> by_class() {
    const HadoopValue* yarn = properties_.take("yarn.resourcemanager.scheduler.class");
    const HadoopValue* mr1 =
        properties_.take("mapred.jobtracker.taskScheduler", "mapreduce.jobtracker.taskscheduler");
    const HadoopValue* value = yarn != nullptr ? yarn : mr1;
    if (value == nullptr) return std::nullopt;
    const std::string& name = value->text;
    if (name.ends_with("FairScheduler"))
      return yarn != nullptr ? Scheduler::kYarnFair : Scheduler::kMr1Fair;
    if (name.ends_with("CapacityScheduler")) return Scheduler::kYarnCapacity;
    if (name.ends_with("CapacityTaskScheduler")) return Scheduler::kMr1Capacity;
    if (name.ends_with("FifoScheduler") || name.ends_with("JobQueueTaskScheduler"))
      return Scheduler::kMr1Fifo;
    no_counterpart(*value, "there are capacity, fair and fifo");
    return std::nullopt;
  }

  std::optional<Scheduler> choose() {
    if (const auto said = by_class()) return said;
    std::vector<const SchedulerName*> found;
    for (const SchedulerName& candidate : kSchedulers) {
      if (candidate.scheduler != Scheduler::kMr1Fifo && has(candidate.scheduler))
        found.push_back(&candidate);
    }
    WholeFile& file = main_file();
    if (found.size() > 1) {
      file.out->error({}, fmt::format("settings of {} and of {}, allowed: those of one scheduler, "
                                      "or the property that says which one rules",
                                      found[0]->name, found[1]->name));
      return std::nullopt;
    }
    if (!found.empty()) return found.front()->scheduler;
    if (has(Scheduler::kMr1Fifo)) return Scheduler::kMr1Fifo;
    file.out->error(file.root.at, fmt::format("none of its properties is a scheduler's, allowed: "
                                              "{}",
                                              kImportable));
    return std::nullopt;
  }

  void import() {
    const auto chosen = choose();
    if (!chosen) return;
    scheduler_ = *chosen;
    administrators();
    Diagnostics& out = *main_file().out;
    const XmlElement* allocations = allocations_ ? &allocations_.root : nullptr;
    switch (scheduler_) {
      case Scheduler::kMr1Capacity:
        imported_ = import_mr1_capacity(properties_, mr1_queues(), out);
        break;
      case Scheduler::kYarnCapacity:
        imported_ = import_yarn_capacity(properties_, out);
        break;
      case Scheduler::kMr1Fair:
        imported_ = import_mr1_fair(properties_, allocations, mr1_queues(), out);
        break;
      case Scheduler::kYarnFair:
        imported_ = import_yarn_fair(properties_, allocations, out);
        break;
      case Scheduler::kMr1Fifo:
        imported_ = import_mr1_fifo();
        break;
    }
    settle_access();
    tell_other_files();
    tell_rest();
    if (ok() && !imported_.resources.empty()) {
      out.warning({}, "a tracker offers nothing, and no job fits it, until its own settings say "
                      "`tracker: {offer: {memory_mb: 65536, vcores: 16}}`, and its `labels`");
    }
  }

  Mr1Queues mr1_queues() {
    const WholeFile queues = std::exchange(queues_, {});
    Mr1Queues read = read_mr1_queues(properties_, queues ? &queues.root : nullptr, queues.out);
    lists_count_ = read.lists_count;
    if (read.has_keys && scheduler_ == Scheduler::kMr1Fifo) scheduler_ = Scheduler::kMr1Capacity;
    if (scheduler_ != Scheduler::kMr1Capacity) tell_keys(read.queues);
    return read;
  }

  void tell_keys(const std::vector<Mr1Queue>& queues) {
    for (const Mr1Queue& queue : queues) {
      for (const auto& [key, value] : queue.keys) no_counterpart(value, why_other());
      tell_keys(queue.queues);
    }
  }

  std::string why_other() const {
    return fmt::format("the settings are those of {}", name_of(scheduler_).name);
  }

  // Hadoop's default, where jobs go by priority and submit time, unless mapred-queues.xml divides
  // the slots.
  ImportedScheduler import_mr1_fifo() {
    Diagnostics& out = *main_file().out;
    const Mr1Queues queues = mr1_queues();
    if (scheduler_ == Scheduler::kMr1Capacity) return import_mr1_capacity(properties_, queues, out);
    ImportedScheduler result;
    result.queues = imported_queues(queues.queues);
    if (result.queues.empty()) result.queues.emplace_back().name = "default";
    return result;
  }

  void administrators() {
    const HadoopValue* value = properties_.take("yarn.admin.acl");
    const HadoopValue* mr1 =
        properties_.take("mapreduce.cluster.administrators", "mapred.cluster.administrators");
    if (value == nullptr) value = mr1;
    if (value == nullptr) return;
    if (value->text == "*") {
      everybody_administers_ = true;
      return hadoop_warning(*value, fmt::format("{} is *: everybody may administer the queues; "
                                                "settings and trackers are the matter of "
                                                "`administrators`, by default who runs the "
                                                "JobTracker",
                                                value->what));
    }
    administrators_ = hadoop_access(*value);
    if (administrators_.empty())
      no_counterpart(*value, "without a name in it everybody is an administrator here");
  }

  // Hadoop's default, where somebody is an administrator of all.
  void settle_access() {
    const bool said = everybody_administers_ || !administrators_.empty();
    if (!is_yarn()) return settle_mr1_access(imported_.queues, lists_count_, said);
    for (ImportedQueue& queue : imported_.queues) {
      if (said && !queue.administer) queue.administer = {"*"};
    }
  }

  bool is_yarn() const {
    return scheduler_ == Scheduler::kYarnCapacity || scheduler_ == Scheduler::kYarnFair;
  }

  void tell_other_files() {
    const auto tell = [&](const WholeFile& file) {
      if (!file) return;
      file.out->warning(file.root.at, "this file is not taken over: " + why_other());
    };
    const bool fair = scheduler_ == Scheduler::kMr1Fair || scheduler_ == Scheduler::kYarnFair;
    if (!fair) tell(allocations_);
    tell(queues_);  // nobody has read them
  }

  void tell_rest() {
    constexpr std::string_view kMonitor = "yarn.resourcemanager.scheduler.monitor.";
    constexpr std::string_view kPrefixes[] = {kMr1CapacityPrefix,
                                                    kYarnCapacityPrefix,
                                                    kMr1FairPrefix,
                                                    kYarnFairPrefix,
                                                    kYarnMonitorPrefix,
                                                    kMonitor,
                                                    "mapred.queue.",
                                                    "mapred.acls.",
                                                    "mapreduce.cluster.acls.",
                                                    "yarn.acl.",
                                                    "mapred.newjobweightbooster."};
    properties_.tell_rest([&](std::string_view name) -> std::optional<std::string> {
      if (const auto why = why_not_of_site(name)) return std::string(*why);
      const bool schedulers =
          std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                      [name](std::string_view prefix) { return name.starts_with(prefix); });
      return schedulers ? std::optional(why_not(name)) : std::nullopt;
    });
  }

  // Of a property that the scheduler's own import did not know.
  std::string why_not(std::string_view name) const {
    const bool yarn_capacity =
        name.starts_with(kYarnCapacityPrefix) || name.starts_with(kYarnMonitorPrefix);
    const bool yarn = is_yarn();
    const bool own = yarn_capacity                          ? scheduler_ == Scheduler::kYarnCapacity
                     : name.starts_with(kYarnFairPrefix)    ? scheduler_ == Scheduler::kYarnFair
                     : name.starts_with(kMr1FairPrefix)     ? scheduler_ == Scheduler::kMr1Fair
                     : name.starts_with(kMr1CapacityPrefix) ? scheduler_ == Scheduler::kMr1Capacity
                                                            : yarn == name.starts_with("yarn.");
    if (!own) return why_other();
    if (yarn_capacity) return why_not_in_yarn_capacity(name);
    if (name.starts_with(kYarnFairPrefix)) return why_not_in_yarn_fair(name);
    if (name.starts_with("mapred.fairscheduler.eventlog."))
      return "event_log does the same, and needs a path here";
    return "it has no counterpart";
  }

  std::string yaml(const std::vector<std::string>& names,
                   const std::vector<std::string>& warnings) {
    std::string head =
        comment_line(fmt::format("# Imported by `weir conf import` from {}, the "
                                 "settings of {}.",
                                 fmt::join(names, ", "), name_of(scheduler_).name));
    if (!warnings.empty())
      head += "# What is not taken over as it stands there (line and column are that file's):\n";
    for (const std::string& line : warnings) head += comment_line("#   " + line);
    const std::string policy = name_of(scheduler_).policy;
    head += fmt::format("\npolicy: {}\n", policy);
    if (!administrators_.empty()) {
      head += fmt::format("administrators: {}\n", yaml_list(administrators_));
    }
    head += imported_.resources;
    if (!imported_.section.empty()) head += fmt::format("{}:\n{}", policy, imported_.section);
    return head + "queues:" + imported_.comment + "\n" + yaml_of_queues(imported_.queues, 2);
  }

  std::list<Diagnostics> findings_;  // by file; values refer to them
  HadoopProperties properties_;
  WholeFile allocations_, queues_, configuration_;
  Scheduler scheduler_ = Scheduler::kMr1Fifo;
  std::vector<std::string> administrators_;
  bool everybody_administers_ = false;
  HadoopValue lists_count_;  // as in Mr1Queues
  ImportedScheduler imported_;
};

}  // namespace

Result<HadoopImport> import_hadoop(const std::vector<HadoopFile>& files) {
  return Import().run(files);
}

Result<HadoopImport> import_hadoop(const std::string& name, std::string_view xml) {
  return import_hadoop({HadoopFile{name, xml}});
}

}  // namespace weir
