#include "conf/hadoop_properties.h"

#include <algorithm>

#include <fmt/format.h>

namespace weir {

void HadoopProperties::read(const XmlElement& root, Diagnostics& out) {
  for (const XmlElement& element : root.children) {
    if (element.name == "configuration") {  // within another one, as Hadoop reads it
      read(element, out);
      continue;
    }
    if (element.name != "property") {
      const bool include = element.name.ends_with("include");
      out.warning(element.at, fmt::format("<{}> is not taken over: {}", element.name,
                                          include ? "nothing that a file names is opened; import "
                                                    "that file with this one"
                                                  : "only properties are"));
      continue;
    }
    // Each of the three is an element or, since Hadoop 3, an attribute.
    const auto text_of = [&](const char* part) {
      const XmlElement* child = element.child(part);
      return child != nullptr ? child->text : std::string(element.attribute(part));
    };
    const std::string name = text_of("name");
    if (name.empty()) {
      out.warning(element.at, "a property without a name, which Hadoop passes over");
      continue;
    }
    if (element.child("value") == nullptr && element.attribute("value").empty()) {
      out.warning(element.at,
                  fmt::format("{} has no value, and Hadoop passes over it", quoted_briefly(name)));
      continue;
    }
    Property property{.value = {.text = text_of("value"), .at = element.at, .out = &out}};
    if (const XmlElement* value = element.child("value"))
      property.value = value_of_element(*value, "", out);
    property.value.what = name;
    property.final = text_of("final") == "true";
    set(std::move(property));
  }
}

void HadoopProperties::resolve() {
  for (Property& property : properties_) {
    if (property.value.text.find("${") == std::string::npos) continue;
    if (auto text = resolved(property.value.text)) {
      property.value.text = std::move(*text);
    } else {
      no_counterpart(property.value, "it refers to what is in none of these files");
      property.taken = true;
      by_name_.erase(property.value.what);
    }
  }
}

std::optional<std::string> HadoopProperties::resolved(std::string text) const {
  constexpr int kSteps = 20;  // as Hadoop's own: they may go round in a circle
  constexpr std::size_t kLongest = 64 * 1024;
  for (int step = 0; step < kSteps && text.size() <= kLongest; ++step) {
    const std::size_t begin = text.find("${");
    if (begin == std::string::npos) return text;
    const std::size_t end = text.find('}', begin);
    if (end == std::string::npos) return std::nullopt;
    const HadoopValue* value = find(text.substr(begin + 2, end - begin - 2));
    if (value == nullptr) return std::nullopt;
    text.replace(begin, end + 1 - begin, value->text);
  }
  return std::nullopt;
}

void HadoopProperties::set(Property property) {
  const auto [found, fresh] = by_name_.emplace(property.value.what, properties_.size());
  if (fresh) {
    properties_.push_back(std::move(property));
    return;
  }
  Property& first = properties_[found->second];
  hadoop_warning(property.value,
                 fmt::format("{} is set a second time; the {} counts", property.value.what,
                             first.final ? "first one is final and" : "last one"));
  if (!first.final) first = std::move(property);
}

bool HadoopProperties::any(std::string_view prefix) const {
  const auto first = by_name_.lower_bound(prefix);
  return first != by_name_.end() && first->first.starts_with(prefix);
}

const HadoopValue* HadoopProperties::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &properties_[found->second].value;
}

const HadoopValue* HadoopProperties::take(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  properties_[found->second].taken = true;
  return &properties_[found->second].value;
}

const HadoopValue* HadoopProperties::take(std::string_view name, std::string_view other_name) {
  const HadoopValue* other = take(other_name);
  const HadoopValue* value = take(name);
  return value != nullptr ? value : other;
}

std::vector<HadoopValue> HadoopProperties::with_prefix(std::string_view prefix) const {
  std::vector<HadoopValue> result = named_with_prefix(prefix);
  std::erase_if(result, [this](const HadoopValue& value) { return find(value.what) == nullptr; });
  return result;
}

std::vector<HadoopValue> HadoopProperties::named_with_prefix(std::string_view prefix) const {
  std::vector<HadoopValue> result;
  for (const Property& property : properties_) {
    if (property.value.what.starts_with(prefix)) result.push_back(property.value);
  }
  return result;
}

void HadoopProperties::tell_rest(
    const std::function<std::optional<std::string>(std::string_view)>& why) {
  std::map<Diagnostics*, std::size_t> foreign;
  for (const Property& property : properties_) {
    if (property.taken) continue;
    if (const auto said = why(property.value.what)) {
      no_counterpart(property.value, *said);
    } else {
      ++foreign[property.value.out];
    }
  }
  for (const auto& [out, count] : foreign) {
    out->warning({}, fmt::format("{} other propert{} not the scheduler's", count,
                                 count == 1 ? "y is" : "ies are"));
  }
}

}  // namespace weir
