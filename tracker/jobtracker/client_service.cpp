#include "tracker/jobtracker/client_service.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "jobqueue/model/submission_limits.h"
#include "thrift/convert.h"
#include "tracker/jobtracker/answering.h"
#include "tracker/jobtracker/commands.h"
#include "tracker/jobtracker/listing.h"
#include "tracker/jobtracker/page.h"
#include "tracker/rpc/peers.h"

namespace weir {

namespace {

constexpr std::string_view kStates[] = {"HELD",      "WAITING", "PENDING", "RUNNING",
                                        "SUCCEEDED", "FAILED",  "KILLED"};

// The record of a job that is not on the board (any more).
template <class Value, class Use>
void ask_record(HistoryDesk& desk, const Answering<Value>& answering, JobId id, Use use) {
  desk.ask([answering, id, use = std::move(use)](const Result<History*>& history) {
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

// Where a page begins; none: all is wanted in one piece.
Result<std::optional<std::size_t>> page_before(bool paged, std::int64_t job) {
  if (!paged) return std::optional<std::size_t>();
  if (job == 0) return std::optional<std::size_t>(0);
  const auto id = job_from_wire(job);
  if (!id) return id.error();
  return std::optional<std::size_t>(id->index());
}

using JobList = std::vector<wire::JobStatus>;

// Those of a list that wait are looked at by the engine, a few at a time, so that heartbeats come
// in between.
struct WaitingJobs {
  static constexpr std::size_t kAtATime = 10;
  static constexpr std::size_t kExplained = 100;

  EngineLoop& loop;
  Asker asker;
  JobList jobs;
  Answering<JobList> answering;
  std::vector<std::size_t> waiting;  // places in `jobs`
  std::size_t next = 0;
};

void explain_next(const std::shared_ptr<WaitingJobs>& work) {
  if (work->next == work->waiting.size()) return work->answering.give(work->jobs);
  const auto look = [work](const Result<EngineLoop::Inside>& inside) {
    if (!inside) return work->answering.give(work->jobs);  // it is busy: without reasons, then
    for (std::size_t n = 0; n < WaitingJobs::kAtATime && work->next < work->waiting.size(); ++n) {
      wire::JobStatus& job = work->jobs[work->waiting[work->next++]];
      const auto reasons = inside->engine->explain(JobId(static_cast<std::size_t>(job.job)));
      if (!reasons.empty()) job.__set_reason(reasons.front().message);
    }
    explain_next(work);
  };
  work->loop.query(look, work->asker);
}

void give_with_reasons(EngineLoop& loop, const Asker& asker, JobList jobs,
                       const Answering<JobList>& answering) {
  auto work =
      std::make_shared<WaitingJobs>(WaitingJobs{loop, asker, std::move(jobs), answering, {}});
  for (std::size_t i = 0; i < work->jobs.size(); ++i) {
    const std::string& state = work->jobs[i].state;
    if (state != "HELD" && state != "WAITING" && state != "PENDING") continue;
    if (work->waiting.size() < WaitingJobs::kExplained) work->waiting.push_back(i);
  }
  explain_next(work);
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

// --- Reads from the board ---

void ClientService::job_status(Give<wire::JobStatus> give, Refuse refuse, const std::int64_t job,
                               const std::int64_t min_version) {
  const Answering<wire::JobStatus> answering(std::move(give), std::move(refuse));
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  const auto look = [answering, id = *id, &time = loop_.time(),
                     &desk = history_](const Result<BoardViewPtr>& view) {
    if (!view) return answering.refuse(view.error());
    const auto show = [answering, &time](wire::JobStatus job) {
      job.__set_now_ms(time.wall_now());
      answering.give(job);
    };
    if (const auto record = (*view)->jobs.get(id.index())) return show(*record);
    ask_record(desk, answering, id, [show, &time](History&, const JobRecord& job) {
      show(render_record(job, time.wall()));
    });
  };
  loop_.board().when(min_version, look);
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
                   .limit = *most,
                   .before = {}};
  const auto before = page_before(wanted.__isset.before_job, wanted.before_job);
  if (!before) return answering.refuse(before.error());
  filter.before = *before;
  loop_.board().when(wanted.min_version,
                     [answering, &loop = loop_, asker = Asker{calling_peer(), ""},
                      filter = std::move(filter)](const Result<BoardViewPtr>& view) {
                       if (!view) return answering.refuse(view.error());
                       auto jobs = list_jobs_of(**view, filter);
                       if (!jobs) return answering.refuse(jobs.error());
                       give_with_reasons(loop, asker, std::move(*jobs), answering);
                     });
}

void ClientService::list_history(Give<std::vector<wire::JobStatus>> give, Refuse refuse,
                                 const wire::HistoryFilter& filter) {
  const Answering<std::vector<wire::JobStatus>> answering(std::move(give), std::move(refuse));
  HistoryQuery query;
  const auto most = list_limit(filter.limit, kJobsListed, kMostJobsListed);
  if (!most) return answering.refuse(most.error());
  query.limit = *most;
  const auto before = page_before(filter.__isset.before_job, filter.before_job);
  if (!before) return answering.refuse(before.error());
  query.before_job = before->value_or(0);
  query.user = filter.user;
  if (!filter.queue.empty()) {
    const auto queue = queue_of_the_past(*loop_.board().view(), filter.queue);
    if (!queue) return answering.refuse(queue.error());
    query.queue = *queue;
  }
  const WallClock* wall = &loop_.time().wall();
  if (filter.__isset.since_ms) query.since = wall->engine_at(filter.since_ms);
  if (filter.__isset.before_ms) query.before = wall->engine_at(filter.before_ms);
  history_.ask([answering, wall, paged = before->has_value(),
                query = std::move(query)](const Result<History*>& history) {
    if (!history) return answering.refuse(history.error());
    const auto found = (*history)->list(query);
    if (!found) return answering.refuse(found.error());
    std::vector<wire::JobStatus> jobs;
    Page<wire::JobStatus> page;
    for (const JobRecord& record : *found) {
      wire::JobStatus job = render_record(record, *wall);
      // job_status has all of it; a list of thousands must fit a frame.
      std::string& why = job.diagnostics;
      if (why.size() > kDiagnosticsListed) why.replace(kDiagnosticsListed, why.npos, "...");
      if (!paged) {
        jobs.push_back(std::move(job));
      } else if (!page.add(std::move(job))) {
        break;
      }
    }
    answering.give(paged ? page.take() : jobs);
  });
}

void ClientService::queues(Give<std::vector<wire::QueueStatus>> give, Refuse refuse,
                           const std::string& name, const std::int64_t min_version) {
  const Answering<std::vector<wire::QueueStatus>> answering(std::move(give), std::move(refuse));
  loop_.board().when(min_version, [answering, name](const Result<BoardViewPtr>& view) {
    if (!view) return answering.refuse(view.error());
    if (name.empty()) return answering.give(*(*view)->queues);
    const auto queue = find_queue(**view, name);
    if (!queue) return answering.refuse(queue.error());
    answering.give({**queue});
  });
}

void ClientService::trackers(Give<std::vector<wire::TrackerStatus>> give, Refuse) {
  give(list_trackers_of(*loop_.board().view(), loop_.time().now()));
}

void ClientService::find_queues(Give<std::vector<wire::QueueStatus>> give, Refuse refuse,
                                const wire::QueueFilter& filter) {
  const Answering<std::vector<wire::QueueStatus>> answering(std::move(give), std::move(refuse));
  loop_.board().when(filter.min_version,
                     [answering, after = filter.after](const Result<BoardViewPtr>& view) {
                       if (!view) return answering.refuse(view.error());
                       const auto page = page_of_queues(**view, after);
                       if (!page) return answering.refuse(page.error());
                       answering.give(*page);
                     });
}

void ClientService::find_trackers(Give<std::vector<wire::TrackerStatus>> give, Refuse,
                                  const wire::TrackerFilter& filter) {
  give(page_of_trackers(*loop_.board().view(), loop_.time().now(), filter.after));
}

// --- Looks inside the engine ---

void ClientService::attempts(Give<std::vector<wire::AttemptInfo>> give, Refuse refuse,
                             const std::int64_t job) {
  const Answering<std::vector<wire::AttemptInfo>> answering(std::move(give), std::move(refuse));
  const auto id = job_from_wire(job);
  if (!id) return answering.refuse(id.error());
  loop_.query([answering, id = *id, &time = loop_.time(), &desk = history_,
               &board = loop_.board()](const Result<EngineLoop::Inside>& inside) {
    if (!inside) return answering.refuse(inside.error());
    const Engine& engine = *inside->engine;
    const Job* found = engine.state().find_job(id);
    std::vector<wire::AttemptInfo> known;
    if (found != nullptr && found->durable) {
      known = inside->history->list(engine, *found, time.wall());
      const bool whole = found->submitted_at >= time.started() && !is_over(found->state);
      if (whole) return answering.give(known);
    }
    // Of earlier starts, and of jobs that are over, the store knows more.
    const auto add = [answering, known, &time, view = board.view()](History& history, JobId job) {
      const auto stored = history.attempts(job);
      if (!stored) return answering.refuse(stored.error());
      answering.give(with_stored(*view, known, *stored, time.wall()));
    };
    if (found == nullptr || !found->durable) {
      return ask_record(desk, answering, id, [add](History& history, const JobRecord& record) {
        add(history, record.job);
      });
    }
    desk.ask([answering, id, add](const Result<History*>& history) {
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
  loop_.query([answering, id = *id, wall = &loop_.time().wall(),
               &desk = history_](const Result<EngineLoop::Inside>& inside) {
    if (!inside) return answering.refuse(inside.error());
    const Engine& engine = *inside->engine;
    const Job* found = engine.state().find_job(id);
    if (found == nullptr || !found->durable) {
      return ask_record(desk, answering, id, [answering, wall](History&, const JobRecord& job) {
        wire::JobExplanation over;
        over.status = render_record(job, *wall);
        answering.give(over);
      });
    }
    wire::JobExplanation out;
    out.status = render_job(engine, *found, *wall);
    for (const Reason& reason : engine.explain(id)) {
      wire::Reason line;
      line.code = reason.code;
      line.message = reason.message;
      if (!reason.numbers.empty()) {
        line.__set_numbers({reason.numbers.begin(), reason.numbers.end()});
      }
      out.reasons.push_back(std::move(line));
    }
    answering.give(out);
  });
}

}  // namespace weir
