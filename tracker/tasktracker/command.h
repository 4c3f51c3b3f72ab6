// Runs one user's command (`sh -c`, or without the shell where that makes no difference) and moves
// its bytes: from a source to its stdin, from its stdout to a sink, its stderr to a StderrSink, in
// one poll loop with large chunks. The command has
// its own process group in the attempt's session, limits, directory and environment, and dies with
// its parent. A command that stops reading is not an error (EPIPE ends its input). After the shell
// has exited, left-over processes that still hold the pipes get five silent seconds; where all of
// its output counts, and it has ended well, they get as long as they hold stdout. Call from the
// thread that lives as long as the process (the death signal is bound to it).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "conf/daemon_settings.h"
#include "jobqueue/model/ok_exits.h"
#include "jobqueue/model/result.h"
#include "tracker/tasktracker/stderr_sink.h"

namespace weir::tasktracker {

struct CommandOptions {
  std::string what;  // "mapper", for messages
  std::string command;
  std::string directory;
  std::vector<std::string> environment;  // NAME=value, all of it
  std::int64_t memory_mb = 0;            // RLIMIT_AS; 0 = none
  TaskSettings limits;
  OkExits ok_exits = {};
  bool output_until_closed = false;  // all of it counts, whoever writes it
};

struct CommandStreams {
  std::function<Result<std::size_t>(std::span<char>)> source;  // 0 = over
  // Before the source is asked: all it gave is in the pipe, so much of it unread. May be null.
  std::function<void(std::size_t unread)> fed;
  std::function<Result<std::span<char>>()> space;  // room for stdout, never empty
  std::function<Status(std::size_t)> commit;       // so many bytes of it were filled
  StderrSink* errors = nullptr;
  std::function<void()> moved;  // something was read or written
  // Called when there is something to be read from it, and from time to time. -1: nothing.
  int watched = -1;
  std::function<void()> watch;
};

// Ok if the command exited as it may; otherwise an Error that says how it ended, with its last
// lines of stderr.
Status run_command(const CommandOptions& options, const CommandStreams& streams);

// Kills and reaps every descendant of this process, which must be a child subreaper, for good: a
// command that another thread would start after this is refused. From any thread.
void end_all_commands();
// In spite of that, for another task. There is one thread.
void start_commands_again();

}  // namespace weir::tasktracker
