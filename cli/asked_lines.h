// What a job runs, as lines of `weir job status`. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "views/asked_view.h"

namespace weir::cli {

// None: it is not known any more, which is a line, too.
std::string asked_lines(const std::optional<AskedView>& asked, std::size_t width);

}  // namespace weir::cli
