// Small words of the mappings of views (wire_views.h).
#pragma once

#include <optional>

#include "common_types.h"
#include "jobqueue/model/ids.h"

namespace weir {

template <class T>
std::optional<T> if_set(bool is_set, const T& value) {
  return is_set ? std::optional<T>(value) : std::nullopt;
}

inline wire::TaskKind::type kind_to_wire(TaskKind kind) {
  return kind == TaskKind::kMap ? wire::TaskKind::MAP : wire::TaskKind::REDUCE;
}
inline TaskKind kind_of(wire::TaskKind::type kind) {
  return kind == wire::TaskKind::MAP ? TaskKind::kMap : TaskKind::kReduce;
}

}  // namespace weir
