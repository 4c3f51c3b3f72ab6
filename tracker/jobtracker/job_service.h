// What users ask of jobs, whatever way they come: commands are posted to the engine and answered
// when they are durable; reads are of the published views, at the version asked for, and never meet
// the engine's thread. Only explain, attempts and the reasons in lists look inside the engine, by a
// query; what it finds is handed over to another thread. What is asked of a job that the engine has
// forgotten is asked of the history.
//
// No wire types. On whose behalf a call comes is said by calling_peer() (tracker/port/peers.h):
// whoever serves a port calls within a CallingPeerScope. Any thread; nothing waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/caller.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/job_spec.h"
#include "tracker/jobtracker/answer.h"
#include "tracker/jobtracker/engine_loop.h"
#include "tracker/jobtracker/history_reader.h"
#include "tracker/published/job_page.h"
#include "views/asked_view.h"
#include "views/attempt_view.h"
#include "views/job_view.h"

namespace weir {

// Which of the jobs that are over to list. Moments by the wall clock.
struct HistoryFilter {
  std::string queue;                      // and all below it; empty: all
  std::string user;                       // empty: all
  std::string name;                       // a pattern, as in JobFilter; empty: all
  std::vector<std::string> states;        // any of these; none: all
  std::optional<std::int64_t> since_ms;   // ended then or later
  std::optional<std::int64_t> before_ms;  // ended earlier than that
  bool oldest_first = false;   // the first to end first; else the last
  std::size_t limit = 0;
  std::size_t before_job = 0;  // those that come after this one in the list; 0: from the first on
  std::size_t page_bytes = 0;  // as in JobFilter
};

class JobService {
 public:
  static constexpr std::size_t kJobsListed = 1'000;  // when no limit is named
  static constexpr std::size_t kMostJobsListed = 10'000;
  static constexpr std::size_t kDiagnosticsListed = 500;  // bytes of a job's, in the history

  // 0 stands for kJobsListed; more than kMostJobsListed is refused.
  static Result<std::size_t> list_limit(std::int64_t limit);

  JobService(EngineLoop& loop, HistoryReader& history) : loop_(loop), history_(history) {}

  void submit(const Caller& caller, std::shared_ptr<const JobSpec> spec,
              Answer<SubmittedView> answer);
  void kill(const Caller& caller, JobId job, Answer<Version> answer);
  void release(const Caller& caller, JobId job, Answer<Version> answer);
  void set_priority(const Caller& caller, JobId job, Priority priority, Answer<Version> answer);
  // To a queue, or to a pool where the policy has pools.
  void move(const Caller& caller, JobId job, const std::string& queue, Answer<Version> answer);

  void status(JobId job, Version min_version, Answer<JobView> answer);
  // Of those that wait, the first 100 have the first of their reasons. The filter is checked; its
  // limit is one of list_limit. In the order of service (service_order.h) there is one page.
  void find(JobFilter filter, Version min_version, Answer<JobPage> answer);
  void history(const HistoryFilter& filter, Answer<JobPage> answer);
  // What it was submitted with, as long as there is a record of it; whole for its user alone.
  void asked(const std::string& user, JobId job, Answer<AskedView> answer);
  // By task and attempt.
  void attempts(JobId job, Answer<std::vector<AttemptView>> answer);
  void explain(JobId job, Answer<ExplanationView> answer);

 private:
  EngineLoop& loop_;
  HistoryReader& history_;
};

}  // namespace weir
