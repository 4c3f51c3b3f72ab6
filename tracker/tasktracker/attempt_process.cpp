#include "tracker/tasktracker/attempt_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "tracker/tasktracker/process_table.h"
#include "tracker/tasktracker/run_task.h"
#include "tracker/tasktracker/task_line.h"

namespace weir::tasktracker {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// What the process says of itself (its stdout and stderr), mostly nothing: a file is made of it
// when it has ended, if there is anything. No more fits than this.
constexpr off_t kMostNoteBytes = 64 * 1024;

Result<UniqueFd> memory_for_notes() {
  UniqueFd memory(::memfd_create("syslog", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.valid() || ::ftruncate(memory.get(), kMostNoteBytes) != 0 ||
      ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    return system_error("memory for the attempt's notes");
  return memory;
}

// By its group; without one by its children, of which everybody whom it has started is one, or
// below one: it adopts orphans. A process that says so may be wrong.
bool is_alone(pid_t process, const AttemptCgroup& group) {
  return group.directories.empty() ? is_childless(process) : group.has_only(process);
}

// Written so far: the process writes by the same descriptor.
std::string notes_in(int memory) {
  const off_t end = ::lseek(memory, 0, SEEK_CUR);
  if (end <= 0) return "";
  std::string notes(static_cast<std::size_t>(std::min(end, kMostNoteBytes)), '\0');
  return read_exactly_at(memory, notes, 0, "notes").ok() ? notes : "";
}

}  // namespace

Result<std::shared_ptr<AttemptProcess>> AttemptProcess::start(asio::io_context& io,
                                                              AttemptStarter& starter,
                                                              const LaunchPlan& plan,
                                                              Handlers handlers) {
  const TaskSpec& spec = plan.spec;
  // Another task may have been there before: nothing of what it left is opened.
  if (!spec.map_output_dir.empty()) {
    if (auto made = make_fresh_directory(spec.map_output_dir); !made) return made.error();
  }
  std::shared_ptr<AttemptProcess> process(new AttemptProcess(io, plan.group, std::move(handlers)));
  if (auto spawned = process->spawn(starter, spec); !spawned) return spawned.error();
  process->read_reports();
  return process;
}

Status AttemptProcess::spawn(AttemptStarter& starter, const TaskSpec& spec) {
  auto commands = make_pipe(), reports = make_pipe();
  if (!commands) return commands.error();
  if (!reports) return reports.error();
  auto notes = memory_for_notes();
  if (!notes) return notes.error();
  const auto started =
      starter.start({commands->read_end.get(), reports->write_end.get(), notes->get()});
  if (!started) return started.error();
  pid_ = *started;
  notes_ = std::move(*notes);
  notes_path_ = spec.log_dir + "/syslog";
  commands_.assign(commands->write_end.release());
  reports_.assign(reports->read_end.release());
  send(task_command(spec));
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
                               } else if (const auto tell = self->handlers_.report) {
                                 tell(std::move(**report));  // after which it may be another's
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
  killed_ = true;
  if (!reaped_) ::kill(pid_, SIGKILL);
}

bool AttemptProcess::rest() {
  if (killed_ || reaped_ || reports_over_ || !damage_.empty()) return false;
  if (::lseek(notes_.get(), 0, SEEK_CUR) != 0 || !is_alone(pid_, group_)) return false;
  handlers_ = {};
  return true;
}

bool AttemptProcess::go_on(const TaskSpec& spec, Handlers handlers) {
  if (killed_ || reaped_ || reports_over_ || !damage_.empty()) return false;
  handlers_ = std::move(handlers);
  notes_path_ = spec.log_dir + "/syslog";
  send(task_command(spec));
  return true;
}

bool AttemptProcess::reap() {
  if (reaped_) return false;
  reaped_ = ::waitpid(pid_, &wait_status_, WNOHANG) == pid_;
  // Whoever has left the session, or was orphaned twice over, is still in the group.
  if (reaped_) left_nobody_ = group_.is_empty();
  if (reaped_ && !left_nobody_) emptied_ = group_.kill_all();
  return reaped_;
}

bool AttemptProcess::ended_by_itself() const {
  return reaped_ && WIFEXITED(wait_status_);
}

bool AttemptProcess::left_scratch_empty() const {
  return ended_by_itself() && WEXITSTATUS(wait_status_) == kLeftScratchEmpty;
}

void AttemptProcess::finish() {
  swept_ = true;
  check_over();
}

void AttemptProcess::keep_notes() {
  const std::string notes = notes_in(notes_.get());
  if (notes.empty()) return;
  auto file = create_anew(notes_path_);
  if (file) (void)write_all(file->get(), notes, notes_path_).ok();
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
  keep_notes();
  error_code ignored;
  commands_.close(ignored);
  const auto over = std::exchange(handlers_, {}).over;
  over(how);
}

}  // namespace weir::tasktracker
