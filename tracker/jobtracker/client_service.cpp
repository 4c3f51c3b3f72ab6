#include "tracker/jobtracker/client_service.h"

#include <memory>
#include <utility>

#include "jobqueue/model/submission_limits.h"
#include "thrift/convert.h"
#include "thrift/wire_views.h"
#include "tracker/jobtracker/answering.h"
#include "tracker/jobtracker/wire_pages.h"
#include "tracker/port/peers.h"
#include "tracker/published/listing.h"

namespace weir {

namespace {

using Jobs = std::vector<wire::JobStatus>;

// Where a page begins: behind this job, or at the first.
Result<std::size_t> page_from(std::int64_t job) {
  if (job == 0) return std::size_t{0};
  const auto id = job_from_wire(job);
  if (!id) return id.error();
  return id->index();
}

// What all commands on a job begin with; `command` gives the caller and the job to a service.
template <class Command>
void change_job(const Answering<wire::Done>& answering, const wire::Caller& caller,
                std::int64_t job, Command command) {
  const auto who = from_wire(caller);
  if (!who) return answering.refuse(who.error());
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  command(*who, *id, written_done(answering));
}

wire::SubmitReply reply_of(const SubmittedView& submitted) {
  wire::SubmitReply out;
  out.job = submitted.job.value;
  out.job_name = job_name(submitted.job);
  out.queue = submitted.queue;
  out.version = submitted.version;
  if (!submitted.warnings.empty()) out.__set_warnings(submitted.warnings);
  return out;
}

}  // namespace

// --- Commands ---

void ClientService::submit(Give<wire::SubmitReply> give, Refuse refuse,
                           const wire::SubmitRequest& request) {
  const Answering<wire::SubmitReply> answering(std::move(give), std::move(refuse));
  const auto caller = from_wire(request.caller);
  if (!caller) return answering.refuse(caller.error());
  wire::JobSpec uploaded;
  const bool upload = request.__isset.upload && !request.upload.empty();
  if (upload) {
    auto splits = uploads_.take(caller->user, request.upload, Uploads::Clock::now());
    if (!splits) return answering.refuse(splits.error());
    uploaded = request.spec;
    uploaded.splits = std::move(*splits);
    uploaded.splits.insert(uploaded.splits.end(), request.spec.splits.begin(),
                           request.spec.splits.end());
  }
  auto spec = from_wire(upload ? uploaded : request.spec, *caller);
  if (!spec) return answering.refuse(spec.error());
  const TextRule rule{.max_bytes = SubmissionLimits::kSubmissionBytes, .may_be_empty = true};
  if (const Status fits = check_text("submission", request.submission, rule); !fits)
    return answering.refuse(fits.error());
  spec->submission = request.submission;
  spec->origin.address = calling_peer();
  jobs_.submit(*caller, std::make_shared<const JobSpec>(std::move(*spec)),
               written<SubmittedView>(answering, reply_of));
}

void ClientService::begin_upload(Give<std::string> give, Refuse refuse,
                                 const wire::Caller& caller) {
  const Answering<std::string> answering(std::move(give), std::move(refuse));
  const auto who = from_wire(caller);
  if (!who) return answering.refuse(who.error());
  note_calling_user(who->user);
  const auto id = uploads_.begin(who->user, calling_peer(), Uploads::Clock::now());
  if (!id) return answering.refuse(id.error());
  answering.give(*id);
}

void ClientService::append_splits(std::function<void()> give, Refuse refuse,
                                  const std::string& upload,
                                  const std::vector<wire::Split>& splits) {
  const Status done = uploads_.append(upload, splits, Uploads::Clock::now());
  if (done) return give();
  refuse(apache::thrift::TDelayedException::delayException(to_wire(done.error())));
}

void ClientService::kill_job(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                             const std::int64_t job) {
  change_job({std::move(give), std::move(refuse)}, caller, job,
             [this](const Caller& who, JobId id, Answer<Version> answer) {
               jobs_.kill(who, id, std::move(answer));
             });
}

void ClientService::set_priority(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                 const std::int64_t job, const std::string& priority) {
  const Answering<wire::Done> answering(std::move(give), std::move(refuse));
  const auto parsed = priority_from_wire(priority);
  if (!parsed) return answering.refuse(parsed.error());
  change_job(answering, caller, job,
             [this, &parsed](const Caller& who, JobId id, Answer<Version> answer) {
               jobs_.set_priority(who, id, *parsed, std::move(answer));
             });
}

void ClientService::move_job(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                             const std::int64_t job, const std::string& queue) {
  change_job({std::move(give), std::move(refuse)}, caller, job,
             [this, &queue](const Caller& who, JobId id, Answer<Version> answer) {
               jobs_.move(who, id, queue, std::move(answer));
             });
}

void ClientService::release_job(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                const std::int64_t job) {
  change_job({std::move(give), std::move(refuse)}, caller, job,
             [this](const Caller& who, JobId id, Answer<Version> answer) {
               jobs_.release(who, id, std::move(answer));
             });
}

// --- Jobs ---

void ClientService::job_status(Give<wire::JobStatus> give, Refuse refuse, const std::int64_t job,
                               const std::int64_t min_version) {
  const Answering<wire::JobStatus> answering(std::move(give), std::move(refuse));
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  jobs_.status(*id, min_version,
               written<JobView>(answering, [](const JobView& view) { return to_wire(view); }));
}

void ClientService::list_jobs(Give<std::vector<wire::JobStatus>> give, Refuse refuse,
                              const std::string& queue, const std::string& user,
                              const bool unfinished_only, const std::int32_t limit,
                              const std::int64_t min_version) {
  wire::JobFilter filter;
  filter.__set_queue(queue);
  filter.__set_user(user);
  filter.__set_unfinished_only(unfinished_only);
  filter.__set_limit(limit);
  filter.__set_min_version(min_version);
  find_jobs(std::move(give), std::move(refuse), filter);
}

void ClientService::find_jobs(Give<std::vector<wire::JobStatus>> give, Refuse refuse,
                              const wire::JobFilter& wanted) {
  const Answering<Jobs> answering(std::move(give), std::move(refuse));
  const auto most = JobService::list_limit(wanted.limit);
  if (!most) return answering.refuse(most.error());
  const auto from = page_from(wanted.before_job);
  if (!from) return answering.refuse(from.error());
  JobFilter filter{.queue = wanted.queue,
                   .user = wanted.user,
                   .name = wanted.name,
                   .states = wanted.states,
                   .unfinished_only = wanted.unfinished_only,
                   .limit = *most,
                   .from = *from,
                   .page_bytes = wanted.__isset.before_job ? kPageBytes : 0};
  jobs_.find(std::move(filter), wanted.min_version,
             written<JobPage>(answering, [](const JobPage& page) { return list_to_wire(page); }));
}

void ClientService::list_history(Give<std::vector<wire::JobStatus>> give, Refuse refuse,
                                 const wire::HistoryFilter& wanted) {
  const Answering<Jobs> answering(std::move(give), std::move(refuse));
  const auto most = JobService::list_limit(wanted.limit);
  if (!most) return answering.refuse(most.error());
  const auto from = page_from(wanted.before_job);
  if (!from) return answering.refuse(from.error());
  HistoryFilter filter;
  filter.queue = wanted.queue;
  filter.user = wanted.user;
  filter.name = wanted.name;
  filter.states = wanted.states;
  filter.oldest_first = wanted.oldest_first;
  if (wanted.__isset.since_ms) filter.since_ms = wanted.since_ms;
  if (wanted.__isset.before_ms) filter.before_ms = wanted.before_ms;
  filter.limit = *most;
  filter.before_job = *from;
  filter.page_bytes = wanted.__isset.before_job ? kPageBytes : 0;
  jobs_.history(
      filter, written<JobPage>(answering, [](const JobPage& page) { return list_to_wire(page); }));
}

void ClientService::attempts(Give<std::vector<wire::AttemptInfo>> give, Refuse refuse,
                             const std::int64_t job) {
  const Answering<std::vector<wire::AttemptInfo>> answering(std::move(give), std::move(refuse));
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  using Views = std::vector<AttemptView>;
  jobs_.attempts(*id,
                 written<Views>(answering, [](const Views& views) { return list_to_wire(views); }));
}

void ClientService::job_submission(Give<wire::AskedJob> give, Refuse refuse,
                                   const std::string& user, const std::int64_t job) {
  const Answering<wire::AskedJob> answering(std::move(give), std::move(refuse));
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  jobs_.asked(user, *id,
              written<AskedView>(answering, [](const AskedView& view) { return to_wire(view); }));
}

void ClientService::explain(Give<wire::JobExplanation> give, Refuse refuse,
                            const std::int64_t job) {
  const Answering<wire::JobExplanation> answering(std::move(give), std::move(refuse));
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  jobs_.explain(*id, written<ExplanationView>(
                         answering, [](const ExplanationView& view) { return to_wire(view); }));
}

// --- Queues and trackers, as they are published ---

void ClientService::queues(Give<std::vector<wire::QueueStatus>> give, Refuse refuse,
                           const std::string& name, const std::int64_t min_version) {
  const Answering<std::vector<wire::QueueStatus>> answering(std::move(give), std::move(refuse));
  loop_.views().when(min_version, [answering, name](const Result<PublishedViewsPtr>& views) {
    if (!views) return answering.refuse(views.error());
    if (name.empty()) return answering.give(list_to_wire(*(*views)->queues));
    const auto queue = find_queue(**views, name);
    if (!queue) return answering.refuse(queue.error());
    answering.give({to_wire(**queue)});
  });
}

void ClientService::trackers(Give<std::vector<wire::TrackerStatus>> give, Refuse) {
  give(all_trackers(*loop_.views().latest(), loop_.time().now()));
}

void ClientService::find_queues(Give<std::vector<wire::QueueStatus>> give, Refuse refuse,
                                const wire::QueueFilter& filter) {
  const Answering<std::vector<wire::QueueStatus>> answering(std::move(give), std::move(refuse));
  const auto look = [answering, after = filter.after](const Result<PublishedViewsPtr>& views) {
    if (!views) return answering.refuse(views.error());
    const auto page = page_of_queues(**views, after);
    if (!page) return answering.refuse(page.error());
    answering.give(*page);
  };
  loop_.views().when(filter.min_version, look);
}

void ClientService::find_trackers(Give<std::vector<wire::TrackerStatus>> give, Refuse,
                                  const wire::TrackerFilter& filter) {
  give(page_of_trackers(*loop_.views().latest(), loop_.time().now(), filter.after));
}

}  // namespace weir
