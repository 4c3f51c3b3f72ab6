// Submissions: new ones, and those asked for again because an answer was lost. A client draws an id
// for each of its submissions, which is kept with the job's spec; the same id of the same user
// names the same job, for as long as the job is listed.
#include <algorithm>
#include <utility>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/containers.h"
#include "jobqueue/jobtypes/table.h"

namespace weir {

void Submissions::on(const SubmitJob& input, Token token) {
  if (answered_before(input, token)) return;
  const auto leaf = manager_.find_leaf(input.spec->queue);
  if (!leaf) return refuse(token, "submit", leaf.error());
  if (const auto may = may_come(input, *leaf); !may) return refuse(token, "submit", may.error());
  auto job = std::make_unique<Job>();
  job->id = JobId(next_job_++);
  job->spec = input.spec;
  job->type = &job_type_of(*job->spec);
  job->queue = *leaf;
  job->user = state_.intern_user(input.spec->user);
  job->priority = input.spec->priority;
  job->submitted_at = now_;
  job->held = input.spec->hold;
  if (state_.space().containers()) {
    job->containers =
        containers_of(*input.spec, state_.settings().resources, state_.space());
  }
  count_bytes(*job);
  const JobId id = job->id;
  take_output(*job);
  remember_submission(*input.spec, id);
  const Job& added = state_.add_job(std::move(job));
  tell_listed(id);
  parts_.promises.promise(token, JobSubmitted{id, input.spec, state_.tree().node(*leaf).path,
                                              added.containers});
}

ReplyBody Submissions::apply(const JobSubmitted& submitted) {
  Job& job = state_.mutable_job(submitted.job);
  state_.set_durable(job);
  touch(job);
  parts_.jobs.admit_waiting(job.queue);
  return Submitted{job.id, submitted.queue};
}

// True: the reply is given, or will be together with the first one's.
bool Submissions::answered_before(const SubmitJob& input, Token token) {
  const JobSpec& spec = *input.spec;
  if (spec.submission.empty()) return false;
  const auto known = submissions_.find({spec.user, spec.submission});
  if (known == submissions_.end()) return false;
  const Job& job = state_.job(known->second);
  if (job.spec->output != spec.output) {
    refuse(token, "submit",
           Error{ErrorCode::kBadRequest,
                 "submission " + spec.submission + " has made " + job_name(job.id) +
                     ", whose output is " + job.spec->output,
                 "an id of its own for each submission"});
    return true;
  }
  if (job.durable) {
    const std::string& path = state_.tree().node(job.queue).path;
    reply(token, Submitted{job.id, path.empty() ? job.spec->queue : path});
    return true;
  }
  parts_.promises.answer_too(job.id, token);
  return true;
}

void Submissions::remember_submission(const JobSpec& spec, JobId job) {
  if (!spec.submission.empty()) submissions_.emplace(std::pair(spec.user, spec.submission), job);
}

// The job leaves the list.
void Submissions::forget_submission(const JobSpec& spec) {
  if (!spec.submission.empty()) submissions_.erase({spec.user, spec.submission});
}

// The store did not take it.
void Submissions::drop_submission(const JobSubmitted& submitted) {
  Job& job = state_.mutable_job(submitted.job);
  forget_bytes(job);
  if (!submitted.spec->application()) outputs_.erase(submitted.spec->output);
  forget_submission(*submitted.spec);
  state_.forget_job(submitted.job);
  memory_.jobs.erase(submitted.job);
  tell_listed(submitted.job);
  changes_.jobs.insert(submitted.job);
  changes_.queues = true;
}

}  // namespace weir
