#include "conf/offer_section.h"

#include <fmt/format.h>

#include <set>

#include "jobqueue/model/submission_checks.h"
#include "jobqueue/model/submission_limits.h"

namespace weir {
namespace {

constexpr std::int64_t kMostMemoryMb = 1LL << 40;
constexpr std::int64_t kMostUnits = 100'000;
constexpr std::string_view kAuto = "auto";

constexpr std::string_view kOfferAllowed = "auto, or amounts by name, {memory_mb: auto, gpu: 2}";
constexpr std::string_view kLabelsAllowed = "values by label, {disk: ssd, zone: a}";
constexpr std::string_view kNamesAllowed = "memory_mb, vcores, and names that are not like these";

// What is allowed, if it is wrong.
std::optional<std::string> set_offer(OfferSettings& offer, const std::string& resource,
                                     std::string_view text) {
  const bool memory = resource == "memory_mb", vcores = resource == "vcores";
  if (text == kAuto && (memory || vcores)) return std::nullopt;
  const std::int64_t most = memory ? kMostMemoryMb : kMostUnits;
  const auto amount = parse_integer(text);
  if (!amount || *amount < 0 || *amount > most)
    return fmt::format("0 to {}{}", most, memory || vcores ? ", auto" : "");
  if (memory) {
    offer.memory_mb = *amount;
  } else if (vcores) {
    offer.vcores = *amount;
  } else {
    offer.named[resource] = *amount;
  }
  return std::nullopt;
}

Status check_label(const std::string& label, const std::string& value) {
  const TextRule text{.max_bytes = SubmissionLimits::kNameBytes};
  if (Status s = check_text("a label", label, text); !s) return s;
  if (Status s = check_text("label " + label, value, text); !s) return s;
  if (label != "name" && label != "rack") return Ok{};
  return bad_request("label " + label + ": every tracker has it",
                     "other labels than name and rack");
}

}  // namespace

std::optional<std::string_view> resource_meant(std::string_view name) {
  constexpr std::string_view kOwn[] = {"memory_mb", "vcores"};
  const bool begun = name.size() >= 3 && kOwn[0].starts_with(name);  // mem, memory
  const auto meant = begun ? std::optional(kOwn[0]) : nearest(name, kOwn);
  return meant == name ? std::nullopt : meant;
}

std::optional<PortRange> parse_port_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_integer(text.substr(0, dash));
  const auto last = parse_integer(text.substr(dash + 1));
  if (!first || !last || *first < 1024 || *last > 65535 || *first > *last) return std::nullopt;
  return PortRange{static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last)};
}

namespace {

OfferSettings offer_of(const MapReader& tracker) {
  OfferSettings offer;
  for (const auto& [resource, value] : tracker.named_values("offer", kOfferAllowed)) {
    const std::string key = "offer." + resource;
    if (const auto meant = resource_meant(resource)) {
      tracker.out().error(value->at, fmt::format("{}: did you mean \"{}\"?, allowed: {}",
                                                 tracker.path(key), *meant, kNamesAllowed));
    } else if (const auto allowed = set_offer(offer, resource, value->text)) {
      tracker.wrong(*value, key, *allowed);
    }
  }
  return offer;
}

void read_labels(const MapReader& tracker, std::map<std::string, std::string>& labels) {
  for (const auto& [label, value] : tracker.named_values("labels", kLabelsAllowed)) {
    if (value->kind != YamlNode::Kind::kScalar) {
      tracker.wrong(*value, "labels." + label, kLabelsAllowed);
    } else if (const Status good = check_label(label, value->text); !good) {
      tracker.out().error(value->at, fmt::format("tracker.labels: {}, allowed: {}",
                                                 good.error().message, good.error().hint));
    }
    labels[label] = value->text;
  }
}

}  // namespace

void read_offer(const MapReader& tracker, TrackerSettings& settings) {
  if (const YamlNode* node = tracker.find("offer")) {
    const bool all = node->kind == YamlNode::Kind::kScalar && node->text == kAuto;
    // An empty key is no offer of all.
    if (node->kind == YamlNode::Kind::kNull) tracker.wrong(*node, "offer", kOfferAllowed);
    settings.offer = all ? OfferSettings() : offer_of(tracker);
  }
  read_labels(tracker, settings.labels);
  if (const YamlNode* node = tracker.find("port_range")) {
    const auto range = parse_port_range(node->text);
    if (!range) return tracker.wrong(*node, "port_range", kPortRangeAllowed);
    settings.ports = *range;
  }
}

Result<OfferSettings> parse_offer(const std::string& text) {
  OfferSettings offer;
  if (text == kAuto) return offer;
  std::set<std::string> said;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, end - from);
    const std::size_t equals = part.find('=');
    if (equals == 0 || equals == std::string::npos)
      return bad_request("'" + part + "' is no amount",
                         "auto, or like memory_mb=4096,vcores=2,gpu=1");
    const std::string resource = part.substr(0, equals);
    if (!said.insert(resource).second)
      return bad_request(resource + " is said twice", "each resource once");
    if (const auto meant = resource_meant(resource)) {
      return bad_request(fmt::format("{}: did you mean {}?", part, *meant),
                         std::string(kNamesAllowed));
    }
    if (const auto allowed = set_offer(offer, resource, part.substr(equals + 1)))
      return bad_request(part, *allowed);
    from = end + 1;
  }
  return offer;
}

Result<std::map<std::string, std::string>> parse_labels(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> labels;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      return bad_request("'" + text + "' is no label", "LABEL=VALUE");
    const std::string label = text.substr(0, equals), value = text.substr(equals + 1);
    if (Status s = check_label(label, value); !s) return s.error();
    if (!labels.emplace(label, value).second)
      return bad_request("label " + label + " is said twice", "each label once");
  }
  return labels;
}

}  // namespace weir
