#include "conf/hadoop_parts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/values.h"

namespace weir {
namespace {

constexpr std::int64_t kWholeGuarantee = 10'000;

bool is_plain_scalar(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !letter(text[0])) return false;
  static constexpr std::string_view kWords[] = {"null", "Null", "NULL"};
  if (std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords)) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
}

bool allowed_in_name(char c, bool queue) {
  const auto byte = static_cast<unsigned char>(c);
  if (!queue) return byte > 0x20 && byte != 0x7f && c != ',' && c != '/' && c != '.';
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

std::string quoted_briefly(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string result = "\"";
  for (const char c : text) {
    if (result.size() > kMost && (static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      result += "...";
      break;
    }
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

std::optional<std::int64_t> hadoop_integer(const HadoopValue& value, Diagnostics& out) {
  std::string_view text = value.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error == std::errc{} && end == text.data() + text.size()) return result;
  out.error(value.at,
            fmt::format("{} is {}, allowed: an integer", value.what, quoted_briefly(value.text)));
  return std::nullopt;
}

std::optional<double> hadoop_number(const HadoopValue& value, Diagnostics& out) {
  std::string_view text = value.text;
  if (text.starts_with('+')) text.remove_prefix(1);
  double result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(result)) {
    return result;
  }
  out.error(value.at,
            fmt::format("{} is {}, allowed: a number", value.what, quoted_briefly(value.text)));
  return std::nullopt;
}

std::int64_t hadoop_scaled(const HadoopValue& value, double number, std::int64_t scale,
                           Diagnostics& out) {
  constexpr double kMost = 1e15;
  const double exact = std::clamp(number * static_cast<double>(scale), -kMost, kMost);
  const auto rounded = static_cast<std::int64_t>(std::llround(exact));
  if (std::fabs(exact - static_cast<double>(rounded)) > 1e-4) {
    out.warning(value.at, fmt::format("{} is {}, rounded to {} places", value.what,
                                      quoted_briefly(value.text), scale == 100 ? "two" : "six"));
  }
  return rounded;
}

void no_counterpart(const HadoopValue& value, std::string_view why, Diagnostics& out) {
  out.warning(value.at, fmt::format("{} = {} is not taken over: {}", value.what,
                                    quoted_briefly(value.text), why));
}

std::string hadoop_name(const HadoopValue& value, bool queue, Diagnostics& out) {
  constexpr std::size_t kLongest = 90;
  std::string name;
  for (const char c : value.text) {
    if (allowed_in_name(c, queue)) {
      name += c;
    } else if (c == '.') {
      name += "_dot_";  // as the name of a user or group with a dot is spelled
    } else {
      name += '_';
    }
  }
  while (name.size() > kLongest) {
    const bool inside = (static_cast<unsigned char>(name.back()) & 0xC0) == 0x80;
    name.pop_back();
    if (!inside && name.size() <= kLongest) break;
  }
  if (!queue && name == "root") name = "root_";
  if (name.empty()) name = "_";
  if (name != value.text) {
    out.warning(value.at, fmt::format("{} {} is called {} here, as not every character may be in "
                                      "a name",
                                      value.what, quoted_briefly(value.text), name));
  }
  return name;
}

std::string yaml_scalar(const std::string& text) {
  if (is_plain_scalar(text)) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

void settle_guarantees(std::vector<ImportedQueue>& family, const std::string& parent,
                       Diagnostics& out) {
  std::int64_t total = 0;
  bool all_said = !family.empty();
  for (const ImportedQueue& queue : family) {
    total += queue.guaranteed_hundredths.value_or(0);
    all_said = all_said && queue.guaranteed_hundredths.has_value();
  }
  if (total != kWholeGuarantee && (total > kWholeGuarantee || all_said) && total > 0) {
    const ImportedQueue& first = family.front();
    out.warning(first.guaranteed_at.value_or(first.at),
                fmt::format("the capacities of the queues of {} total {}; they are scaled to 100%",
                            parent, format_percent(total)));
    // By largest remainder, so that they total exactly 100%.
    std::int64_t left = kWholeGuarantee;
    std::vector<std::pair<std::int64_t, std::size_t>> remainders;
    for (std::size_t i = 0; i < family.size(); ++i) {
      if (!family[i].guaranteed_hundredths) continue;
      std::int64_t& part = *family[i].guaranteed_hundredths;
      const std::int64_t product = part * kWholeGuarantee;
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
    if (!queue.queues.empty())
      settle_guarantees(queue.queues, fmt::format("queue {}", queue.name), out);
  }
}

std::string yaml_of_queues(const std::vector<ImportedQueue>& queues, int indent) {
  std::string result;
  const std::string blanks(static_cast<std::size_t>(indent), ' ');
  for (const ImportedQueue& queue : queues) {
    result += fmt::format("{}- name: {}\n", blanks, yaml_scalar(queue.name));
    if (queue.guaranteed_hundredths) {
      result +=
          fmt::format("{}  guaranteed: {}\n", blanks, format_percent(*queue.guaranteed_hundredths));
    }
    for (const std::string& key : queue.keys) result += fmt::format("{}  {}\n", blanks, key);
    if (queue.queues.empty()) continue;
    result += blanks + "  queues:\n" + yaml_of_queues(queue.queues, indent + 4);
  }
  return result;
}

std::map<std::string, HadoopValue> read_configuration(const XmlElement& root, Diagnostics& out) {
  std::map<std::string, HadoopValue> result;
  for (const XmlElement& element : root.children) {
    if (element.name != "property") {
      out.warning(element.at,
                  fmt::format("<{}> is not taken over: only properties are", element.name));
      continue;
    }
    const XmlElement* name = element.child("name");
    const XmlElement* value = element.child("value");
    if (name == nullptr || name->text.empty()) {
      out.error(element.at, "a property without a name, allowed: <name> and <value>");
      continue;
    }
    HadoopValue property{value == nullptr ? "" : value->text,
                         value == nullptr ? element.at : value->at, name->text};
    if (property.text.find("${") != std::string::npos) {
      no_counterpart(property, "it refers to another property", out);
      continue;
    }
    if (result.contains(name->text)) {
      out.warning(element.at,
                  fmt::format("{} is set a second time; the last one counts", name->text));
    }
    result.insert_or_assign(name->text, std::move(property));
  }
  return result;
}

}  // namespace weir
