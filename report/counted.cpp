#include "report/counted.h"

#include <algorithm>
#include <numeric>

#include "report/markup.h"

namespace weir::report {

std::vector<Counted> slot_classes() {
  return {{"Maps", "slots", "slot"}, {"Reduces", "slots", "slot"}};
}

std::vector<Counted> container_classes(const std::vector<std::string>& dimensions) {
  std::vector<Counted> classes;
  for (const std::string& name : dimensions) {
    if (name == "memory_mb") {
      classes.push_back({"memory", "MB", "MB"});
    } else {
      classes.push_back({name, name, name == "vcores" ? "vcore" : name});
    }
  }
  return classes;
}

std::string times_of(const Report& report, const std::vector<double>& seconds) {
  if (report.slots()) return slot_time(in_all(seconds));
  std::string text;
  for (std::size_t i = 0; i < std::min(seconds.size(), report.classes.size()); ++i) {
    if (seconds[i] <= 0) continue;
    text += (text.empty() ? "" : ", ") + time_of(seconds[i], report.classes[i].one);
  }
  return text.empty() ? "nothing" : text;
}

std::optional<std::string> times_of(const Report& report, const QueueTotals::Times& seconds) {
  std::vector<double> known(seconds.size());
  bool any = false;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    any = any || seconds[i];
    known[i] = seconds[i].value_or(0);
  }
  if (!any) return std::nullopt;
  return times_of(report, known);
}

void add_up(std::vector<double>& sum, const std::vector<double>& part) {
  if (sum.size() < part.size()) sum.resize(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
}

double in_all(const std::vector<double>& of) {
  return std::accumulate(of.begin(), of.end(), 0.0);
}

}  // namespace weir::report
