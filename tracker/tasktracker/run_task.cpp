#include "tracker/tasktracker/run_task.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "tracker/tasktracker/isolation.h"
#include "tracker/tasktracker/job_files.h"
#include "tracker/tasktracker/scratch.h"
#include "tracker/tasktracker/task_context.h"
#include "tracker/tasktracker/task_environment.h"
#include "tracker/tasktracker/task_output.h"
#include "tracker/tasktracker/task_spec_codec.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kMostSpecBytes = 32u << 20;

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

[[noreturn]] void run_attempt(const TaskSpec& spec, UniqueFd commands, UniqueFd reports) {
  const Status confined = confine_attempt(spec);  // while there is one thread
  const bool one_command = spec.of_application() || (spec.is_map() && spec.map_only());
  using Served = TaskControl::Served;
  TaskControl control(spec.id, std::move(commands), std::move(reports), spec.compute_granted,
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
  if (outcome.ok()) {
    control.report_end(ReportedState::kSucceeded, "");
  } else {
    control.report_end(ReportedState::kFailed, outcome.error().message);
  }
  // Nothing is left to tidy, and leaving at once saves the time of tearing down.
  ::_exit(emptied ? kLeftScratchEmpty : kLeftScratch);
}

Result<std::string> description_in(int file) {
  struct stat there {};
  if (::fstat(file, &there) != 0) return system_error("description");
  const auto size = static_cast<std::size_t>(there.st_size);
  if (size > kMostSpecBytes) return data_error("description of " + std::to_string(size) + " bytes");
  std::string text(size, '\0');
  if (auto read = read_exactly_at(file, text, 0, "description"); !read) return read.error();
  return text;
}

[[noreturn]] void end_with(const std::string& what) {
  std::fprintf(stderr, "task: %s\n", what.c_str());
  ::_exit(2);
}

}  // namespace

void run_task(TaskDescriptors descriptors) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a limit of the tracker's own is an error of the write that met it
  ::dup2(descriptors.log.get(), 1);
  ::dup2(descriptors.log.get(), 2);
  descriptors.log.reset();
  const auto text = description_in(descriptors.spec.get());
  if (!text) end_with(text.error().message);
  descriptors.spec.reset();
  const auto spec = decode_task_spec(*text);
  if (!spec) end_with(spec.error().message);
  // As people see it in `ps`: m_000012_0.
  const std::string name = attempt_name(spec->id);
  ::prctl(PR_SET_NAME, name.substr(name.find('_', name.find('_') + 1) + 1).c_str());
  run_attempt(*spec, std::move(descriptors.commands), std::move(descriptors.reports));
}

}  // namespace weir::tasktracker
