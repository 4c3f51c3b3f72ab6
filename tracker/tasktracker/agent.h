// The agent around AgentCore: turns its actions into processes, calls and file work, and what comes
// of them back into its inputs. All of it runs in one Asio loop on the thread that calls run();
// calls to the JobTracker and slow file work are done by worker threads that post their results
// here. The process must be able to adopt orphans (subreaper): what a killed attempt leaves behind
// becomes our child and is killed before the attempt is reported.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>  // boost 1.74 forgets it

#include <boost/asio.hpp>

#include "tracker/tasktracker/agent_core.h"
#include "tracker/tasktracker/attempt_process.h"
#include "tracker/tasktracker/attempt_program.h"
#include "tracker/tasktracker/isolation.h"
#include "tracker/tasktracker/job_disk.h"
#include "tracker/tasktracker/jobtracker_link.h"
#include "tracker/tasktracker/log_sweep.h"
#include "tracker/tasktracker/output_work.h"
#include "tracker/tasktracker/port_book.h"
#include "tracker/tasktracker/resting_processes.h"
#include "tracker/tasktracker/scratch.h"
#include "tracker/tasktracker/session_log.h"
#include "tracker/tasktracker/shuffle_server.h"
#include "tracker/tasktracker/tasktracker.h"
#include "tracker/tasktracker/work_dirs.h"
#include "tracker/tasktracker/worker_thread.h"

namespace weir::tasktracker {

Now now();  // by the clocks

class Agent {
 public:
  Agent(TaskTrackerOptions options, std::unique_ptr<JobTrackerLink> link, AgentLimits limits = {});
  ~Agent();

  // Locks and cleans the work directory, starts the shuffle server.
  Status prepare();
  // Until stop() or SIGTERM; then kills every attempt.
  void run();
  void stop();  // from any thread
  // Threads of it still run, on file systems that hang.
  bool left_behind() const { return !outputs_.running().empty(); }

  std::uint16_t shuffle_port() const { return shuffle_port_; }

 private:
  Status lock_work_directory();
  void turn();  // poll the core, do what it says, set the timer
  void arm_timer();
  void wait_for_signals();
  void wait_for_children();
  void update_health();
  void do_action(action::Register&);
  void do_action(action::SendHeartbeat& send);
  void do_action(action::FetchJob& fetch);
  void do_action(action::FetchOutputs& fetch);
  void do_action(action::TakePorts& take);
  void do_action(action::GivePortsBack& give);
  void do_action(action::FetchPeers& fetch);
  void do_action(action::StartAttempt& start);
  void do_action(action::KillAttempt& kill);
  void do_action(action::CommitAttempt& commit);
  void do_action(action::GrantAttempt& grant);
  void do_action(action::PushOutputs& push);
  void do_action(action::RunDuty& run);
  void do_action(action::DropJob& drop);
  void clean_up_output(const std::string& user, const std::string& after,
                       std::function<void()> call);
  void do_action(action::Leave& leave);
  AttemptProcess* process(const AttemptKey& key);
  AttemptProcess::Handlers handlers_for(const TaskSpec& spec);
  Result<std::shared_ptr<AttemptProcess>> start_once(const LaunchPlan& plan,
                                                     const AttemptProcess::Handlers& handlers);
  Result<std::shared_ptr<AttemptProcess>> start_process(const LaunchPlan& plan,
                                                        const AttemptProcess::Handlers& handlers);
  void children_ended();
  void sweep_orphans();
  void attempt_over(const AttemptKey& key, const JobOutput& output, const std::string& how);
  void remove_group(const AttemptCgroup& group);
  void remove_rejected();  // scratch
  void kill_everything();
  // In agent_resting.cpp.
  void attempt_rests(const AttemptKey& key);
  bool go_on(TaskSpec& spec, const AttemptProcess::Handlers& handlers);
  void end_long_rests();
  bool resting_ended();  // some have
  // In agent_housekeeping.cpp.
  void keep_house();
  void tell_of_logs(const SweptLogs& swept);
  void watch_disk(std::int64_t pause_ms);
  void measure_disk();
  void keep_output(const AttemptKey& map);
  void remove(const std::string& path);
  void complain(const Error& problem);
  void call_failed(const Error& error, const char* what);
  // Runs `call` on the RPC thread, then `then` with its result here.
  template <class Call, class Then>
  void ask(Call call, Then then);

  TaskTrackerOptions options_;
  std::unique_ptr<JobTrackerLink> link_;
  AgentLimits limits_;
  WorkDirs dirs_;
  std::string subject_;  // "tracker tt1"
  UniqueFd lock_;
  PortBook ports_;
  Isolation isolation_;
  std::unique_ptr<AgentCore> core_;
  std::unique_ptr<ShuffleServer> shuffle_;
  std::uint16_t shuffle_port_ = 0;
  boost::asio::io_context io_;
  boost::asio::steady_timer timer_{io_};
  boost::asio::signal_set stop_signals_{io_}, child_signals_{io_};
  AttemptProgram attempt_program_;
  AttemptStarter starter_;
  Scratch scratch_;
  std::set<JobId> durable_outputs_;  // of jobs that an attempt here has published for
  SessionLog sessions_;
  std::map<AttemptKey, std::shared_ptr<AttemptProcess>> processes_;
  RestingProcesses resting_;
  bool jobtracker_lost_ = false, stopping_ = false;
  std::int64_t health_at_ms_ = 0;
  OutputWork outputs_;
  JobDisk job_disk_;
  boost::asio::steady_timer house_timer_{io_}, gauge_timer_{io_};
  std::string last_complaint_;  // of the housekeeping's thread
  // Calls; what is removed; what is measured.
  WorkerThread rpc_, house_, gauge_;
};

}  // namespace weir::tasktracker
