// Jobs have the names that their scenario or trace gave them (J1), everywhere outside the engine:
// tasks read J1/m0, J1/r12, of an application's group J1/ps.0. The names are learned from the
// submissions themselves, so whoever needs one during a step has it. Names are unique; a refused
// job's name is free again. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/observer.h"

namespace weir {

class JobNames : public Observer {
 public:
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  bool events_only() const override { return true; }

  const std::string& name(JobId job) const;
  std::optional<JobId> find(const std::string& name) const;
  std::string spell(const TaskKey& task) const;  // J1/m0
  // The group of an application by its name.
  std::optional<TaskKind> find_group(JobId job, std::string_view group) const;
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;                // by JobId
  std::vector<std::vector<std::string>> groups_;  // likewise, of applications
  std::map<std::string, JobId, std::less<>> by_name_;
};

// J1/m0, J1/ps.0, or J1/m0/2 for its attempt number 2. The job's name is what comes before.
struct TaskName {
  std::string job;
  TaskKind kind = TaskKind::kMap;
  std::string group;  // of an application; then `kind` says nothing
  std::uint32_t index = 0;
  std::optional<std::uint32_t> attempt;
};
std::optional<TaskName> parse_task_name(std::string_view text);

}  // namespace weir
