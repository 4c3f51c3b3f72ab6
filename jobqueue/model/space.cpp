#include "jobqueue/model/space.h"

#include <algorithm>

namespace weir {

Space::Space(const ResourceSettings& settings)
    : containers_(settings.mode == ResourceSettings::Mode::kContainers) {
  if (!containers_) {
    dimensions_ = {Dimension::kMapSlots, Dimension::kReduceSlots};
    return;
  }
  named_ = settings.named;
  dimensions_ = {Dimension::kMemoryMb, Dimension::kVcores};
  for (std::size_t i = 0; i < named_.size(); ++i) dimensions_.push_back(Dimension::named(i));
  all_.amount.fill(1);
}

std::string_view Space::name(Dimension dimension) const {
  static constexpr std::string_view kNames[] = {"map", "reduce", "memory_mb", "vcores"};
  if (!dimension.is_named()) return kNames[dimension.value()];
  const std::size_t number = dimension.value() - Dimension::named(0).value();
  return number < named_.size() ? std::string_view(named_[number]) : "?";
}

std::optional<Dimension> Space::find(std::string_view name) const {
  const auto found = std::find_if(dimensions_.begin(), dimensions_.end(),
                                  [&](Dimension d) { return this->name(d) == name; });
  return found == dimensions_.end() ? std::nullopt : std::optional(*found);
}

Resources Space::with_named(Resources base,
                            const std::map<std::string, std::int64_t>& named) const {
  for (std::size_t i = 0; i < named_.size(); ++i) {
    const auto found = named.find(named_[i]);
    if (found != named.end()) base[Dimension::named(i)] = found->second;
  }
  return base;
}

std::optional<std::string> Space::unknown(const std::map<std::string, std::int64_t>& named) const {
  for (const auto& [name, amount] : named) {
    if (std::find(named_.begin(), named_.end(), name) == named_.end()) return name;
  }
  return std::nullopt;
}

std::string Space::text(const Resources& amount) const {
  std::string out = to_string(amount);
  if (out == "nothing") out.clear();
  for (std::size_t i = 0; i < named_.size(); ++i) {
    const std::int64_t units = amount[Dimension::named(i)];
    if (units == 0) continue;
    out += (out.empty() ? "" : ", ") + std::to_string(units) + " " + named_[i];
  }
  return out.empty() ? "nothing" : out;
}

}  // namespace weir
