#include "tracker/tasktracker/run_task.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "tracker/tasktracker/isolation.h"
#include "tracker/tasktracker/job_files.h"
#include "tracker/tasktracker/task_context.h"
#include "tracker/tasktracker/task_environment.h"
#include "tracker/tasktracker/task_output.h"
#include "tracker/tasktracker/task_spec_codec.h"

namespace weir {
namespace tasktracker {
namespace {

constexpr int kReportFd = 3;
constexpr std::size_t kMostSpecBytes = 32u << 20;

Status run(TaskContext& task) {
  try {
    const std::string work = task.spec.attempt_dir + "/work";
    for (const std::string& path : {work, temporary_dir(task.spec)}) {
      if (auto made = make_directories(path); !made) return made;
    }
    if (auto written = write_job_files(work, task.spec.files); !written) return written;
    return task.spec.is_map() ? run_map(task) : run_reduce(task);
  } catch (const std::exception& problem) {
    // Out of memory, above all: the edge of the task's code.
    return data_error(std::string("task: ") + problem.what());
  }
}

int run_attempt(const TaskSpec& spec, UniqueFd commands, UniqueFd reports) {
  const Status confined = confine_attempt(spec);  // while there is one thread
  TaskControl control(spec.id, std::move(commands), std::move(reports), spec.compute_granted);
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
    if (!spec.is_map() || spec.map_only()) (void)remove_tree(task_output_dir(spec)).ok();
  }
  (void)remove_tree(spec.attempt_dir).ok();
  if (outcome.ok()) {
    control.report_end(ReportedState::kSucceeded, "");
  } else {
    control.report_end(ReportedState::kFailed, outcome.error().message);
  }
  // Nothing is left to tidy, and leaving at once saves the time of tearing down.
  ::_exit(0);
}

}  // namespace
}  // namespace tasktracker

int run_task_main(const std::string& spec_path) {
  using namespace tasktracker;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a limit of the tracker's own is an error of the write that met it
  UniqueFd commands(::fcntl(0, F_DUPFD_CLOEXEC, 4));
  if (!commands.valid() || ::fcntl(kReportFd, F_SETFD, FD_CLOEXEC) != 0) {
    std::fprintf(stderr,
                 "run-task: is started by a tracker, with its pipes; not meant for people\n");
    return 2;
  }
  UniqueFd reports(kReportFd);
  if (const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC); null >= 0) {
    ::dup2(null, 0);
    ::close(null);
  }
  const auto text = read_whole_file(spec_path, kMostSpecBytes);
  if (!text) {
    std::fprintf(stderr, "run-task: %s\n", text.error().message.c_str());
    return 2;
  }
  const auto spec = decode_task_spec(*text);
  if (!spec) {
    std::fprintf(stderr, "run-task: %s: %s\n", spec_path.c_str(), spec.error().message.c_str());
    return 2;
  }
  return run_attempt(*spec, std::move(commands), std::move(reports));
}

}  // namespace weir
