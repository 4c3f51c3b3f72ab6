// What is absent, is null.
#pragma once

#include <optional>

#include "views/json/json.h"

namespace weir {

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace weir
