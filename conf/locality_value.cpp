#include "conf/locality_value.h"

#include <algorithm>

#include <fmt/format.h>

namespace weir {
namespace {

using DelayMode = LocalityDelaySettings::Mode;

constexpr std::string_view kDelay = "locality_delay";
constexpr DurationRange kDelayRange{.least_ms = 0, .most_ms = 3'600'000};
// In the order of the enum; kFixed has no word.
constexpr std::string_view kDelayModes[] = {"off", "auto", "adaptive"};

}  // namespace

void read_locality_delay(const MapReader& section, LocalityDelaySettings& target) {
  const YamlNode* node = section.find(kDelay);
  if (node == nullptr) return;
  LocalityDelaySettings fixed{.mode = DelayMode::kFixed};
  if (node->kind == YamlNode::Kind::kMap) {
    const MapReader levels(node, section.path(kDelay), section.out(), {"node", "rack"});
    levels.read_duration("node", fixed.node_ms, kDelayRange);
    levels.read_duration("rack", fixed.rack_ms, kDelayRange);
    target = fixed;
    return;
  }
  const bool scalar = node->kind == YamlNode::Kind::kScalar;
  const auto* const mode = std::find(std::begin(kDelayModes), std::end(kDelayModes), node->text);
  if (scalar && mode != std::end(kDelayModes)) {
    target = {.mode = static_cast<DelayMode>(mode - std::begin(kDelayModes))};
    return;
  }
  const auto both = scalar ? parse_duration(node->text) : std::nullopt;
  if (!both || *both > kDelayRange.most_ms) {
    section.wrong(*node, kDelay,
                  fmt::format("auto, off, adaptive, or {{node: 5s, rack: 10s}} with durations "
                              "(300ms 5s 2m 1h) up to {}",
                              format_duration(kDelayRange.most_ms)));
    return;
  }
  fixed.node_ms = fixed.rack_ms = *both;
  target = fixed;
}

std::string format_locality_delay(const LocalityDelaySettings& settings) {
  if (settings.mode != DelayMode::kFixed) {
    return std::string(kDelayModes[static_cast<std::size_t>(settings.mode)]);
  }
  return fmt::format("{{node: {}, rack: {}}}", format_duration(settings.node_ms),
                     format_duration(settings.rack_ms));
}

}  // namespace weir
