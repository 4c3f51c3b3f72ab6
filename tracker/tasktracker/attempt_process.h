// The agent's end of one attempt's process: starts it in a session of its own, sends it commands,
// decodes its reports, and knows when it is over (exited, and its report pipe read to the end).
// Killing is SIGKILL to the process; what the user's command left behind is killed as a member of
// the attempt's control group, or becomes the agent's child and is swept by it. Belongs to the
// agent's thread. A process that goes on after its task rests until it is given another of its job;
// for the agent that is another attempt.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>  // boost 1.74 forgets it

#include <boost/asio.hpp>

#include "tracker/tasktracker/attempt_starter.h"
#include "tracker/tasktracker/cgroups.h"
#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/task_report.h"
#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

struct LaunchPlan {
  TaskSpec spec;
  AttemptCgroup group;  // may be none
};

class AttemptProcess : public std::enable_shared_from_this<AttemptProcess> {
 public:
  struct Handlers {
    std::function<void(TaskReport)> report;
    std::function<void(const std::string& how)> over;
  };

  // Makes the directory of its map output, and has the process started with its spec.
  static Result<std::shared_ptr<AttemptProcess>> start(boost::asio::io_context& io,
                                                       AttemptStarter& starter,
                                                       const LaunchPlan& plan, Handlers handlers);

  pid_t pid() const { return pid_; }
  void send(std::string command);  // with its newline
  void kill();
  // Its task is over and nobody is told of anything until there is another one. False: somebody is
  // left of the task, or it has met its bounds, or has something to say; it is to end.
  bool rest();
  // After rest(). False: it has ended meanwhile.
  bool go_on(const TaskSpec& spec, Handlers handlers);
  // Has the process ended? Reaps it. The agent calls this when a child ended, and then finish()
  // after its sweep.
  bool reap();
  bool reaped() const { return reaped_; }
  bool ended_by_itself() const;  // exited, not by a signal
  bool left_scratch_empty() const;  // it says
  void finish();
  const AttemptCgroup& group() const { return group_; }
  bool emptied() const { return emptied_; }          // nobody of the group is left
  bool left_nobody() const { return left_nobody_; }  // nor had to be killed
  void forget_handlers() { handlers_ = {}; }

 private:
  AttemptProcess(boost::asio::io_context& io, AttemptCgroup group, Handlers handlers)
      : handlers_(std::move(handlers)), group_(std::move(group)), commands_(io), reports_(io) {}
  Status spawn(AttemptStarter& starter, const TaskSpec& spec);
  void read_reports();
  void write_commands();
  void check_over();
  void keep_notes();

  Handlers handlers_;
  AttemptCgroup group_;
  boost::asio::posix::stream_descriptor commands_, reports_;
  ReportDecoder decoder_;
  char bytes_[16384];
  std::string queued_, writing_;
  UniqueFd notes_;
  std::string notes_path_;
  pid_t pid_ = -1;
  int wait_status_ = 0;
  bool emptied_ = true, left_nobody_ = false;
  bool killed_ = false, reaped_ = false, swept_ = false, reports_over_ = false;
  std::string damage_;  // why its reports are not believed any more
};

}  // namespace weir::tasktracker
