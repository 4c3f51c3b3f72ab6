// What people do to their jobs: kill, re-prioritise, move, release. Each command is a file.
#pragma once

#include "jobqueue/engine/part.h"

namespace weir {

class JobCommands : public Part {
 public:
  using Part::Part;

  void on(const KillJob& input, Token token);
  ReplyBody apply(const JobKillRequested& kill);
  void on(const SetPriority& input, Token token);
  ReplyBody apply(const PriorityChanged& change);
  void on(const MoveJob& input, Token token);
  ReplyBody apply(const JobMoved& move);
  void on(const ReleaseJob& input, Token token);
  ReplyBody apply(const JobReleased& released);

 private:
  // The job of a command, if it is there, goes on and is the caller's; otherwise refused.
  const Job* job_to_change(JobId id, const Caller& caller, Token token, const char* what);
};

}  // namespace weir
