// One seed of the fault simulation: a small cluster with the real engine, the real store, and the
// trackers' real core lives through jobs and commands while the faults of its swarm strike
// (swarm.h). After each step the checker's rules hold, and what was promised; when nothing is on
// its way the disk says what the engine says; a restart believes what trackers run. Then calm
// comes, everybody is back, and all that was begun must end as it was promised. All of it follows
// from the seed. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "lab/faults/disk.h"
#include "lab/faults/promises.h"
#include "lab/faults/virtual_tasktracker.h"
#include "lab/faults/world.h"
#include "sim/checker_observer.h"
#include "sim/event_log.h"
#include "sim/job_names.h"

namespace weir::faults {

struct FaultStoryOptions {
  std::uint64_t seed = 1;
  Planted planted = Planted::kNone;
  bool sqlite = true;              // some stories have their store on a disk that forgets
  std::ostream* events = nullptr;  // as of `weir sim --events`
};

class FaultStory : private Observer {
 public:
  FaultStory(const FaultStoryOptions& options, PolicyFactory factory);
  ~FaultStory() override;

  // What went wrong first, if anything did.
  std::optional<std::string> run();

  const Swarm& swarm() const { return world_.swarm; }
  std::uint64_t inputs() const { return inputs_; }
  std::uint32_t starts() const { return jobtracker_->starts(); }
  std::size_t jobs() const { return promises_.jobs().size(); }
  bool on_sqlite() const { return on_sqlite_; }
  bool of_containers() const { return containers_; }

 private:
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  void wrong(const std::string& what);
  void go_on_until(TimeMs end);

  void make_cluster();
  RegisterTracker draw_offer(const std::string& name);
  void start_jobtracker();
  void kill_jobtracker(VirtualJobTracker::Death death);
  void lose_power();
  void mark_running();  // what is to be believed after the next start

  // fault_story_steps.cpp: what happens, drawn.
  void disturb();
  void disturb_tracker();
  void forge_report();
  void disturb_jobtracker();
  void command();
  void let_be() {}
  void submit_another();
  void describe_mapreduce(JobSpec& spec);
  void describe_application(JobSpec& spec);
  void describe_gang(JobSpec& spec);
  void ask_to_submit(const std::shared_ptr<const JobSpec>& sent);
  void kill_some_job();
  void kill(JobId job);
  void reprioritise();
  void move_some_job();
  void stop_or_start_some_queue();
  void order_some_tracker();
  void set_policy(const std::string& policy);
  void apply(std::shared_ptr<Settings> settings);
  std::optional<JobId> some_job();
  std::string some_leaf();

  void come_to_rest();
  bool all_over() const;

  // fault_story_checks.cpp: what is looked at.
  void check_end(const Fact& fact);
  void check_published(const std::string& path, const std::string& by);
  void check_believed(const Heartbeat& report);
  void check_dropped();
  void check_disk();
  void check_ends();
  std::optional<std::string> end_of(JobId id, const JobSpec& spec);

  World world_;
  const bool containers_;  // instead of slots, and applications beside MapReduce
  std::unique_ptr<Disk> disk_;
  std::unique_ptr<VirtualJobTracker> jobtracker_;
  std::vector<std::unique_ptr<VirtualTaskTracker>> trackers_;
  std::map<std::string, std::shared_ptr<const Settings>> settings_;  // by text; "" are the first
  std::shared_ptr<const Settings> drawn_;                            // the last
  Promises promises_;
  JobNames names_;
  std::unique_ptr<EventLog> log_;
  std::optional<CheckerObserver> checker_;
  check::CheckMode check_mode_ = check::CheckMode::kOff;
  std::optional<std::string> wrong_;
  std::map<AttemptKey, const VirtualTaskTracker*> believed_;  // ran when the JobTracker died
  TimeMs killed_at_ = 0;
  bool on_sqlite_ = false;
  std::uint64_t inputs_ = 0;
  int outputs_ = 0;
  std::int64_t forged_ = 0;
};

}  // namespace weir::faults
