// What users call, on the wire: requests are checked and become the engine's types, JobService
// (job_service.h) does the work, and its answers are written where they are given. Pages of queues
// and trackers are written from the published views. Handlers run on the io thread and never wait.
#pragma once

#include <string>
#include <vector>

#include "ClientService.h"
#include "tracker/jobtracker/engine_loop.h"
#include "tracker/jobtracker/job_service.h"
#include "tracker/jobtracker/uploads.h"

namespace weir {

class ClientService final : public wire::ClientServiceCobSvIf {
 public:
  template <class Value>
  using Give = std::function<void(const Value&)>;
  using Refuse = std::function<void(apache::thrift::TDelayedException*)>;

  ClientService(EngineLoop& loop, JobService& jobs) : loop_(loop), jobs_(jobs) {}

  void submit(Give<wire::SubmitReply> give, Refuse refuse,
              const wire::SubmitRequest& request) override;
  void begin_upload(Give<std::string> give, Refuse refuse, const wire::Caller& caller) override;
  void append_splits(std::function<void()> give, Refuse refuse, const std::string& upload,
                     const std::vector<wire::Split>& splits) override;

  void job_status(Give<wire::JobStatus> give, Refuse refuse, const std::int64_t job,
                  const std::int64_t min_version) override;
  void list_jobs(Give<std::vector<wire::JobStatus>> give, Refuse refuse, const std::string& queue,
                 const std::string& user, const bool unfinished_only, const std::int32_t limit,
                 const std::int64_t min_version) override;
  void find_jobs(Give<std::vector<wire::JobStatus>> give, Refuse refuse,
                 const wire::JobFilter& filter) override;
  void list_history(Give<std::vector<wire::JobStatus>> give, Refuse refuse,
                    const wire::HistoryFilter& filter) override;
  void attempts(Give<std::vector<wire::AttemptInfo>> give, Refuse refuse,
                const std::int64_t job) override;
  void job_submission(Give<wire::AskedJob> give, Refuse refuse, const std::string& user,
             const std::int64_t job) override;
  void explain(Give<wire::JobExplanation> give, Refuse refuse, const std::int64_t job) override;

  void kill_job(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                const std::int64_t job) override;
  void set_priority(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                    const std::int64_t job, const std::string& priority) override;
  void move_job(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                const std::int64_t job, const std::string& queue) override;
  void release_job(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                   const std::int64_t job) override;

  void queues(Give<std::vector<wire::QueueStatus>> give, Refuse refuse, const std::string& name,
              const std::int64_t min_version) override;
  void trackers(Give<std::vector<wire::TrackerStatus>> give, Refuse refuse) override;
  void find_queues(Give<std::vector<wire::QueueStatus>> give, Refuse refuse,
                   const wire::QueueFilter& filter) override;
  void find_trackers(Give<std::vector<wire::TrackerStatus>> give, Refuse refuse,
                     const wire::TrackerFilter& filter) override;

 private:
  EngineLoop& loop_;
  JobService& jobs_;
  Uploads uploads_;
};

}  // namespace weir
