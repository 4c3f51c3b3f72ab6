#include "cli/asked_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/format.h"
#include "cli/table.h"
#include "jobqueue/model/counted.h"

namespace weir::cli {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kPathsShown = 3;

void add(Lines& lines, const char* name, const std::string& text) {
  if (!text.empty()) lines.emplace_back(name, printable_line(text));
}

void add_values(Lines& lines, const std::string& name,
                const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values)
    lines.emplace_back(name, fmt::format("{}={}", printable(key), printable_line(value)));
}

std::string input_of(const JobSpec& spec) {
  const auto& paths = spec.origin.input.empty() ? spec.input_files : spec.origin.input;
  std::string out;
  for (std::size_t i = 0; i < std::min(paths.size(), kPathsShown); ++i)
    out += (i > 0 ? ", " : "") + printable(paths[i]);
  if (paths.size() > kPathsShown) out += fmt::format(" and {} more", paths.size() - kPathsShown);
  out += fmt::format(" ({}", counted(spec.origin.files, "file"));
  if (spec.origin.split_bytes > 0)
    out += fmt::format(", {} a map", short_bytes(spec.origin.split_bytes));
  if (spec.origin.combine_bytes)
    out += fmt::format(", small ones together up to {}", short_bytes(*spec.origin.combine_bytes));
  return out + ")";
}

std::string memory_of(const JobSpec& spec) {
  const auto of = [&spec](TaskKind kind) {
    const std::int64_t mb = spec.need[index(kind)][Dimension::kMemoryMb];
    return mb > 0 ? fmt::format("{} MB", mb) : std::string("as the tracker has it");
  };
  std::string out = fmt::format("map {}", of(TaskKind::kMap));
  if (spec.reduces > 0) out += fmt::format(", reduce {}", of(TaskKind::kReduce));
  return out + fmt::format(", sort buffer {} MB", spec.sort_memory_mb);
}

void add_mapreduce(Lines& lines, const JobSpec& spec) {
  add(lines, "mapper", spec.mapper);
  add(lines, "combiner", spec.combiner);
  if (spec.reduces > 0) add(lines, "reducer", spec.reducer);
  lines.emplace_back("input", input_of(spec));
  lines.emplace_back("memory", memory_of(spec));
  lines.emplace_back("limits",
                     fmt::format("{} a task, {}", counted(spec.max_attempts, "attempt"),
                                 spec.task_timeout_ms > 0
                                     ? short_duration(spec.task_timeout_ms) + " without progress"
                                     : std::string("none without progress")));
}

std::string asked_of(const TaskGroupSpec& group) {
  std::vector<std::string> parts = {fmt::format("{} x", group.count)};
  if (group.asked.memory_mb > 0) parts.push_back(fmt::format("{} MB", group.asked.memory_mb));
  if (group.asked.vcores > 0) parts.push_back(counted(group.asked.vcores, "vcore"));
  for (const auto& [resource, amount] : group.asked.named)
    parts.push_back(fmt::format("{} {}", amount, printable(resource)));
  if (group.gang > 0) parts.push_back(fmt::format("gang of {}", group.gang));
  if (group.replace) parts.emplace_back("on_member: replace");
  if (group.ports > 0) parts.push_back(counted(group.ports, "port"));
  if (const auto& spread = group.spread) {
    parts.push_back(fmt::format("spread by {}, max_skew {}", printable(spread->by),
                                spread->max_skew));
  }
  if (group.time_limit_ms > 0)
    parts.push_back("time_limit " + short_duration(group.time_limit_ms));
  for (const Requirement& asked : group.require) {
    parts.push_back(printable(fmt::format("{}={}{}", asked.label, asked.none_of ? "!" : "",
                                          fmt::join(asked.values, ","))));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

void add_application(Lines& lines, const JobSpec& spec) {
  for (const TaskGroupSpec& group : spec.task_groups) {
    lines.emplace_back("group " + group.name,
                       asked_of(group) + ": " + printable_line(group.command));
    add_values(lines, group.name + " env", group.environment);
  }
}

}  // namespace

std::string asked_lines(const std::optional<AskedView>& asked, std::size_t width) {
  if (!asked) return property_lines({{"runs", "what it was submitted with is not kept any more"}});
  const JobSpec& spec = asked->spec;
  Lines lines;
  if (spec.application()) {
    add_application(lines, spec);
  } else {
    add_mapreduce(lines, spec);
  }
  add_values(lines, "conf", spec.conf);
  add_values(lines, "env", spec.environment);
  add(lines, "directory", spec.working_directory);
  for (const JobFile& file : spec.files) {
    const std::int64_t bytes = file.left_out + static_cast<std::int64_t>(file.content.size());
    lines.emplace_back("file", fmt::format("{} ({})", printable(file.name), short_bytes(bytes)));
  }
  lines.emplace_back("from", fmt::format("{}{}", printable(spec.user),
                                         spec.origin.address.empty()
                                             ? std::string()
                                             : " at " + printable(spec.origin.address)));
  return property_lines(lines, width);
}

}  // namespace weir::cli
