#include "tracker/tasktracker/run_task.h"

#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

#include "tracker/tasktracker/isolation.h"
#include "tracker/tasktracker/job_files.h"
#include "tracker/tasktracker/scratch.h"
#include "tracker/tasktracker/task_context.h"
#include "tracker/tasktracker/task_environment.h"
#include "tracker/tasktracker/task_output.h"

namespace weir::tasktracker {
namespace {

Status run(TaskContext& task) {
  try {
    const std::string work = task.spec.attempt_dir + "/work";
    if (auto written = write_job_files(work, task.spec.files); !written) return written;
    if (task.spec.of_application()) return run_application(task);
    return task.spec.is_map() ? run_map(task) : run_reduce(task);
  } catch (const std::exception& problem) {
    // Out of memory, above all: the edge of the task's code.
    return data_error(std::string("task: ") + problem.what());
  }
}

// Nothing of the task is left but what was to be.
bool may_go_on(const TaskSpec& spec, const StderrSink& errors, bool emptied) {
  return spec.may_be_followed() && emptied && !errors.has_logged();
}

// Returns if its process goes on.
TaskLine run_attempt(const TaskSpec& spec, TaskLine line, const Status& confined) {
  const bool one_command = spec.of_application() || (spec.is_map() && spec.map_only());
  using Served = TaskControl::Served;
  TaskControl control(spec.id, std::move(line), spec.compute_granted,
                      one_command ? Served::kByCaller : Served::kByThread);
  StderrSink::Handlers handlers;
  handlers.counter = [&control](std::string_view group, std::string_view name,
                                std::int64_t amount) { control.add_counter(group, name, amount); };
  handlers.status = [&control](std::string_view text) { control.set_status(text); };
  StderrSink errors(spec.log_dir + "/stderr", spec.log_stream_mb << 20, std::move(handlers));
  TaskContext task{spec, control, errors, task_environment(spec)};
  const Status outcome = confined.ok() ? run(task) : confined;
  end_all_commands();
  if (!outcome.ok()) {
    std::fprintf(stderr, "%s: failed: %s\n", attempt_name(spec.id).c_str(),
                 outcome.error().message.c_str());
    if (!spec.map_output_dir.empty()) (void)remove_tree(spec.map_output_dir).ok();
    if (spec.publishes()) remove_unpublished(output_of(spec), spec.id);
  }
  const bool emptied = empty_scratch(spec.attempt_dir);
  using After = TaskControl::After;
  if (outcome.ok()) {
    const bool goes_on = may_go_on(spec, errors, emptied);
    control.report_end(ReportedState::kSucceeded, "", goes_on ? After::kGoesOn : After::kEnds);
    if (goes_on) return control.give_line();
  } else {
    control.report_end(ReportedState::kFailed, outcome.error().message);
  }
  // Nothing is left to tidy, and leaving at once saves the time of tearing down.
  ::_exit(emptied ? kLeftScratchEmpty : kLeftScratch);
}

[[noreturn]] void end_with(const std::string& what) {
  std::fprintf(stderr, "task: %s\n", what.c_str());
  ::_exit(2);
}

// Buffers of one task are the next one's: to give them back and take them again costs a
// twentieth of a short task.
void keep_memory() {
  constexpr int kLargest = 1 << 20, kAtMost = 4 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLargest);
  ::mallopt(M_TRIM_THRESHOLD, kAtMost);
}

// As people see it in `ps`: m_000012_0.
void show_name(const AttemptKey& attempt) {
  const std::string name = attempt_name(attempt);
  ::prctl(PR_SET_NAME, name.substr(name.find('_', name.find('_') + 1) + 1).c_str());
}

}  // namespace

void run_task(TaskDescriptors descriptors) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // A limit of the tracker's own is an error of the write that met it.
  for (const int each : kIgnoredSignals) ::signal(each, SIG_IGN);
  ::dup2(descriptors.log.get(), 1);
  ::dup2(descriptors.log.get(), 2);
  descriptors.log.reset();
  TaskLine line{std::move(descriptors.commands), std::move(descriptors.reports), ""};
  std::optional<TaskSpec> before;
  for (;;) {
    auto spec = next_task(line);
    if (!spec) end_with(spec.error().message);
    if (!*spec && before) ::_exit(kLeftScratchEmpty);
    if (!*spec) end_with("was not told what to do");
    show_name((*spec)->id);
    if (!before && (*spec)->may_be_followed()) keep_memory();
    const Status confined = before ? confine_next(*before, **spec) : confine_attempt(**spec);
    if (before) start_commands_again();
    line = run_attempt(**spec, std::move(line), confined);
    before = std::move(*spec);
  }
}

}  // namespace weir::tasktracker
