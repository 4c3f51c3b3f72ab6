// The agent's end of one attempt's process: starts it in a session of its own, sends it commands,
// decodes its reports, and knows when it is over (exited, and its report pipe read to the end).
// Killing is SIGKILL to the process; what the user's command left behind is killed as a member of
// the attempt's control group, or becomes the agent's child and is swept by it. Belongs to the
// agent's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>  // boost 1.74 forgets it

#include <boost/asio.hpp>

#include "tracker/tasktracker/cgroups.h"
#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/task_report.h"
#include "tracker/tasktracker/task_spec.h"

namespace weir::tasktracker {

struct LaunchPlan {
  std::string runner;    // program
  std::string work_dir;  // goes into the environment as a mark
  TaskSpec spec;
  AttemptCgroup group;  // may be none
};

class AttemptProcess : public std::enable_shared_from_this<AttemptProcess> {
 public:
  struct Handlers {
    std::function<void(TaskReport)> report;
    std::function<void(const std::string& how)> over;
  };

  // Makes the directories, writes the spec and starts the process.
  static Result<std::shared_ptr<AttemptProcess>> start(boost::asio::io_context& io,
                                                       const LaunchPlan& plan, Handlers handlers);

  pid_t pid() const { return pid_; }
  void send(std::string command);  // with its newline
  void kill();
  // Has the process ended? Reaps it. The agent calls this when a child ended, and then finish()
  // after its sweep.
  bool reap();
  bool reaped() const { return reaped_; }
  bool ended_by_itself() const;  // exited, not by a signal
  void finish();
  const AttemptCgroup& group() const { return group_; }
  bool emptied() const { return emptied_; }  // nobody of the group is left
  void forget_handlers() { handlers_ = {}; }

 private:
  AttemptProcess(boost::asio::io_context& io, AttemptCgroup group, Handlers handlers)
      : handlers_(std::move(handlers)), group_(std::move(group)), commands_(io), reports_(io) {}
  Status spawn(const LaunchPlan& plan, const std::string& spec_path);
  void read_reports();
  void write_commands();
  void check_over();

  Handlers handlers_;
  AttemptCgroup group_;
  boost::asio::posix::stream_descriptor commands_, reports_;
  ReportDecoder decoder_;
  char bytes_[16384];
  std::string queued_, writing_;
  pid_t pid_ = -1;
  int wait_status_ = 0;
  bool emptied_ = true;
  bool reaped_ = false, swept_ = false, reports_over_ = false;
  std::string damage_;  // why its reports are not believed any more
};

}  // namespace weir::tasktracker
