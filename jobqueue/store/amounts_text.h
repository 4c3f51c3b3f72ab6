// Resources as text for a column: amounts by dimension, "0 0 1024 1", without the zeros at the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "jobqueue/model/resources.h"

namespace weir {

std::string amounts_text(const Resources& amounts);
std::optional<Resources> parse_amounts(std::string_view text);

}  // namespace weir
