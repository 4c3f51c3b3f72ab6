#include "tracker/tasktracker/attempt_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "tracker/tasktracker/leftovers.h"
#include "tracker/tasktracker/task_environment.h"
#include "tracker/tasktracker/task_spec_codec.h"

namespace weir::tasktracker {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr int kReportFd = 3;

// Tasks can read it; what they may not see is not in it. Sanitizers take their options from there.
std::vector<std::string> runner_environment(const TaskSpec& spec, const std::string& mark) {
  auto entries = passed_on(spec.settings.environment);
  std::erase_if(entries, [](const std::string& entry) {
    return entry.starts_with(std::string(kWorkDirVariable) + "=");
  });
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    if (text.substr(0, text.find('=')).ends_with("SAN_OPTIONS")) entries.emplace_back(text);
  }
  entries.push_back(mark);
  return entries;
}

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace

Result<std::shared_ptr<AttemptProcess>> AttemptProcess::start(asio::io_context& io,
                                                              const LaunchPlan& plan,
                                                              Handlers handlers) {
  const TaskSpec& spec = plan.spec;
  // Another task may have been there before: nothing of what it left is opened.
  for (const std::string& path : {spec.attempt_dir, spec.log_dir, spec.map_output_dir}) {
    if (path.empty()) continue;
    if (auto made = make_fresh_directory(path); !made) return made.error();
  }
  const std::string spec_path = spec.attempt_dir + "/task";
  if (auto written = write_whole_file(spec_path, encode_task_spec(spec)); !written)
    return written.error();
  std::shared_ptr<AttemptProcess> process(new AttemptProcess(io, plan.group, std::move(handlers)));
  if (auto spawned = process->spawn(plan, spec_path); !spawned) return spawned.error();
  process->read_reports();
  return process;
}

Status AttemptProcess::spawn(const LaunchPlan& plan, const std::string& spec_path) {
  auto commands = make_pipe(), reports = make_pipe();
  if (!commands) return commands.error();
  if (!reports) return reports.error();
  auto log = open_untrusted(plan.spec.log_dir + "/syslog", O_WRONLY | O_CREAT | O_APPEND);
  if (!log) return log.error();
  FileActions actions;
  ::posix_spawn_file_actions_adddup2(actions.get(), commands->read_end.get(), 0);
  ::posix_spawn_file_actions_adddup2(actions.get(), reports->write_end.get(), kReportFd);
  ::posix_spawn_file_actions_adddup2(actions.get(), log->get(), 1);
  ::posix_spawn_file_actions_adddup2(actions.get(), 1, 2);
  ::posix_spawn_file_actions_addclosefrom_np(actions.get(), kReportFd + 1);
  const std::string mark = std::string(kWorkDirVariable) + "=" + plan.work_dir;
  const auto variables = runner_environment(plan.spec, mark);
  std::vector<char*> environment;
  for (const std::string& entry : variables)
    environment.push_back(const_cast<char*>(entry.c_str()));
  environment.push_back(nullptr);
  const char* arguments[] = {plan.runner.c_str(), "run-task", spec_path.c_str(), nullptr};
  const Attributes attributes;
  const int problem = ::posix_spawn(&pid_, plan.runner.c_str(), actions.get(), attributes.get(),
                                    const_cast<char* const*>(arguments), environment.data());
  if (problem != 0) return system_error("starting " + plan.runner, problem);
  // May fail when a short task has already ended and removed its directory; the mark in the
  // environment does as well.
  (void)record_process(plan.spec.attempt_dir, pid_).ok();
  commands_.assign(commands->write_end.release());
  reports_.assign(reports->read_end.release());
  return Ok{};
}

void AttemptProcess::read_reports() {
  reports_.async_read_some(asio::buffer(bytes_),
                           [self = shared_from_this()](error_code error, std::size_t size) {
                             if (error) {
                               self->reports_over_ = true;
                               return self->check_over();
                             }
                             self->decoder_.feed({self->bytes_, size});
                             while (self->damage_.empty()) {
                               auto report = self->decoder_.next();
                               if (!report) {
                                 self->damage_ = report.error().message;
                                 self->kill();
                               } else if (!*report) {
                                 break;
                               } else if (self->handlers_.report) {
                                 self->handlers_.report(std::move(**report));
                               }
                             }
                             self->read_reports();
                           });
}

void AttemptProcess::send(std::string command) {
  queued_ += command;
  if (writing_.empty()) write_commands();
}

void AttemptProcess::write_commands() {
  writing_ = std::exchange(queued_, {});
  if (writing_.empty()) return;
  asio::async_write(
      commands_, asio::buffer(writing_),
      [self = shared_from_this()](error_code error, std::size_t) {
        self->writing_.clear();
        if (!error) self->write_commands();  // otherwise the process is gone, which shows elsewhere
      });
}

void AttemptProcess::kill() {
  if (!reaped_) ::kill(pid_, SIGKILL);
}

bool AttemptProcess::reap() {
  if (reaped_) return false;
  reaped_ = ::waitpid(pid_, &wait_status_, WNOHANG) == pid_;
  // Whoever has left the session, or was orphaned twice over, is still in the group.
  if (reaped_) emptied_ = group_.kill_all();
  return reaped_;
}

bool AttemptProcess::ended_by_itself() const {
  return reaped_ && WIFEXITED(wait_status_);
}

void AttemptProcess::finish() {
  swept_ = true;
  check_over();
}

void AttemptProcess::check_over() {
  if (!swept_ || !reports_over_ || !handlers_.over) return;
  std::string how;
  if (!damage_.empty()) {
    how = "was killed (" + damage_ + ")";
  } else if (WIFEXITED(wait_status_)) {
    how = "exited with status " + std::to_string(WEXITSTATUS(wait_status_));
  } else {
    how = std::string("was ended by signal ") + ::strsignal(WTERMSIG(wait_status_));
  }
  error_code ignored;
  commands_.close(ignored);
  const auto over = std::exchange(handlers_, {}).over;
  over(how);
}

}  // namespace weir::tasktracker
