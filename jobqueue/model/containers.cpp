#include "jobqueue/model/containers.h"

#include <algorithm>

namespace weir {
namespace {

constexpr Dimension kRounded[] = {Dimension::kMemoryMb, Dimension::kVcores};

Resources asked_by(const JobSpec& spec, TaskKind kind, const ResourceSettings& settings,
                   const Space& space) {
  Resources asked;
  if (is_group(kind)) {
    const Asked& said = spec.task_groups[group_number(kind)].asked;
    asked[Dimension::kMemoryMb] = said.memory_mb;
    asked[Dimension::kVcores] = said.vcores;
    return space.with_named(asked, said.named);
  }
  const Resources& said = spec.need[index(kind)];
  const Resources& unsaid = kind == TaskKind::kMap ? settings.map : settings.reduce;
  for (const Dimension d : kRounded) {
    asked[d] = said[d] > 0 ? said[d] : unsaid[d] * std::max<std::int64_t>(said.slots(kind), 1);
  }
  return asked;
}

}  // namespace

std::string what_asks(const JobSpec& spec, TaskKind kind) {
  if (is_group(kind)) return "a task of group " + spec.task_groups[group_number(kind)].name;
  return std::string("a ") + name(kind) + " of this job";
}

Resources rounded_container(const Resources& asked, const ResourceSettings& settings) {
  Resources out = asked;
  for (const Dimension d : kRounded) {
    const std::int64_t step = std::max<std::int64_t>(settings.increment[d], 1);
    out[d] = (std::max(asked[d], settings.minimum[d]) + step - 1) / step * step;
  }
  return out;
}

std::vector<Resources> containers_of(const JobSpec& spec, const ResourceSettings& settings,
                                     const Space& space) {
  std::vector<Resources> containers;
  for (const TaskKind kind : spec.kinds())
    containers.push_back(rounded_container(asked_by(spec, kind, settings, space), settings));
  return containers;
}

void name_again(std::vector<Resources>& containers, const JobSpec& spec, const Space& space) {
  std::size_t place = 0;
  for (const TaskKind kind : spec.kinds()) {
    if (place == containers.size()) return;
    Resources& container = containers[place++];
    for (std::size_t i = 0; i < kNamedCount; ++i) container[Dimension::named(i)] = 0;
    if (is_group(kind))
      container = space.with_named(container, spec.task_groups[group_number(kind)].asked.named);
  }
}

std::optional<std::string> unnamed_resource(const JobSpec& spec, const Space& space) {
  for (const TaskGroupSpec& group : spec.task_groups) {
    if (auto unknown = space.unknown(group.asked.named)) return unknown;
  }
  return std::nullopt;
}

Status check_containers(const JobSpec& spec, const ResourceSettings& settings, const Space& space) {
  for (const TaskGroupSpec& group : spec.task_groups) {
    const auto unknown = space.unknown(group.asked.named);
    if (!unknown) continue;
    std::string known;
    for (const std::string& name : settings.named) known += (known.empty() ? "" : ", ") + name;
    return Error{ErrorCode::kBadRequest,
                 "group " + group.name + ": there is no resource '" + *unknown + "'",
                 known.empty() ? "the settings name none (containers.resources)"
                               : "allowed: " + known};
  }
  if (!settings.maximum) return Ok{};
  const std::vector<Resources> containers = containers_of(spec, settings, space);
  std::size_t place = 0;
  for (const TaskKind kind : spec.kinds()) {
    const Resources& container = containers[place++];
    if (spec.tasks(kind) == 0) continue;
    for (const Dimension d : kRounded) {
      if ((*settings.maximum)[d] == 0 || container[d] <= (*settings.maximum)[d]) continue;
      return Error{ErrorCode::kBadRequest,
                   what_asks(spec, kind) + " takes " + space.text(container) +
                       ", more than containers.maximum",
                   "allowed: " + space.text(*settings.maximum)};
    }
  }
  return Ok{};
}

}  // namespace weir
