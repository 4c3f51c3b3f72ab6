#include "conf/hadoop_resources.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir {
namespace {

constexpr std::int64_t kMostOfOne = 1'000'000'000;  // as much as a guarantee may be
constexpr double kMb = 1024 * 1024;
constexpr std::pair<std::string_view, double> kUnits[] = {
    {"", kMb},  {"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3},
    {"k", 1e3}, {"M", 1e6},   {"G", 1e9},  {"T", 1e12}, {"P", 1e15},
    {"Ki", 1024}, {"Mi", kMb}, {"Gi", kMb * 1024}, {"Ti", kMb * kMb}, {"Pi", kMb * kMb * 1024}};
constexpr std::string_view kCapacityAmounts =
    "[memory=10240,vcores=12]: memory in MB, or with a unit of YARN's (k, M, G, T, P, Ki, Mi, Gi, "
    "Ti, Pi); of others a whole number";
constexpr std::string_view kFairAmounts =
    "memory-mb=10240, vcores=12, or 10240 mb, 12 vcores, in whole numbers";

// `10240`; of memory also `10G`, `10Gi`, ..., in MB and rounded down, as in YARN.
std::optional<std::int64_t> amount_of(std::string_view text, bool with_unit) {
  std::int64_t amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || amount < 0) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.empty()) return amount;
  const auto* const known = std::find_if(std::begin(kUnits), std::end(kUnits),
                                         [&](const auto& one) { return one.first == unit; });
  if (!with_unit || known == std::end(kUnits)) return std::nullopt;
  const double mb = static_cast<double>(amount) * known->second / kMb;
  return static_cast<std::int64_t>(std::min(mb, 1e18));
}

// More than there is anywhere, as who wants no limit writes it.
std::int64_t held(const HadoopValue& value, const std::string& name, std::int64_t amount) {
  if (amount <= kMostOfOne) return amount;
  hadoop_warning(value, fmt::format("{} of {} counts as {}", name, value.what, kMostOfOne));
  return kMostOfOne;
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

namespace {

// Of `memory=10240, vcores=12`; nothing, and an error, if it is no such list.
std::optional<HadoopAmounts> amounts_in(const HadoopValue& value, std::string_view list,
                                        bool with_units, std::string_view allowed) {
  HadoopAmounts amounts;
  for (const std::string& part : words_of(list, ",")) {
    const std::vector<std::string> words = words_of(part, "= \t\r\n");
    const bool is_pair = words.size() == 2 && part.find('=') != std::string::npos;
    const std::string name = is_pair ? our_name(words[0]) : "";
    const auto amount =
        is_pair ? amount_of(words[1], with_units && name == "memory_mb") : std::nullopt;
    const bool again = std::any_of(amounts.begin(), amounts.end(),
                                   [&](const auto& one) { return one.first == name; });
    if (!is_name(name) || !amount || again) {
      value.out->error(value.at, fmt::format("{} has {}, allowed: {}", value.what,
                                             quoted_briefly(part), allowed));
      return std::nullopt;
    }
    amounts.emplace_back(name, held(value, name, *amount));
  }
  if (!amounts.empty()) return amounts;
  hadoop_error(value, allowed);
  return std::nullopt;
}

}  // namespace

std::optional<HadoopAmounts> hadoop_amounts(const HadoopValue& value) {
  const std::string_view text = value.text;
  if (text.ends_with(']'))
    return amounts_in(value, text.substr(1, text.size() - 2), true, kCapacityAmounts);
  hadoop_error(value, kCapacityAmounts);
  return std::nullopt;
}

bool stops_all(const std::pair<std::string, std::int64_t>& maximum) {
  return maximum.second == 0 && (maximum.first == "memory_mb" || maximum.first == "vcores");
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

// The whole part of the number before `unit`, as in `5120.3 mb`; empty if there is none.
std::string number_before(std::string_view text, std::string_view unit) {
  for (std::size_t at = text.find(unit); at != text.npos; at = text.find(unit, at + 1)) {
    std::string_view left = text.substr(0, at);
    left = left.substr(0, left.find_last_not_of(" \t\r\n") + 1);
    std::size_t begin = left.find_last_not_of("0123456789.") + 1;
    if (begin > 0 && left[begin - 1] == '-') --begin;
    const std::string_view number = left.substr(begin);
    if (const std::string whole(number.substr(0, number.find('.'))); !whole.empty()) return whole;
  }
  return "";
}

// `10240 mb, 12 vcores`: both are said, and what else is there is passed over, as in YARN.
std::optional<HadoopAmounts> old_form(const HadoopValue& value) {
  const std::string text = lower_case(value.text);
  HadoopAmounts amounts;
  for (const auto& [unit, name] : {std::pair("mb", "memory_mb"), std::pair("vcores", "vcores")}) {
    HadoopValue plain = value;
    plain.text = number_before(text, unit);
    const auto amount = plain.text.empty() ? std::nullopt : hadoop_int(plain);
    if (!amount || *amount < 0) {
      if (plain.text.empty() || amount) hadoop_error(value, kFairAmounts);
      return std::nullopt;
    }
    amounts.emplace_back(name, held(value, name, *amount));
  }
  for (const std::string& part : words_of(text, ",")) {
    if (part.find("mb") != part.npos || part.find("vcores") != part.npos) continue;
    hadoop_warning(value, fmt::format("{} has {}, which YARN passes over, too", value.what,
                                      quoted_briefly(part)));
  }
  return amounts;
}

}  // namespace

std::optional<HadoopAmounts> hadoop_fair_amounts(const HadoopValue& value) {
  if (value.text.find('=') == std::string::npos) return old_form(value);
  return amounts_in(value, value.text, false, kFairAmounts);
}

HadoopAmounts hadoop_fair_percentages(const HadoopValue& value) {
  HadoopAmounts parts;
  const auto text = hadoop_percentage_list(value);
  if (!text) return parts;
  std::vector<std::string> words = words_of(*text, ", \t\r\n");
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
    if (!amount) {
      hadoop_error(*value, memory ? "a number of MB" : "a number of cores");
    } else if (*amount > 0 || may_be_none) {
      const std::string name = memory ? "memory_mb" : "vcores";
      amounts.emplace_back(name, held(*value, name, *amount));
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
