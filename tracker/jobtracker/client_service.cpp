#include "tracker/jobtracker/client_service.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "jobqueue/model/submission_limits.h"
#include "thrift/convert.h"
#include "thrift/wire_views.h"
#include "tracker/jobtracker/answering.h"
#include "tracker/jobtracker/commands.h"
#include "tracker/jobtracker/first_reasons.h"
#include "tracker/jobtracker/wire_pages.h"
#include "tracker/published/listing.h"
#include "tracker/published/render.h"
#include "tracker/rpc/peers.h"

namespace weir {

namespace {

constexpr std::string_view kStates[] = {"HELD",      "WAITING", "PENDING", "RUNNING",
                                        "SUCCEEDED", "FAILED",  "KILLED"};

// The record of a job that is not among those published (any more).
template <class Value, class Use>
void ask_record(HistoryReader& reader, const Answering<Value>& answering, JobId id, Use use) {
  reader.ask([answering, id, use = std::move(use)](const Result<History*>& history) {
    if (!history) return answering.refuse(history.error());
    const auto record = (*history)->find(id);
    if (!record) return answering.refuse(record.error());
    if (!*record) return answering.refuse(unknown_job(id));
    use(**history, **record);
  });
}

Result<std::size_t> list_limit(std::int32_t limit, std::int32_t least, std::int32_t most) {
  if (limit >= 0 && limit <= most) return static_cast<std::size_t>(limit == 0 ? least : limit);
  return bad_request("limit: " + std::to_string(limit) + " is out of range",
                     "1 to " + std::to_string(most) + ", or 0 for " + std::to_string(least));
}

// Where a page begins: behind this job, or at the newest.
Result<std::size_t> page_before(std::int64_t job) {
  if (job == 0) return std::size_t{0};
  const auto id = job_from_wire(job);
  if (!id) return id.error();
  return id->index();
}

using JobList = std::vector<wire::JobStatus>;

// The jobs of a list that wait, as many as are explained.
std::vector<JobId> waiting_of(const JobList& jobs) {
  std::vector<JobId> waiting;
  for (const wire::JobStatus& job : jobs) {
    if (job.state != "HELD" && job.state != "WAITING" && job.state != "PENDING") continue;
    waiting.emplace_back(static_cast<std::size_t>(job.job));
    if (waiting.size() == kJobsExplained) break;
  }
  return waiting;
}

void give_with_reasons(EngineLoop& loop, const Asker& asker, JobList jobs,
                       const Answering<JobList>& answering) {
  std::vector<JobId> waiting = waiting_of(jobs);
  const auto list = std::make_shared<JobList>(std::move(jobs));
  ask_first_reasons(loop, asker, std::move(waiting), [answering, list](const FirstReasons& of) {
    for (wire::JobStatus& job : *list) {
      const auto reason = of.find(JobId(static_cast<std::size_t>(job.job)));
      if (reason != of.end()) job.__set_reason(reason->second);
    }
    answering.give(*list);
  });
}

// What all commands on a job begin with; `command` makes the input of its caller and the job.
template <class Command>
void change_job(EngineLoop& loop, const Answering<wire::Done>& answering,
                const wire::Caller& caller, std::int64_t job, Command command) {
  const auto who = from_wire(caller);
  if (!who) return answering.refuse(who.error());
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  loop.post(command(*who, *id), answer_done(answering));
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
  auto shared = std::make_shared<const JobSpec>(std::move(*spec));
  loop_.post(SubmitJob{*caller, std::move(shared)},
             [answering](const EngineLoop::ReplyBody& reply, std::int64_t version) {
               const auto* submitted = std::get_if<Submitted>(&reply);
               if (submitted == nullptr) return answering.refuse(refusal_of(reply));
               wire::SubmitReply out;
               out.job = submitted->job.value;
               out.job_name = job_name(submitted->job);
               out.queue = submitted->queue;
               out.version = version;
               answering.give(out);
             });
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
  change_job(loop_, {std::move(give), std::move(refuse)}, caller, job,
             [](const Caller& who, JobId id) { return KillJob{who, id}; });
}

void ClientService::set_priority(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                 const std::int64_t job, const std::string& priority) {
  const Answering<wire::Done> answering(std::move(give), std::move(refuse));
  const auto parsed = priority_from_wire(priority);
  if (!parsed) return answering.refuse(parsed.error());
  change_job(loop_, answering, caller, job, [&parsed](const Caller& who, JobId id) {
    return SetPriority{who, id, *parsed};
  });
}

void ClientService::move_job(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                             const std::int64_t job, const std::string& queue) {
  change_job(loop_, {std::move(give), std::move(refuse)}, caller, job,
             [&queue](const Caller& who, JobId id) { return MoveJob{who, id, queue}; });
}

void ClientService::release_job(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                const std::int64_t job) {
  change_job(loop_, {std::move(give), std::move(refuse)}, caller, job,
             [](const Caller& who, JobId id) { return ReleaseJob{who, id}; });
}

// --- Reads of what is published ---

void ClientService::job_status(Give<wire::JobStatus> give, Refuse refuse, const std::int64_t job,
                               const std::int64_t min_version) {
  const Answering<wire::JobStatus> answering(std::move(give), std::move(refuse));
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  const auto look = [answering, id = *id, &time = loop_.time(),
                     &reader = history_](const Result<PublishedViewsPtr>& views) {
    if (!views) return answering.refuse(views.error());
    const auto show = [answering, &time](const JobView& view) {
      wire::JobStatus job = to_wire(view);
      job.__set_now_ms(time.wall_now());
      answering.give(job);
    };
    if (const auto record = (*views)->jobs.get(id.index())) return show(*record);
    ask_record(reader, answering, id, [show, &time](History&, const JobRecord& job) {
      show(render_record(job, time.wall()));
    });
  };
  loop_.views().when(min_version, look);
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
  const Answering<std::vector<wire::JobStatus>> answering(std::move(give), std::move(refuse));
  const auto most = list_limit(wanted.limit, kJobsListed, kMostJobsListed);
  if (!most) return answering.refuse(most.error());
  const TextRule rule{.max_bytes = SubmissionLimits::kNameBytes, .may_be_empty = true};
  if (const Status fits = check_text("name", wanted.name, rule); !fits)
    return answering.refuse(fits.error());
  for (const std::string& state : wanted.states) {
    if (std::find(std::begin(kStates), std::end(kStates), state) == std::end(kStates)) {
      return answering.refuse(bad_request("states: '" + state + "' is no state of a job",
                                          "HELD, WAITING, PENDING, RUNNING, SUCCEEDED, FAILED, "
                                          "KILLED"));
    }
  }
  JobFilter filter{.queue = wanted.queue,
                   .user = wanted.user,
                   .name = wanted.name,
                   .states = wanted.states,
                   .unfinished_only = wanted.unfinished_only,
                   .limit = *most};
  const auto before = page_before(wanted.before_job);
  if (!before) return answering.refuse(before.error());
  filter.before = *before;
  const auto look = [answering, &loop = loop_, asker = Asker{calling_peer(), ""},
                     filter = std::move(filter), paged = paged_if(wanted.__isset.before_job)](
                        const Result<PublishedViewsPtr>& views) {
    if (!views) return answering.refuse(views.error());
    auto jobs = page_of_jobs(**views, filter, paged);
    if (!jobs) return answering.refuse(jobs.error());
    give_with_reasons(loop, asker, std::move(*jobs), answering);
  };
  loop_.views().when(wanted.min_version, look);
}

void ClientService::list_history(Give<std::vector<wire::JobStatus>> give, Refuse refuse,
                                 const wire::HistoryFilter& filter) {
  const Answering<std::vector<wire::JobStatus>> answering(std::move(give), std::move(refuse));
  HistoryQuery query;
  const auto most = list_limit(filter.limit, kJobsListed, kMostJobsListed);
  if (!most) return answering.refuse(most.error());
  query.limit = *most;
  const auto before = page_before(filter.before_job);
  if (!before) return answering.refuse(before.error());
  query.before_job = *before;
  query.user = filter.user;
  if (!filter.queue.empty()) {
    const auto queue = queue_of_the_past(*loop_.views().latest(), filter.queue);
    if (!queue) return answering.refuse(queue.error());
    query.queue = *queue;
  }
  const WallClock* wall = &loop_.time().wall();
  if (filter.__isset.since_ms) query.since = wall->engine_at(filter.since_ms);
  if (filter.__isset.before_ms) query.before = wall->engine_at(filter.before_ms);
  history_.ask([answering, wall, paged = paged_if(filter.__isset.before_job),
                query = std::move(query)](const Result<History*>& history) {
    if (!history) return answering.refuse(history.error());
    const auto found = (*history)->list(query);
    if (!found) return answering.refuse(found.error());
    Page<wire::JobStatus> page(paged);
    for (const JobRecord& record : *found) {
      wire::JobStatus job = to_wire(render_record(record, *wall));
      // job_status has all of it; a list of thousands must fit a frame.
      std::string& why = job.diagnostics;
      if (why.size() > kDiagnosticsListed) why.replace(kDiagnosticsListed, why.npos, "...");
      if (!page.add(std::move(job))) break;
    }
    answering.give(page.take());
  });
}

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

// --- Looks inside the engine, which makes views; they are written off its thread ---

void ClientService::attempts(Give<std::vector<wire::AttemptInfo>> give, Refuse refuse,
                             const std::int64_t job) {
  const Answering<std::vector<wire::AttemptInfo>> answering(std::move(give), std::move(refuse));
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  loop_.query([answering, id = *id, &loop = loop_,
               &reader = history_](const Result<EngineLoop::Inside>& inside) {
    if (!inside) return answering.refuse(inside.error());
    const Engine& engine = *inside->engine;
    const TimeSource& time = loop.time();
    const Job* found = engine.state().find_job(id);
    const bool there = found != nullptr && found->durable;
    std::vector<AttemptView> known;
    if (there) known = inside->history->list(engine, *found, time.wall());
    if (there && found->submitted_at >= time.started() && !is_over(found->state)) {  // all of them
      return loop.hand_over(
          [answering, known = std::move(known)] { answering.give(list_to_wire(known)); });
    }
    // Of earlier starts, and of jobs that are over, the store knows more.
    const auto add = [answering, known = std::move(known), &time,
                      views = loop.views().latest()](History& history, JobId job) {
      const auto stored = history.attempts(job);
      if (!stored) return answering.refuse(stored.error());
      answering.give(list_to_wire(with_stored(*views, known, *stored, time.wall())));
    };
    if (!there) {
      return ask_record(reader, answering, id, [add](History& history, const JobRecord& record) {
        add(history, record.job);
      });
    }
    reader.ask([answering, id, add](const Result<History*>& history) {
      if (!history) return answering.refuse(history.error());
      add(**history, id);
    });
  });
}

void ClientService::explain(Give<wire::JobExplanation> give, Refuse refuse,
                            const std::int64_t job) {
  const Answering<wire::JobExplanation> answering(std::move(give), std::move(refuse));
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  loop_.query([answering, id = *id, &loop = loop_,
               &reader = history_](const Result<EngineLoop::Inside>& inside) {
    if (!inside) return answering.refuse(inside.error());
    const WallClock* wall = &loop.time().wall();
    const Job* found = inside->engine->state().find_job(id);
    if (found == nullptr || !found->durable) {
      return ask_record(reader, answering, id, [answering, wall](History&, const JobRecord& job) {
        answering.give(to_wire(ExplanationView{render_record(job, *wall), {}}));
      });
    }
    ExplanationView out{render_job(*inside->engine, *found, *wall), {}};
    for (const Reason& reason : inside->engine->explain(id)) {
      out.reasons.push_back(
          {reason.code, reason.message, {reason.numbers.begin(), reason.numbers.end()}});
    }
    loop.hand_over([answering, out = std::move(out)] { answering.give(to_wire(out)); });
  });
}

}  // namespace weir
