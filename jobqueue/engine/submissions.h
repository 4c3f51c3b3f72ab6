// Submissions: new ones, and those asked for again because an answer was lost. A client draws an
// id for each of its submissions, which is kept with the job's spec; the same id of the same user
// names the same job, for as long as the job is listed. And what a job holds from its submission
// on: its output directory, the bytes of its description.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "jobqueue/engine/job_bytes.h"
#include "jobqueue/engine/part.h"

namespace weir {

class Submissions : public Part {
 public:
  using Part::Part;

  void on(const SubmitJob& input, Token token);
  ReplyBody apply(const JobSubmitted& submitted);
  const JobBytes& job_bytes() const { return job_bytes_; }
  void restore_next_job(std::uint32_t next) { next_job_ = next; }
  // What a job holds, also one that the store gave back.
  void count_bytes(Job& job);
  void forget_bytes(Job& job);  // its description is no longer kept
  void take_output(const Job& job);
  void remember_submission(const JobSpec& spec, JobId job);
  void forget_submission(const JobSpec& spec);
  void drop_submission(const JobSubmitted& submitted);
  void release_output(const Job& job);

 private:
  // What it is asked (admission.cpp), in order.
  struct Check {
    std::string_view name;
    Status (Submissions::*passes)(const SubmitJob&, QueueId leaf) const;
  };
  static std::span<const Check> checks();
  Status may_come(const SubmitJob& input, QueueId leaf) const;
  Status check_state(const SubmitJob& input, QueueId leaf) const;
  Status check_rights(const SubmitJob& input, QueueId leaf) const;
  Status check_limits(const SubmitJob& input, QueueId leaf) const;
  Status check_conf(const SubmitJob& input, QueueId leaf) const;
  Status check_stays(const SubmitJob& input, QueueId leaf) const;
  Status check_policy(const SubmitJob& input, QueueId leaf) const;
  Status check_output(const SubmitJob& input, QueueId leaf) const;
  Status check_width(const SubmitJob& input, QueueId leaf) const;
  Status check_containers_fit(const JobSpec& spec) const;
  Status check_spread(const JobSpec& spec) const;
  Status check_gang(const JobSpec& spec, QueueId leaf) const;
  Status check_maximums(const Resources& gang, QueueId leaf) const;
  Status check_bytes(const SubmitJob& input, QueueId leaf) const;
  bool answered_before(const SubmitJob& input, Token token);

  std::uint32_t next_job_ = 1;
  JobBytes job_bytes_;  // of the descriptions that are kept
  std::map<std::string, JobId> outputs_;  // output directories of unfinished jobs
  std::map<std::pair<std::string, std::string>, JobId> submissions_;  // (user, id) of listed jobs
};

}  // namespace weir
