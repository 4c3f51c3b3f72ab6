// What `weir sim --report` tells of a run (report/report.h): every leaf queue's figures at each
// update of the policy, held until the next; each job's wait and response; who lost tasks to whom;
// the slowest jobs. Under a policy with pools, of pools. Memory is bounded by the jobs and by so
// many points in all, whatever the length of the run. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/tally.h"
#include "sim/observer.h"

namespace weir {

class RunReport : public Observer {
 public:
  RunReport();
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  // The run is over: what still runs counts up to now. The caller says what it was made from.
  report::Report end(const Engine& engine);

 private:
  struct OpenJob {
    std::string place;  // queue or pool
    report::SlowJob told;
  };
  struct Held {         // since the last update
    std::string place;  // empty: the cluster
    std::size_t of = 0;  // which of what is counted
    report::Figures figures;
  };
  std::string place_of(const Engine& engine, JobId job);
  void take(const Engine& engine, const Event& event);
  void end_job(const Engine& engine, JobId job, JobState state, TimeMs at);
  void take_kill(const Engine& engine, TimeMs at, const KillOrdered& kill);
  void integrate(const Engine& engine);
  void sample(const Engine& engine);
  void sample_queues(const Engine& engine);
  void sample_pools(const Engine& engine);
  void use(const Engine& engine, const TaskKey& task, DurationMs held_ms);
  std::vector<std::int64_t> total_of(const Engine& engine) const;

  report::Tally tally_;
  std::vector<Held> held_;
  TimeMs held_since_;
  TimeMs slots_since_;
  std::vector<std::int64_t> total_, total_ms_;  // of the cluster, of each that is counted
  std::map<JobId, OpenJob> open_;
  std::vector<std::pair<TimeMs, std::string>> policies_;  // that ruled, from when on
};

}  // namespace weir
