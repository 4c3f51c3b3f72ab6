// Jobs, and those that are over for long.
#include <fmt/format.h>

#include <algorithm>

#include "web/api/fields.h"
#include "web/api/handlers.h"
#include "web/api/reads.h"

namespace weir::web {
namespace {

constexpr std::size_t kPageBytes = 4 << 20;

// A cursor is the number of the last job of the page before.
std::size_t cursor_of(const Query& query) {
  const auto text = query.text("cursor");
  if (!text) return 0;
  const auto job = parse_job_name(*text);
  if (!job) refuse("query: cursor: is none of ours", "X-Weir-Next-Cursor of the page before");
  return job->index();
}

// In capitals, whatever they are written in.
std::vector<std::string> states_of(const Query& query) {
  std::vector<std::string> states = query.list("state");
  for (std::string& state : states) {
    std::transform(state.begin(), state.end(), state.begin(), [](unsigned char c) {
      return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    });
  }
  return states;
}

std::size_t limit_of(const Query& query) {
  return static_cast<std::size_t>(query.limit(static_cast<std::int64_t>(JobService::kJobsListed)));
}

// What makes a page an answer. Of the request it keeps what the link needs: it is gone by then.
auto page_answer(const Call& call, const char* path) {
  HttpRequest asked;
  asked.query = call.request.query;
  return [asked = std::move(asked), path](const JobPage& page) {
    HttpAnswer answer = json_text_answer(json_lines(page.jobs), page.version);
    if (page.version > 0) answer.etag = etag_of(page.version);
    if (page.next != 0) {
      const std::string cursor = std::to_string(JobId(page.next).value);
      answer.with("X-Weir-Next-Cursor", cursor).with("Link", next_page(asked, path, cursor));
    }
    return answer;
  };
}

Json about(JobId job) {
  return {{"job", job_name(job)}, {"number", job.value}};
}

void read_order(const Query& query, JobFilter& filter) {
  using Order = JobFilter::Order;
  const std::string sort = query.text("sort").value_or("-submitted");
  if (sort != "submitted" && sort != "-submitted" && sort != "service")
    refuse("query: sort: must be submitted, -submitted or service",
           "submitted, -submitted, service");
  filter.order = sort == "service"     ? Order::kService
                 : sort == "submitted" ? Order::kOldestFirst
                                       : Order::kNewestFirst;
  const auto kind = query.text("class");
  if (kind && *kind != "map" && *kind != "reduce")
    refuse("query: class: must be map or reduce", "map, reduce");
  if (kind == "reduce") filter.served = TaskKind::kReduce;
  if (filter.order != Order::kService) {
    if (kind) refuse("query: class: is for sort=service", "sort=service, or no class");
  } else if (filter.queue.empty() && filter.pool.empty()) {
    refuse("query: sort: service is for the jobs of one queue or pool", "queue or pool");
  } else if (query.text("cursor")) {
    refuse("query: cursor: the order of service has one page", "a limit of up to 10000");
  }
}

}  // namespace

void get_jobs(ApiContext& context, const Call& call) {
  const Query query = call.query({"queue", "pool", "user", "state", "name", "since", "sort",
                                  "class", "limit", "cursor", "unfinished", "min_version"});
  JobFilter filter;
  filter.queue = query.text("queue").value_or("");
  filter.pool = query.text("pool").value_or("");
  filter.user = query.text("user").value_or("");
  filter.name = query.text("name").value_or("");
  filter.states = states_of(query);
  filter.unfinished_only = query.flag("unfinished");
  filter.since_ms = query.integer("since").value_or(0);
  read_order(query, filter);
  filter.limit = limit_of(query);
  filter.from = cursor_of(query);
  filter.page_bytes = kPageBytes;
  JobService& jobs = context.tracker.jobs();
  const auto render = page_answer(call, "/jobs");
  if (const auto version = query.integer("min_version"))
    return jobs.find(std::move(filter), *version, call.reply.then<JobPage>(render));
  const auto ask = [&jobs, filter](Answer<JobPage> answer) {
    jobs.find(filter, 0, std::move(answer));
  };
  share<JobPage>(context, call, call.request.target, ask, render);
}

void get_history(ApiContext& context, const Call& call) {
  const Query query = call.query(
      {"queue", "user", "state", "name", "since", "before", "sort", "limit", "cursor"});
  HistoryFilter filter;
  filter.queue = query.text("queue").value_or("");
  filter.user = query.text("user").value_or("");
  filter.name = query.text("name").value_or("");
  filter.states = states_of(query);
  const std::string sort = query.text("sort").value_or("-finished");
  if (sort != "finished" && sort != "-finished")
    refuse("query: sort: must be finished or -finished", "finished, -finished");
  filter.oldest_first = sort == "finished";
  filter.since_ms = query.integer("since");
  filter.before_ms = query.integer("before");
  filter.limit = limit_of(query);
  filter.before_job = cursor_of(query);
  filter.page_bytes = kPageBytes;
  context.tracker.jobs().history(filter, call.reply.then<JobPage>(page_answer(call, "/history")));
}

void get_job(ApiContext& context, const Call& call) {
  const Query query = call.query({"min_version"});
  const Version version = query.integer("min_version").value_or(0);
  const Version seen = context.tracker.loop().views().version();
  context.tracker.jobs().status(call.job(), version,
                                call.reply.then<JobView>([seen](const JobView& job) {
                                  return json_answer(to_json(job), seen);
                                }));
}

void get_job_counters(ApiContext& context, const Call& call) {
  const Query query = call.query({"min_version"});
  const Version version = query.integer("min_version").value_or(0);
  context.tracker.jobs().status(call.job(), version,
                                call.reply.then<JobView>([](const JobView& job) {
                                  const Json whole = to_json(job);
                                  return json_answer({{"job", job_name(job.id)},
                                                      {"number", job.id.value},
                                                      {"counters", whole.at("counters")}});
                                }));
}

void get_job_explain(ApiContext& context, const Call& call) {
  call.query({});
  context.tracker.jobs().explain(
      call.job(), call.reply.then<ExplanationView>(
                      [](const ExplanationView& of) { return json_answer(to_json(of)); }));
}

void get_job_submission(ApiContext& context, const Call& call) {
  call.query({});
  context.tracker.jobs().asked("", call.job(), call.reply.then<AskedView>([](const AskedView& of) {
    return json_answer(to_json(of));
  }));
}

void get_job_tasks(ApiContext& context, const Call& call) {
  call.query({});
  context.tracker.jobs().attempts(call.job(), call.reply.then<std::vector<AttemptView>>(
                                                  [](const std::vector<AttemptView>& attempts) {
                                                    return json_text_answer(json_lines(attempts));
                                                  }));
}

void post_job(ApiContext& context, const Call& call) {
  call.query({});
  const Caller caller = call.caller();
  const auto answer = [reply = call.reply](Result<SubmittedView> submitted) {
    if (!submitted) {
      const int status = InputLookups::for_everybody(submitted.error()) ? 503 : 0;
      return reply.give(error_answer(Refusal{submitted.error(), status, {}}));
    }
    HttpAnswer made = json_answer(to_json(*submitted), submitted->version);
    made.status = 201;
    made.cache_control = "no-store";
    made.with("Location", fmt::format("/api/v1/jobs/{}", submitted->job.value));
    reply.give(std::move(made));
  };
  context.submitter.submit(caller, json_body(call.request), answer);
}

void delete_job(ApiContext& context, const Call& call) {
  call.query({});
  const JobId job = call.job();
  context.tracker.jobs().kill(call.caller(), job, done(call, about(job)));
}

namespace {

// What a PATCH changes: in one step each. What may be refused for itself is the place, so it comes
// first, and the release, which is looked at before any.
struct JobChange {
  std::optional<std::string> place;
  std::optional<Priority> priority;
  bool release = false;
};

JobChange change_of(const HttpRequest& request, Json& about) {
  const Json body = json_body(request);
  Fields fields(body, "");
  JobChange change;
  const auto queue = fields.text("queue");
  const auto pool = fields.text("pool");
  const auto priority = fields.text("priority");
  const auto held = fields.boolean("held");
  fields.end();
  if (queue && pool) refuse("queue, pool: a job is moved to one of them", "one of the two");
  if (held && *held) refuse("held: a job cannot be held once it is there", "false");
  change.place = queue ? queue : pool;
  if (priority) {
    change.priority = parse_priority(*priority);
    if (!change.priority)
      refuse("priority: '" + priority->substr(0, 64) + "' is none",
             "VERY_HIGH, HIGH, NORMAL, LOW, VERY_LOW");
    about["priority"] = name(*change.priority);
  }
  change.release = held.has_value();
  if (queue) about["queue"] = *queue;
  if (pool) about["pool"] = *pool;
  if (!change.place && !change.priority && !change.release)
    refuse("the body changes nothing", "queue, pool, priority, or held: false");
  return change;
}

struct ChangeAnswers {
  Answer<Version> done;
  Answer<Version> released;  // whether it is held is as things are now: a conflict
};

void change_job(ApiContext& context, const Caller& caller, JobId job, JobChange change,
                const ChangeAnswers& answers) {
  const auto then = [&context, caller, job, answers](JobChange rest) {
    return [&context, caller, job, answers, rest](Result<Version> version) {
      const bool over = !rest.place && !rest.priority && !rest.release;
      if (!version || over) return answers.done(std::move(version));
      change_job(context, caller, job, rest, answers);
    };
  };
  JobService& jobs = context.tracker.jobs();
  if (change.place) {
    const std::string place = *std::exchange(change.place, std::nullopt);
    jobs.move(caller, job, place, then(change));
  } else if (change.priority) {
    const Priority priority = *std::exchange(change.priority, std::nullopt);
    jobs.set_priority(caller, job, priority, then(change));
  } else {
    jobs.release(caller, job, answers.released);
  }
}

bool may_be_released(const JobView& job) {
  const bool over = job.state == name(JobState::kSucceeded) ||
                    job.state == name(JobState::kFailed) || job.state == name(JobState::kKilled);
  return over || job.state == "HELD";  // of one that is over, the first step says so
}

}  // namespace

void patch_job(ApiContext& context, const Call& call) {
  call.query({});
  const JobId job = call.job();
  const Caller caller = call.caller();
  Json about_it = about(job);
  const JobChange change = change_of(call.request, about_it);
  const auto answer = done(call, std::move(about_it));
  const ChangeAnswers answers{answer, or_conflict(call, answer)};
  if (!change.release || (!change.place && !change.priority))
    return change_job(context, caller, job, change, answers);
  const auto look = [&context, caller, job, change, answers](const Result<JobView>& view) {
    if (!view) return answers.done(view.error());
    if (may_be_released(*view)) return change_job(context, caller, job, change, answers);
    answers.released(Error{ErrorCode::kBadRequest, job_name(job) + " is not held",
                           "nothing was changed; leave out held", {}});
  };
  context.tracker.jobs().status(job, 0, look);
}

}  // namespace weir::web
