#include "sim/job_names.h"

#include <algorithm>
#include <charconv>

#include "jobqueue/model/check.h"

namespace weir {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void JobNames::on_step(const Engine&, const Input&, const Output& output) {
  for (const Event& event : output.events) {
    const auto* submitted = fact_as<JobSubmitted>(event.fact);
    if (submitted == nullptr) continue;
    if (names_.size() <= submitted->job.index()) {
      names_.resize(submitted->job.index() + 1);
      groups_.resize(names_.size());
    }
    names_[submitted->job.index()] = submitted->spec->name;
    for (const TaskGroupSpec& group : submitted->spec->task_groups)
      groups_[submitted->job.index()].push_back(group.name);
    by_name_[submitted->spec->name] = submitted->job;
  }
}

const std::string& JobNames::name(JobId job) const {
  WEIR_CHECK(job.index() < names_.size(), "every job was submitted under a name");
  return names_[job.index()];
}

std::optional<JobId> JobNames::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::string JobNames::spell(const TaskKey& task) const {
  const std::string index = std::to_string(task.index);
  if (!is_group(task.kind)) return name(task.job) + "/" + weir::name(task.kind)[0] + index;
  return name(task.job) + "/" + groups_[task.job.index()][group_number(task.kind)] + "." + index;
}

std::optional<TaskKind> JobNames::find_group(JobId job, std::string_view group) const {
  const std::vector<std::string>& groups = groups_[job.index()];
  const auto found = std::find(groups.begin(), groups.end(), group);
  if (found == groups.end()) return std::nullopt;
  return group_kind(static_cast<std::size_t>(found - groups.begin()));
}

std::optional<TaskName> parse_task_name(std::string_view text) {
  TaskName result;
  std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  if (const auto attempt = number(text.substr(slash + 1))) {
    result.attempt = attempt;
    text = text.substr(0, slash);
    slash = text.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
  }
  const std::string_view task = text.substr(slash + 1);
  if (slash == 0 || task.size() < 2) return std::nullopt;
  if (const std::size_t dot = task.rfind('.'); dot != std::string_view::npos && dot > 0) {
    const auto index = number(task.substr(dot + 1));
    if (!index) return std::nullopt;
    result.job = text.substr(0, slash);
    result.group = task.substr(0, dot);
    result.index = *index;
    return result;
  }
  if (task[0] != 'm' && task[0] != 'r') return std::nullopt;
  const auto index = number(task.substr(1));
  if (!index) return std::nullopt;
  result.job = text.substr(0, slash);
  result.kind = task[0] == 'm' ? TaskKind::kMap : TaskKind::kReduce;
  result.index = *index;
  return result;
}

}  // namespace weir
