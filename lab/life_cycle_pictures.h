// The life cycles (jobqueue/model/life_cycles.h) as pictures: Mermaid's state diagrams, which web
// pages draw and which read as text elsewhere, one line a change. docs/life-cycles.md has one of
// each. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "jobqueue/model/life_cycles.h"
#include "jobqueue/model/result.h"

namespace weir::cli {

std::string mermaid(const life::Drawn& cycle);

// The text with its pictures as the tables are now. An error if it has none of some life cycle.
Result<std::string> redrawn(std::string text);

}  // namespace weir::cli
