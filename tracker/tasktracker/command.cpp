#include "tracker/tasktracker/command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#include "tracker/tasktracker/plain_command.h"
#include "tracker/tasktracker/process_table.h"
#include "tracker/tasktracker/raw_buffer.h"
#include "tracker/tasktracker/run_task.h"
#include "tracker/tasktracker/task_limits.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr int kPipeBytes = 256 * 1024;
constexpr int kGraceMs = 5000;
constexpr int kPollWithoutPidfdMs = 50;
constexpr int kWatchMs = 300;

// Held over each fork: when the sweep begins, every command is a child that it finds, or never
// starts.
std::mutex fork_mutex;
bool no_more_commands = false;  // guarded by fork_mutex

constexpr std::string_view kDirectoryVariable = "PWD=";

// What the child could not do before exec, sent to the parent through a pipe that exec closes.
struct StartFailure {
  int error_number = 0;
  char step[16] = {};
};

// What there is to execute, made before the fork.
struct Program {
  std::vector<std::string> words;       // empty: it takes a shell
  std::vector<char*> plain;             // the words, for exec
  std::array<const char*, 4> by_shell;  // sh -c COMMAND
  std::vector<char*> environment;
  std::string directory_variable;  // PWD=..., as the shell would set it: filled in by the child
};

Program program_of(const CommandOptions& options) {
  Program program;
  program.by_shell = {"sh", "-c", options.command.c_str(), nullptr};
  for (const std::string& entry : options.environment)
    program.environment.push_back(const_cast<char*>(entry.c_str()));
  if (std::all_of(options.environment.begin(), options.environment.end(), shell_keeps))
    program.words = words_without_shell(options.command);
  if (!program.words.empty()) {
    for (std::string& word : program.words) program.plain.push_back(word.data());
    program.plain.push_back(nullptr);
    program.directory_variable.assign(kDirectoryVariable);
    program.directory_variable.resize(kDirectoryVariable.size() + PATH_MAX);
    program.environment.push_back(program.directory_variable.data());
  }
  program.environment.push_back(nullptr);
  return program;
}

// Returns if it takes a shell after all, which then says what is wrong.
void execute_plainly(Program& program) {
  if (program.words.empty()) return;
  char* directory = program.directory_variable.data() + kDirectoryVariable.size();
  if (::getcwd(directory, PATH_MAX) != nullptr)
    ::execve(program.plain[0], program.plain.data(), program.environment.data());
  program.environment[program.environment.size() - 2] = nullptr;
}

// Runs between vfork and exec, in the parent's memory while that waits: system calls only.
[[noreturn]] void become_command(const CommandOptions& options, Program& program, int in, int out,
                                 int err, int failure_pipe, pid_t parent) {
  StartFailure failure;
  const auto give_up = [&](const char* step) {
    failure.error_number = errno;
    std::strncpy(failure.step, step, sizeof failure.step - 1);
    (void)!::write(failure_pipe, &failure, sizeof failure);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  for (const int each : kIgnoredSignals) ::signal(each, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) give_up("dup2");
  if (::chdir(options.directory.c_str()) != 0) give_up("chdir");
  limit_command(options.limits, options.memory_mb);
  execute_plainly(program);
  ::execve("/bin/sh", const_cast<char* const*>(program.by_shell.data()),
           program.environment.data());
  give_up("exec /bin/sh");
  ::_exit(127);
}

class RunningCommand {
 public:
  RunningCommand(const CommandOptions& options, const CommandStreams& streams)
      : options_(options), streams_(streams) {}
  // However the pump ended, nothing of the command goes on.
  ~RunningCommand() {
    if (pid_ > 0) kill_and_reap();
  }

  Status start();
  Status pump();
  Status outcome();

 private:
  Status write_input();
  Status read_output();
  void read_errors();
  void has_been_silent();
  void go_on_listening() { silent_until_ms_ = steady_now_ms() + kGraceMs; }
  int patience_ms() const;
  Status poll_once();
  bool has_exited();
  void kill_and_reap();
  // What holds its output may write yet, and nobody would know what is missing.
  bool waits_for_output() const {
    return options_.output_until_closed && output_.valid() && ended_well_;
  }
  bool streams_open() const { return output_.valid() || errors_.valid(); }

  const CommandOptions& options_;
  const CommandStreams& streams_;
  pid_t pid_ = -1;
  bool exited_ = false;  // but not reaped: its number, and so its group's, stays taken
  bool ended_well_ = false;
  bool told_of_waiting_ = false;  // for others that hold its output
  bool swept_ = false;   // killed and reaped by end_all_commands, in another thread
  int wait_status_ = 0;
  UniqueFd input_, output_, errors_, pidfd_;
  RawBuffer chunk_;
  std::size_t chunk_at_ = 0, chunk_end_ = 0;
  std::int64_t silent_until_ms_ = 0;  // once the shell has exited
  std::int64_t watched_at_ms_ = 0;  // last
};

Status RunningCommand::start() {
  auto in = make_pipe(), out = make_pipe(), err = make_pipe(), failure = make_pipe();
  for (const auto* pipe : {&in, &out, &err, &failure}) {
    if (!pipe->ok()) return pipe->error();
  }
  ::fcntl(in->write_end.get(), F_SETPIPE_SZ, kPipeBytes);
  ::fcntl(out->read_end.get(), F_SETPIPE_SZ, kPipeBytes);
  Program program = program_of(options_);
  const pid_t parent = ::getpid();
  {
    const std::lock_guard lock(fork_mutex);
    if (no_more_commands) return data_error(options_.what + " not started: the task is over");
    // Nothing of this process is copied; it goes on when the child has executed the command.
    pid_ = ::vfork();
    if (pid_ == 0) {
      become_command(options_, program, in->read_end.get(), out->write_end.get(),
                     err->write_end.get(), failure->write_end.get(), parent);
    }
  }
  if (pid_ < 0) return system_error(options_.what + ": fork");
  ::setpgid(pid_, pid_);  // also here, so that the group exists whoever runs first
  failure->write_end.reset();
  StartFailure problem;
  if (::read(failure->read_end.get(), &problem, sizeof problem) == sizeof problem) {
    problem.step[sizeof problem.step - 1] = 0;
    return system_error(
        options_.what + " could not start: " + problem.step + " " + options_.directory,
        problem.error_number);
  }
  pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  input_ = std::move(in->write_end);
  output_ = std::move(out->read_end);
  errors_ = std::move(err->read_end);
  for (const UniqueFd* fd : {&input_, &output_, &errors_}) {
    if (auto set = set_nonblocking(fd->get()); !set) return set;
  }
  if (!streams_.source) input_.reset();
  chunk_ = RawBuffer(kChunkBytes);
  return Ok{};
}

Status RunningCommand::write_input() {
  if (chunk_at_ == chunk_end_) {
    int unread = 0;
    if (streams_.fed && ::ioctl(input_.get(), FIONREAD, &unread) == 0)
      streams_.fed(static_cast<std::size_t>(unread));
    auto n = streams_.source(chunk_);
    if (!n) return n.error();
    chunk_at_ = 0;
    chunk_end_ = *n;
    if (*n == 0) {
      input_.reset();
      return Ok{};
    }
  }
  const ssize_t n = ::write(input_.get(), chunk_.data() + chunk_at_, chunk_end_ - chunk_at_);
  if (n > 0) {
    chunk_at_ += static_cast<std::size_t>(n);
    streams_.moved();
  } else if (n < 0 && errno == EPIPE) {
    input_.reset();  // it has read all it wanted
  } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
    return system_error(options_.what + ": stdin");
  }
  return Ok{};
}

Status RunningCommand::read_output() {
  auto room = streams_.space();
  if (!room) return room.error();
  const ssize_t n =
      ::read(output_.get(), room->data(), std::min<std::size_t>(room->size(), 1 << 20));
  if (n > 0) {
    streams_.moved();
    go_on_listening();
    return streams_.commit(static_cast<std::size_t>(n));
  }
  if (n == 0) {
    output_.reset();
    go_on_listening();  // to stderr
  }
  if (n < 0 && errno != EAGAIN && errno != EINTR) return system_error(options_.what + ": stdout");
  return Ok{};
}

void RunningCommand::read_errors() {
  char bytes[16384];
  const ssize_t n = ::read(errors_.get(), bytes, sizeof bytes);
  if (n > 0) {
    streams_.moved();
    go_on_listening();
    streams_.errors->consume({bytes, static_cast<std::size_t>(n)});
  } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
    errors_.reset();
  }
}

int RunningCommand::patience_ms() const {
  std::int64_t most_ms = pidfd_.valid() || exited_ ? INT_MAX : kPollWithoutPidfdMs;
  if (exited_ && !(told_of_waiting_ && waits_for_output()))
    most_ms = std::max<std::int64_t>(0, silent_until_ms_ - steady_now_ms());
  if (streams_.watch) most_ms = std::min<std::int64_t>(most_ms, kWatchMs);
  return most_ms == INT_MAX ? -1 : static_cast<int>(most_ms);
}

Status RunningCommand::poll_once() {
  pollfd fds[5] = {{input_.get(), POLLOUT, 0},
                   {output_.get(), POLLIN, 0},
                   {errors_.get(), POLLIN, 0},
                   {exited_ ? -1 : pidfd_.get(), POLLIN, 0},  // poll skips negative descriptors
                   {streams_.watched, POLLIN, 0}};
  const int ready = ::poll(fds, 5, patience_ms());
  if (ready < 0 && errno != EINTR) return system_error(options_.what + ": poll");
  // Also while the command reads or writes without a pause: it must go on saying that it lives.
  if (streams_.watch) {
    const std::int64_t now = steady_now_ms();
    if (fds[4].revents != 0 || now - watched_at_ms_ >= kWatchMs) {
      watched_at_ms_ = now;
      streams_.watch();
    }
  }
  if (ready == 0 && exited_ && steady_now_ms() >= silent_until_ms_) has_been_silent();
  if (ready > 0) {
    if (fds[2].revents != 0) read_errors();
    if (fds[1].revents != 0) {
      if (auto read = read_output(); !read) return read;
    } else if (fds[0].revents != 0) {
      if (auto written = write_input(); !written) return written;
    }
  }
  if (!exited_ && (!pidfd_.valid() || fds[3].revents != 0) && has_exited()) {
    exited_ = true;
    go_on_listening();
  }
  return Ok{};
}

void RunningCommand::has_been_silent() {
  if (!waits_for_output()) {
    output_.reset();
    errors_.reset();
    return;
  }
  if (std::exchange(told_of_waiting_, true)) return;
  streams_.errors->consume("weir: the " + options_.what +
                           " has ended, but something that it started holds its output: waiting "
                           "for the end of that\n");
}

bool RunningCommand::has_exited() {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
    ended_well_ = info.si_code == CLD_EXITED && options_.ok_exits.contains(info.si_status);
    return info.si_pid == pid_;
  }
  swept_ = errno == ECHILD;
  return swept_;
}

void RunningCommand::kill_and_reap() {
  if (!swept_) {
    ::kill(-pid_, SIGKILL);
    pid_t reaped;
    while ((reaped = ::waitpid(pid_, &wait_status_, 0)) < 0 && errno == EINTR) {
    }
    swept_ = reaped < 0;
  }
  if (swept_) wait_status_ = SIGKILL;
  pid_ = -1;
}

Status RunningCommand::pump() {
  while (streams_open() || !exited_) {
    if (auto polled = poll_once(); !polled) return polled;
  }
  return Ok{};
}

Status RunningCommand::outcome() {
  kill_and_reap();
  streams_.errors->finish();
  if (WIFEXITED(wait_status_) && options_.ok_exits.contains(WEXITSTATUS(wait_status_))) return Ok{};
  std::string message = options_.what;
  if (WIFEXITED(wait_status_)) {
    const int status = WEXITSTATUS(wait_status_);
    message += " exited with status " + std::to_string(status) +
               limit_note(options_.limits, false, status);
  } else {
    const int signal = WTERMSIG(wait_status_);
    message += " was ended by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")" +
               limit_note(options_.limits, true, signal);
  }
  const std::string lines = streams_.errors->last_lines();
  message += lines.empty() ? "; it wrote nothing to stderr" : "; last lines of stderr: " + lines;
  return data_error(std::move(message));
}

}  // namespace

Status run_command(const CommandOptions& options, const CommandStreams& streams) {
  RunningCommand command(options, streams);
  if (auto started = command.start(); !started) return started;
  if (auto pumped = command.pump(); !pumped) return pumped;
  return command.outcome();
}

void start_commands_again() {
  const std::lock_guard lock(fork_mutex);
  no_more_commands = false;
}

void end_all_commands() {
  {
    const std::lock_guard lock(fork_mutex);
    no_more_commands = true;
  }
  // A killed child's own children become ours (subreaper), so this ends when there is nobody left.
  for (;;) {
    const pid_t reaped = ::waitpid(-1, nullptr, WNOHANG);
    if (reaped > 0) continue;
    if (reaped < 0 && errno == EINTR) continue;
    if (reaped < 0) return;  // ECHILD: no descendants
    for (const pid_t child : children_of(::getpid())) {
      const pid_t group = ::getpgid(child);
      if (group > 1 && group != ::getpgrp()) ::kill(-group, SIGKILL);
      ::kill(child, SIGKILL);
    }
    if (::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return;
  }
}

}  // namespace weir::tasktracker
