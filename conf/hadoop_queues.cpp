#include "conf/hadoop_queues.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "conf/values.h"

namespace weir {
namespace {

constexpr std::int64_t kWholeGuarantee = 10'000;
constexpr std::int64_t kFine = 1'000'000;  // parts of a hundredth

std::int64_t fine_guarantee(const ImportedQueue& queue) {
  return queue.guaranteed_hundredths.value_or(0) * kFine + queue.guarantee_rest;
}

bool is_everybody(const AccessList& list) {
  return list && *list == std::vector<std::string>{"*"};
}

void open_to(AccessList& own, const AccessList& above) {
  if (!above || (is_everybody(above) && own)) return;
  if (!own) own.emplace();
  if (std::find(own->begin(), own->end(), "*") != own->end()) return;
  for (const std::string& name : *above) {
    if (std::find(own->begin(), own->end(), name) == own->end()) own->push_back(name);
  }
}

// The lines of one queue after its name, without its children.
std::vector<std::string> queue_lines(const ImportedQueue& queue) {
  std::vector<std::string> lines;
  if (queue.guaranteed_hundredths)
    lines.push_back("guaranteed: " + format_percent(*queue.guaranteed_hundredths));
  if (!queue.amounts.empty())
    lines.push_back("guaranteed: " + yaml_of_amounts(queue.amounts));
  if (!queue.most.empty()) lines.push_back("maximum: " + yaml_of_amounts(queue.most));
  if (queue.maximum_hundredths)
    lines.push_back("maximum: " + format_percent(*queue.maximum_hundredths));
  lines.insert(lines.end(), queue.keys.begin(), queue.keys.end());
  if (queue.spared && queue.queues.empty())
    lines.push_back("kill_budget: 0   # its tasks are not preempted");
  if (queue.submit) lines.push_back("submit: " + yaml_list(*queue.submit));
  if (queue.administer) lines.push_back("administer: " + yaml_list(*queue.administer));
  if (queue.stopped) lines.push_back("state: stopped");
  return lines;
}

}  // namespace

void set_guarantee(ImportedQueue& queue, const HadoopValue& value, double number) {
  queue.guaranteed_hundredths = hadoop_scaled(value, number, 100);
  queue.guarantee_rest =
      std::llround(number * 100 * kFine) - *queue.guaranteed_hundredths * kFine;
}

void tell_low_maximum(const ImportedQueue& queue, const HadoopValue& value) {
  if (queue.weighted || !queue.guaranteed_hundredths || !queue.maximum_hundredths ||
      *queue.maximum_hundredths >= *queue.guaranteed_hundredths)
    return;
  hadoop_warning(value, fmt::format("{} is {}, below its capacity of {}, which Hadoop refuses; "
                                    "here the guarantee is the maximum then",
                                    value.what, format_percent(*queue.maximum_hundredths),
                                    format_percent(*queue.guaranteed_hundredths)));
}

void settle_guarantees(std::vector<ImportedQueue>& family, const std::string& parent) {
  std::int64_t rounded = 0, total = 0;  // the second as they were said, in fine parts
  bool all_said = !family.empty();
  bool weights = false;
  for (const ImportedQueue& queue : family) {
    rounded += queue.guaranteed_hundredths.value_or(0);
    total += fine_guarantee(queue);
    all_said = all_said && queue.guaranteed_hundredths.has_value();
    weights = weights || queue.weighted;
  }
  constexpr std::int64_t kWhole = kWholeGuarantee * kFine;
  const bool as_said = total == kWhole && rounded == kWholeGuarantee;
  if (!as_said && (total > kWhole || rounded > kWholeGuarantee || all_said) && total > 0) {
    const std::int64_t hundredths = (total + kFine / 2) / kFine;
    if (!weights && hundredths != kWholeGuarantee) {
      const HadoopValue& first = family.front().said;
      hadoop_warning(first, fmt::format("the capacities of the queues of {} total {}; they are "
                                        "scaled to 100%",
                                        parent, format_percent(hundredths)));
    }
    // By largest remainder, so that they total exactly 100%.
    std::int64_t left = kWholeGuarantee;
    std::vector<std::pair<std::int64_t, std::size_t>> remainders;
    for (std::size_t i = 0; i < family.size(); ++i) {
      if (!family[i].guaranteed_hundredths) continue;
      std::int64_t& part = *family[i].guaranteed_hundredths;
      const std::int64_t product = fine_guarantee(family[i]) * kWholeGuarantee;
      part = product / total;
      left -= part;
      remainders.emplace_back(-(product % total), i);
    }
    std::sort(remainders.begin(), remainders.end());
    for (std::size_t i = 0; left > 0 && i < remainders.size(); ++i, --left)
      ++*family[remainders[i].second].guaranteed_hundredths;
  } else if (all_said && total == 0) {
    for (ImportedQueue& queue : family) queue.guaranteed_hundredths.reset();
  }
  for (ImportedQueue& queue : family) {
    if (!queue.queues.empty()) settle_guarantees(queue.queues, fmt::format("queue {}", queue.name));
  }
}

void settle_amounts(std::vector<ImportedQueue>& family) {
  const bool all = std::none_of(family.begin(), family.end(), [](const ImportedQueue& queue) {
    return queue.amounts.empty();
  });
  std::vector<std::string> names;
  for (const ImportedQueue& queue : family) {
    for (const auto& [name, amount] : queue.amounts) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  for (ImportedQueue& queue : family) {
    if (!all && !queue.amounts.empty()) {
      no_counterpart(queue.said, "some of its siblings have no amounts; they share what is left");
      queue.amounts.clear();
    }
    for (const std::string& name : all ? names : std::vector<std::string>()) {
      const bool said = std::any_of(queue.amounts.begin(), queue.amounts.end(),
                                    [&](const auto& one) { return one.first == name; });
      if (!said) queue.amounts.emplace_back(name, 0);
    }
    settle_amounts(queue.queues);
  }
}

std::vector<std::string> resources_of(const std::vector<ImportedQueue>& queues) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const ImportedQueue& queue : queues) {
    for (const auto& [name, amount] : queue.amounts) add(name);
    for (const auto& [name, amount] : queue.most) add(name);
    for (const std::string& name : resources_of(queue.queues)) add(name);
  }
  return names;
}

void open_to_root(std::vector<ImportedQueue>& top, const AccessList& submit,
                  const AccessList& administer) {
  for (ImportedQueue& queue : top) {
    open_to(queue.submit, submit);
    open_to(queue.administer, administer);
  }
}

std::string yaml_of_queues(const std::vector<ImportedQueue>& queues, int indent) {
  std::string result;
  const std::string blanks(static_cast<std::size_t>(indent), ' ');
  for (const ImportedQueue& queue : queues) {
    result += fmt::format("{}- name: {}\n", blanks, yaml_scalar(queue.name));
    for (const std::string& line : queue_lines(queue))
      result += fmt::format("{}  {}\n", blanks, line);
    if (queue.queues.empty()) continue;
    result += blanks + "  queues:\n" + yaml_of_queues(queue.queues, indent + 4);
  }
  return result;
}

}  // namespace weir
