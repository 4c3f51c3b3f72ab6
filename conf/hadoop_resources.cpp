#include "conf/hadoop_resources.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir {
namespace {

constexpr std::int64_t kMostOfOne = 1'000'000'000;  // as much as a guarantee may be

// `10240`, `10240Mi`, `10Gi`, `1Ti`: in MB. Other units are of other resources.
std::optional<std::int64_t> amount_of(std::string_view text, bool memory) {
  std::int64_t amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || amount < 0 || amount > kMostOfOne) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  std::int64_t times = 0;
  if (unit.empty() || (memory && unit == "Mi")) times = 1;
  if (memory && unit == "Gi") times = 1024;
  if (memory && unit == "Ti") times = 1024 * 1024;
  if (times == 0 || amount * times > kMostOfOne) return std::nullopt;
  return amount * times;
}

std::string our_name(std::string name) {
  if (name == "memory" || name == "memory-mb") return "memory_mb";
  if (name == "cpu-vcores") return "vcores";
  const std::size_t slash = name.rfind('/');  // yarn.io/gpu
  if (slash != std::string::npos) name = name.substr(slash + 1);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

}  // namespace

std::optional<HadoopAmounts> hadoop_amounts(const HadoopValue& value) {
  const auto refuse = [&](const std::string& why) {
    no_counterpart(value, why);
    return std::nullopt;
  };
  std::string_view text = value.text;
  if (!text.ends_with(']')) return refuse("it is no list like [memory=10240,vcores=12]");
  text.remove_prefix(1);
  text.remove_suffix(1);
  HadoopAmounts amounts;
  for (const std::string& part : words_of(text, ", ")) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      return refuse(fmt::format("{} says no amount", quoted_briefly(part)));
    const std::string name = our_name(part.substr(0, equals));
    const auto amount = amount_of(std::string_view(part).substr(equals + 1), name == "memory_mb");
    const bool again = std::any_of(amounts.begin(), amounts.end(),
                                   [&](const auto& one) { return one.first == name; });
    if (!is_name(name) || !amount || again) {
      return refuse(
          fmt::format("{} is no amount, as memory=10240 (MB, or Gi) is", quoted_briefly(part)));
    }
    amounts.emplace_back(name, *amount);
  }
  if (amounts.empty()) return refuse("it says no amount");
  return amounts;
}

std::string yaml_of_amounts(const HadoopAmounts& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, amount);
  return "{" + text + "}";
}

void add_names_of(const HadoopAmounts& amounts, std::vector<std::string>& names) {
  for (const auto& [name, amount] : amounts) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

// --- Of the fair scheduler ---

namespace {

// `10240 mb, 12 vcores` as `memory=10240,vcores=12`; nothing: it is not of that form.
std::optional<std::string> old_form(const std::string& text) {
  std::string list;
  std::string_view left = text;
  while (true) {
    left.remove_prefix(std::min(left.find_first_not_of(", \t\r\n"), left.size()));
    if (left.empty()) return list.empty() ? std::nullopt : std::optional(list);
    const std::string number(left.substr(0, left.find_first_not_of("0123456789")));
    left.remove_prefix(number.size());
    left.remove_prefix(std::min(left.find_first_not_of(" \t"), left.size()));
    const std::size_t end = std::min(left.find_first_of(", \t\r\n0123456789"), left.size());
    const std::string unit = lower_case(std::string(left.substr(0, end)));
    left.remove_prefix(end);
    if (number.empty() || (unit != "mb" && !unit.starts_with("vcore"))) return std::nullopt;
    list += (list.empty() ? "" : ",") + std::string(unit == "mb" ? "memory=" : "vcores=") + number;
  }
}

}  // namespace

std::optional<HadoopAmounts> hadoop_fair_amounts(const HadoopValue& value) {
  HadoopValue list = value;
  list.text = value.text.find('=') != std::string::npos ? value.text
                                                        : old_form(value.text).value_or("");
  if (list.text.empty()) {
    no_counterpart(value, "it is no list like memory-mb=10240, vcores=12");
    return std::nullopt;
  }
  list.text = "[" + list.text + "]";
  return hadoop_amounts(list);
}

HadoopAmounts hadoop_fair_percentages(const HadoopValue& value) {
  HadoopAmounts parts;
  std::vector<std::string> words = words_of(value.text, ", \t\r\n");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    HadoopValue plain = value;
    plain.text = words[i].substr(equals == std::string::npos ? 0 : equals + 1);
    const auto part = hadoop_percentages(plain);
    if (!part) return {};
    if (equals != std::string::npos) {
      parts.emplace_back(our_name(words[i].substr(0, equals)), *part);
    } else if (i + 1 < words.size() && words[i + 1].find('%') == std::string::npos) {
      const std::string what = lower_case(words[++i]);
      parts.emplace_back(what == "memory" ? "memory_mb" : what == "cpu" ? "vcores" : what, *part);
    } else {
      parts.emplace_back("memory_mb", *part);
      parts.emplace_back("vcores", *part);
    }
    if (is_name(parts.back().first)) continue;
    no_counterpart(value, "it is no list like 50% memory, 40% cpu");
    return {};
  }
  return parts;
}

// --- What is scheduled ---

namespace {

constexpr std::string_view kTypes = "yarn.resource-types";
constexpr std::string_view kCalculator = "yarn.scheduler.capacity.resource-calculator";

const HadoopValue* take_allocation(HadoopProperties& properties, const std::string& which,
                                   bool memory) {
  if (which == "increment" && memory) {
    const HadoopValue* said =
        properties.take("yarn.resource-types.memory-mb.increment-allocation");
    if (said != nullptr) return said;
  }
  if (which == "map" || which == "reduce") {
    return properties.take("mapreduce." + which + (memory ? ".memory.mb" : ".cpu.vcores"));
  }
  return properties.take("yarn.scheduler." + which + "-allocation-" + (memory ? "mb" : "vcores"));
}

// `minimum: {memory_mb: 512, vcores: 1}`
std::string line_of(HadoopProperties& properties, const std::string& which) {
  HadoopAmounts amounts;
  for (const bool memory : {true, false}) {
    const HadoopValue* value = take_allocation(properties, which, memory);
    if (value == nullptr) continue;
    const bool may_be_none = !memory && which != "increment" && which != "maximum";
    const auto amount = amount_of(value->text, memory);
    if (amount && (*amount > 0 || may_be_none)) {
      amounts.emplace_back(memory ? "memory_mb" : "vcores", *amount);
    } else {
      no_counterpart(*value,
                     memory ? "it is no size, as 1024 (MB) is" : "it is no number of cores");
    }
  }
  return amounts.empty() ? "" : fmt::format("  {}: {}\n", which, yaml_of_amounts(amounts));
}

bool has_amount_or_drf(const XmlElement& element) {
  const std::string& name = element.name;
  if (name == "schedulingPolicy" || name == "defaultQueueSchedulingPolicy" ||
      name == "defaultQueueSchedulingMode")
    return lower_case(element.text) == "drf" || element.text.ends_with("FairnessPolicy");
  return (name == "minResources" || name == "maxResources" || name == "queueMaxResourcesDefault") &&
         element.text.find('%') == std::string::npos &&
         element.text.find_first_of("123456789") != std::string::npos;
}

}  // namespace

bool are_of_containers(const HadoopProperties& properties) {
  for (const char* which : {"minimum", "maximum", "increment"}) {
    if (properties.any(fmt::format("yarn.scheduler.{}-allocation-", which))) return true;
  }
  const HadoopValue* calculator = properties.find(kCalculator);
  return properties.any(kTypes) ||
         (calculator != nullptr && calculator->text.ends_with("DominantResourceCalculator"));
}

bool is_of_containers(const XmlElement& allocations) {
  return has_amount_or_drf(allocations) ||
         std::any_of(allocations.children.begin(), allocations.children.end(), is_of_containers);
}

std::string yaml_of_containers(HadoopProperties& properties, std::vector<std::string> names) {
  if (const HadoopValue* types = properties.take(kTypes)) {
    for (const std::string& word : words_of(types->text, ", \t\r\n")) {
      const std::string name = our_name(word);
      if (is_name(name)) {
        add_names_of({{name, 0}}, names);
      } else {
        no_counterpart(*types, fmt::format("{} is no name of a resource", quoted_briefly(word)));
      }
    }
  }
  if (const HadoopValue* calculator = properties.find(kCalculator);
      calculator != nullptr && calculator->text.ends_with("DominantResourceCalculator"))
    properties.take(kCalculator);
  std::erase(names, "memory_mb");
  std::erase(names, "vcores");
  std::string lines;
  if (!names.empty()) lines += fmt::format("  resources: [{}]\n", fmt::join(names, ", "));
  for (const char* which : {"minimum", "increment", "maximum", "map", "reduce"})
    lines += line_of(properties, which);
  return "resources: containers\n" + (lines.empty() ? "" : "containers:\n" + lines);
}

}  // namespace weir
