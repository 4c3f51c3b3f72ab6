#include "conf/capacity_section.h"

#include "capacity/capacity_settings.h"
#include "conf/locality_value.h"

namespace weir {
namespace {

// In the order of the enums.
constexpr std::string_view kRedistributeBy[] = {"guaranteed", "waiting_jobs", "demand"};
constexpr std::string_view kPreemption[] = {"on", "log_only", "off"};

}  // namespace

std::shared_ptr<const PolicySettings> read_capacity(const YamlNode* section,
                                                    const ResourceSettings& resources,
                                                    const Allocations&, Diagnostics& out) {
  auto settings = std::make_shared<CapacitySettings>();
  const MapReader map(section, "capacity", out,
                      {"interval", "redistribute_by", "preemption", "locality_delay"});
  map.read_duration("interval", settings->interval_ms, {.least_ms = 10, .most_ms = 3'600'000});
  if (const auto index = map.read_enum("redistribute_by", kRedistributeBy)) {
    settings->redistribute_by = static_cast<CapacitySettings::RedistributeBy>(*index);
  }
  if (const auto index = map.read_enum("preemption", kPreemption)) {
    settings->preemption = static_cast<CapacitySettings::Preemption>(*index);
  }
  read_locality_delay(map, settings->locality_delay);
  if (Space(resources).containers() &&
      settings->locality_delay.mode != LocalityDelaySettings::Mode::kOff) {
    map.out().warning(map.at("locality_delay"),
                      map.path("locality_delay") +
                          " has no effect where `resources: containers` is set");
  }
  return settings;
}

KeyValues describe_capacity(const PolicySettings& settings, const Space&) {
  const auto* capacity = dynamic_cast<const CapacitySettings*>(&settings);
  if (capacity == nullptr) return {};
  return {{"interval", format_duration(capacity->interval_ms)},
          {"redistribute_by",
           std::string(kRedistributeBy[static_cast<std::size_t>(capacity->redistribute_by)])},
          {"preemption", std::string(kPreemption[static_cast<std::size_t>(capacity->preemption)])},
          {"locality_delay", format_locality_delay(capacity->locality_delay)}};
}

}  // namespace weir
