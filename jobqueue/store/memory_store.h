// A store without a disk, for tests and the simulator: the same effects as the one in SQLite, and a
// restart is simply another load(). Faults are injected: the next n writes fail and leave nothing
// behind. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "jobqueue/store/store.h"

namespace weir {

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(std::size_t finished_jobs_limit = 10'000)
      : finished_jobs_limit_(finished_jobs_limit) {}

  Result<Snapshot> load() override;
  Status append(std::span<const Event> events) override;
  Status touch_time(TimeMs at) override;
  Status set_meta(std::string_view key, std::string_view value) override;
  Result<std::optional<std::string>> get_meta(std::string_view key) override;
  Result<bool> tidy(const Retention& retention) override;
  Result<std::unique_ptr<History>> history() override;

  // The next `n` calls that write (load() among them) fail with `message`.
  void fail_next(std::size_t n, std::string message) {
    failures_left_ = n;
    failure_message_ = std::move(message);
  }

 private:
  using Task = std::pair<TaskKind, std::uint32_t>;
  struct Job {
    JobSnapshot record;  // its three lists stay empty until load()
    std::map<Task, JobSnapshot::DoneTask> done;
    std::map<Task, std::uint32_t> failures;
    std::map<Task, JobSnapshot::Commit> commits;
  };

  // Shared with readers on other threads.
  struct Ended {
    JobRecord record;
    std::vector<EndedAttempt> failed;
    std::map<Task, EndedAttempt> done;
  };
  struct Records {
    std::mutex mutex;
    std::map<JobId, Ended> jobs;  // those not over yet have no record, only failed attempts
    std::map<std::pair<TimeMs, JobId>, JobId> by_end;
    std::deque<std::pair<SettingsRecord, std::optional<std::string>>> settings;
    std::uint64_t settings_put = 0;
    void put(const JobRecord& record);
    void put(SettingsRecord record, std::optional<std::string> text);
  };
  class Reader;

  std::optional<Error> injected_failure();
  std::shared_ptr<const JobRecord> record_of(JobId job);
  Job* find(JobId job);
  Job* find_unfinished(JobId job);

  void apply(const JobSubmitted& fact, TimeMs at);
  void apply(const JobKillRequested& fact, TimeMs at);
  void apply(const PriorityChanged& fact, TimeMs at);
  void apply(const JobMoved& fact, TimeMs at);
  void apply(const JobReleased& fact, TimeMs at);
  void apply(const JobDeadlineSet& fact, TimeMs at);
  void apply(const QueueStateChanged& fact, TimeMs at);
  void apply(const SettingsChanged& fact, TimeMs at);
  void apply(const PolicyChanged& fact, TimeMs at);
  void apply(const TaskSucceeded& fact, TimeMs at);
  void apply(const TaskReopened& fact, TimeMs at);
  void apply(const AttemptFailed& fact, TimeMs at);
  void apply(const CommitGranted& fact, TimeMs at);
  void apply(const JobStateChanged& fact, TimeMs at);
  void apply(const JobCleanedUp& fact, TimeMs at);
  void apply(const ClaimOpened& fact, TimeMs at);
  void apply(const ClaimMet& fact, TimeMs at);
  void apply(const ClaimDropped& fact, TimeMs at);
  void apply(const TrackerTotal& fact, TimeMs at);
  void apply(const TrackersOrdered& fact, TimeMs at);
  void apply(const TrackerStopEnded& fact, TimeMs at);
  void apply(const TrackerFault& fact, TimeMs at);
  void apply(const TrackerForgiven& fact, TimeMs at);
  void left_of_claim(std::uint64_t claim, std::int64_t slots);

  std::size_t finished_jobs_limit_;
  Snapshot base_;                       // everything but stopped_queues and jobs
  std::map<std::string, bool> queues_;  // path -> stopped
  std::map<std::uint64_t, ClaimSnapshot> claims_;
  std::map<std::string, Resources> trackers_;
  std::map<std::string, TrackerOrderSnapshot> tracker_orders_;
  std::map<std::tuple<std::string, TimeMs, JobId>, std::int64_t> tracker_faults_;
  std::map<JobId, Job> jobs_;
  std::map<std::string, std::string, std::less<>> meta_;  // the daemon's
  std::shared_ptr<Records> records_ = std::make_shared<Records>();
  std::size_t failures_left_ = 0;
  std::string failure_message_;
};

}  // namespace weir
