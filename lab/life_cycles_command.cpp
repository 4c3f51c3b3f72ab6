#include "lab/life_cycles_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/json.h"
#include "lab/life_cycle_pictures.h"

namespace weir::cli {
namespace {

int print_life_cycles(Context& context) {
  Json list = Json::array();
  for (const life::Drawn& cycle : life::all()) {
    Json edges = Json::array();
    for (const life::Edge& edge : cycle.edges) {
      edges.push_back({{"from", edge.from}, {"to", edge.to}, {"when", edge.when}});
    }
    list.push_back({{"life_cycle", cycle.name}, {"transitions", std::move(edges)}});
    if (!context.json()) context.out << mermaid(cycle) << "\n";
  }
  if (context.json()) print_json(context.out, list);
  return kExitDone;
}

int redraw(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) {
    throw wrong_use(fmt::format("{}: cannot be read: {}", printable(name), std::strerror(errno)));
  }
  const auto drawn = redrawn(text);
  if (!drawn) {
    throw wrong_use(fmt::format("{}: {}; {}", printable(name), drawn.error().message,
                                drawn.error().hint));
  }
  std::ofstream out(name, std::ios::binary | std::ios::trunc);
  out << *drawn << std::flush;
  if (out) return kExitDone;
  throw wrong_use(fmt::format("{}: cannot be written: {}", printable(name), std::strerror(errno)));
}

}  // namespace

void add_life_cycles_command(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "life-cycles", "how jobs, tasks, attempts, trackers and claims change, as pictures");
  const auto file = std::make_shared<std::string>();
  command->add_option("--redraw", *file, "draw the pictures in this file again, in their places");
  add_output_option(*command, context);
  command->footer(
      "Pictures are Mermaid's state diagrams; what they show: docs/life-cycles.md.\n\n"
      "Examples:\n"
      "  weir-lab life-cycles\n"
      "  weir-lab life-cycles -o json\n"
      "  weir-lab life-cycles --redraw docs/life-cycles.md");
  command->callback([&context, file] {
    context.action = [&context, file] {
      return file->empty() ? print_life_cycles(context) : redraw(*file);
    };
  });
}

}  // namespace weir::cli
