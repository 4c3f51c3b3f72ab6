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

std::string yaml_of_resources(std::vector<std::string> names) {
  if (names.empty()) return "";
  std::erase(names, "memory_mb");
  std::erase(names, "vcores");
  std::string lines = "resources: containers\n";
  if (!names.empty())
    lines += fmt::format("containers: {{resources: [{}]}}\n", fmt::join(names, ", "));
  return lines;
}

}  // namespace weir
