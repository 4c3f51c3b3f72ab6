#include "lab/life_cycle_pictures.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::cli {
namespace {

// How a picture begins: so it is found again.
std::string head(const life::Drawn& cycle) {
  return fmt::format("```mermaid\nstateDiagram-v2\n  %% {}\n", cycle.name);
}

constexpr std::string_view kFoot = "```\n";

}  // namespace

std::string mermaid(const life::Drawn& cycle) {
  std::size_t from = 0;
  std::size_t to = 0;
  for (const life::Edge& edge : cycle.edges) {
    from = std::max(from, std::string_view(edge.from).size());
    to = std::max(to, std::string_view(edge.to).size());
  }
  std::string out = head(cycle);
  for (const life::Edge& edge : cycle.edges) {
    out += fmt::format("  {:{}} --> {:{}} : {}\n", edge.from, from, edge.to, to, edge.when);
  }
  return out.append(kFoot);
}

Result<std::string> redrawn(std::string text) {
  for (const life::Drawn& cycle : life::all()) {
    const std::size_t begin = text.find(head(cycle));
    const std::size_t end = begin == std::string::npos ? begin : text.find(kFoot, begin + 1);
    if (end == std::string::npos) {
      return Error{ErrorCode::kBadRequest,
                   fmt::format("there is no picture of the life cycle '{}'", cycle.name),
                   "put one there, as `weir-lab life-cycles` prints it"};
    }
    text.replace(begin, end + kFoot.size() - begin, mermaid(cycle));
  }
  return text;
}

}  // namespace weir::cli
