// `--summary`: what a run was like, per leaf queue and in all. Response is submission to end of
// jobs that ended, wait is submission to first launch, percentiles by nearest rank. Use is
// slot-time of tasks over slot-time of the cluster, or by dimension of containers. Kills are
// preemptions; what they threw away is counted in slot-seconds, or likewise. Jain's index
// (fairness.h) compares at each update of the policy the users of a queue with each other, in all
// the queues by their guarantees, and is the mean over the updates where two or more want slots,
// and over the dimensions. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/queue_counters.h"
#include "sim/job_names.h"
#include "sim/observer.h"
#include "sim/sim_engine.h"

namespace weir {

struct Percentiles {
  std::optional<double> mean_s, p50_s, p95_s, p99_s;  // none where nothing was measured
};

struct SummaryRow {
  std::string queue;  // "all" for the sum
  std::uint64_t jobs = 0;
  std::uint64_t succeeded = 0, failed = 0, killed = 0;
  std::uint64_t unfinished = 0;
  Percentiles response, wait;
  // Of maps and reduces, or of each dimension of containers.
  struct Use {
    double seconds = 0;  // slot-seconds, MB-seconds and so on
    double part = 0;     // of the cluster's, 0 to 1
    double wasted_seconds = 0;
  };
  std::vector<Use> use;
  std::uint64_t launches[3] = {0, 0, 0};  // of maps, by Locality
  std::uint64_t kills = 0;
  std::optional<double> jain;
};

class Summary : public Observer {
 public:
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  // The run is over: what still runs counts up to now.
  void end(const Engine& engine);
  // "all" is the last row.
  std::vector<SummaryRow> rows() const;
  // Whose use they tell; empty: of maps and reduces.
  const std::vector<std::string>& dimensions() const { return dimensions_; }
  std::uint64_t launches() const { return launches_; }
  std::uint64_t heartbeats() const { return heartbeats_; }
  TimeMs last_end() const { return last_end_; }  // of a job

 private:
  struct JobTimes {
    std::string queue;
    TimeMs submitted = 0;
    TimeMs started = -1;
    TimeMs ended = -1;
  };
  struct Account {
    SummaryRow row;
    std::vector<DurationMs> response_ms, wait_ms;
    SlotTime used_ms, wasted_ms;
    double jain_sum = 0;
    std::uint64_t jain_count = 0;
  };
  Account& account(const std::string& queue);
  Account& account(const Engine& engine, QueueId queue);
  void take(const Engine& engine, const Event& event);
  void integrate(const Engine& engine);
  // A task of the queue has had its room for so long.
  void add_use(const Engine& engine, QueueId queue, const TaskKey& task, DurationMs ms,
               SlotTime Account::* of);
  void sample_fairness(const Engine& engine);
  void fairness_of_users(const Engine& engine, QueueId leaf, Dimension dimension);
  void close(const Account& account, SummaryRow& row) const;

  std::map<std::string, Account> queues_;
  Account all_;
  std::map<JobId, JobTimes> open_;  // jobs that have not ended
  TimeMs seen_until_ = SimEngine::kStart;
  Resources total_;       // of the cluster, since seen_until_
  SlotTime capacity_ms_;  // of the cluster
  std::vector<Dimension> counted_;
  std::vector<std::string> dimensions_;
  std::uint64_t launches_ = 0;
  std::uint64_t heartbeats_ = 0;
  TimeMs last_end_ = SimEngine::kStart;
};

}  // namespace weir
