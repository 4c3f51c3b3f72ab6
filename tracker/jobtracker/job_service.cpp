#include "tracker/jobtracker/job_service.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "fair/fair_settings.h"
#include "jobqueue/model/conf_without_effect.h"
#include "jobqueue/model/secrets.h"
#include "jobqueue/model/submission_checks.h"
#include "jobqueue/model/submission_limits.h"
#include "tracker/jobtracker/commands.h"
#include "tracker/jobtracker/first_reasons.h"
#include "tracker/jobtracker/service_order.h"
#include "tracker/port/peers.h"
#include "tracker/published/name_pattern.h"
#include "tracker/published/render.h"
#include "tracker/splits/packed_files.h"

namespace weir {
namespace {

constexpr std::string_view kStates[] = {"HELD",      "WAITING", "PENDING", "RUNNING",
                                        "SUCCEEDED", "FAILED",  "KILLED"};

// The record of a job that is not among those published (any more).
template <class Value, class Use>
void ask_record(HistoryReader& reader, const Answer<Value>& answer, JobId id, Use use) {
  reader.ask([answer, id, use = std::move(use)](const Result<History*>& history) {
    if (!history) return answer(history.error());
    const auto record = (*history)->find(id);
    if (!record) return answer(record.error());
    if (!*record) return answer(unknown_job(id));
    use(**history, **record);
  });
}

// The jobs of a list that wait, as many as are explained.
std::vector<JobId> waiting_of(const std::vector<JobView>& jobs) {
  std::vector<JobId> waiting;
  for (const JobView& job : jobs) {
    if (job.state != "HELD" && job.state != "WAITING" && job.state != "PENDING") continue;
    waiting.push_back(job.id);
    if (waiting.size() == kJobsExplained) break;
  }
  return waiting;
}

void give_with_reasons(EngineLoop& loop, const Asker& asker, JobPage jobs,
                       const Answer<JobPage>& answer) {
  std::vector<JobId> waiting = waiting_of(jobs.jobs);
  const auto page = std::make_shared<JobPage>(std::move(jobs));
  ask_first_reasons(loop, asker, std::move(waiting), [answer, page](const FirstReasons& of) {
    for (JobView& job : page->jobs) {
      const auto reason = of.find(job.id);
      if (reason != of.end()) job.reason = reason->second;
    }
    answer(std::move(*page));
  });
}

// What a filter finds, for a list in the order of service: the jobs that the policy is asked about,
// and the others in the order that they have by themselves.
struct InLine {
  std::vector<JobId> asked;
  std::vector<JobId> others;
};

// Those that may be scheduled come before those that wait for a place among the running jobs, and
// these before those that are held; each by priority, where it counts, then by number.
Result<InLine> jobs_in_line(const PublishedViews& views, JobFilter filter) {
  filter.unfinished_only = true;
  filter.limit = SIZE_MAX;
  std::set<std::string_view> by_number;  // queues in which priorities do not count
  for (const QueueView& queue : *views.queues) {
    if (queue.leaf && !queue.priorities.value_or(true)) by_number.insert(queue.name);
  }
  std::vector<std::tuple<int, Priority, JobId>> found;
  const Status listed = each_job(views, filter, [&](const JobView& job) {
    const int group = job.state == "HELD" ? 2 : job.state == "WAITING" ? 1 : 0;
    const auto priority =
        by_number.contains(job.queue) ? std::nullopt : parse_priority(job.priority);
    found.emplace_back(group, priority.value_or(Priority::kNormal), job.id);
    return true;
  });
  if (!listed) return listed.error();
  std::sort(found.begin(), found.end());
  InLine jobs;
  for (const auto& [group, priority, id] : found) {
    const bool asked = group == 0 && jobs.asked.size() < kJobsInServiceOrder;
    (asked ? jobs.asked : jobs.others).push_back(id);
  }
  return jobs;
}

// One page: the order may be another one by the time of the next.
JobPage page_in_line(const PublishedViews& views, const JobFilter& filter, const InLine& jobs) {
  JobPage page;
  page.version = views.version;
  std::size_t bytes = 0;
  for (const std::vector<JobId>* part : {&jobs.asked, &jobs.others}) {
    for (const JobId id : *part) {
      const auto& job = views.jobs.get(id.index());
      bytes += bytes_of(*job);
      page.cut = !page.jobs.empty() && filter.page_bytes > 0 && bytes > filter.page_bytes;
      if (page.cut || page.jobs.size() == filter.limit) return page;
      page.jobs.push_back(*job);
      page.jobs.back().counters.reset();
    }
  }
  return page;
}

void find_in_service_order(EngineLoop& loop, const Asker& asker, const JobFilter& filter,
                           const PublishedViewsPtr& views, const Answer<JobPage>& answer) {
  auto found = jobs_in_line(*views, filter);
  if (!found) return answer(found.error());
  const auto jobs = std::make_shared<InLine>(std::move(*found));
  const auto give = [&loop, asker, filter, views, answer, jobs](std::vector<JobId> sorted) {
    jobs->asked = std::move(sorted);
    give_with_reasons(loop, asker, page_in_line(*views, filter, *jobs), answer);
  };
  sort_by_service(loop, asker, std::move(jobs->asked), filter.served, give);
}

Status check_pattern(const std::string& name) {
  const TextRule rule{.max_bytes = SubmissionLimits::kNameBytes, .may_be_empty = true};
  return check_text("name", name, rule);
}

Status check_filter(const JobFilter& filter) {
  if (Status fits = check_pattern(filter.name); !fits) return fits;
  for (const std::string& state : filter.states) {
    if (std::find(std::begin(kStates), std::end(kStates), state) == std::end(kStates)) {
      return bad_request("states: '" + state + "' is no state of a job",
                         "HELD, WAITING, PENDING, RUNNING, SUCCEEDED, FAILED, KILLED");
    }
  }
  return Ok{};
}

Result<std::vector<JobState>> states_of_the_past(const std::vector<std::string>& names) {
  std::vector<JobState> states;
  constexpr JobState kOver[] = {JobState::kSucceeded, JobState::kFailed, JobState::kKilled};
  for (const std::string& asked : names) {
    const auto* found = std::find_if(std::begin(kOver), std::end(kOver),
                                     [&asked](JobState state) { return asked == name(state); });
    if (found == std::end(kOver)) {
      return bad_request("states: '" + asked + "' is no state of a job that is over",
                         "SUCCEEDED, FAILED, KILLED");
    }
    states.push_back(*found);
  }
  return states;
}

JobPage page_of_records(const std::vector<JobRecord>& records, const HistoryFilter& filter,
                        const WallClock& wall) {
  JobPage page;
  std::size_t bytes = 0;
  for (const JobRecord& record : records) {
    JobView job = render_record(record, wall);
    job.counters.reset();
    // status() has all of it.
    if (job.diagnostics && job.diagnostics->size() > JobService::kDiagnosticsListed)
      job.diagnostics->replace(JobService::kDiagnosticsListed, std::string::npos, "...");
    bytes += bytes_of(job);
    page.cut = filter.page_bytes > 0 && bytes > filter.page_bytes && !page.jobs.empty();
    if (page.cut) break;
    page.jobs.push_back(std::move(job));
  }
  if (page.cut || (!page.jobs.empty() && page.jobs.size() == filter.limit))
    page.next = page.jobs.back().id.index();
  return page;
}

bool counts_slots(const PublishedViewsPtr& views) {
  return views != nullptr && views->settings->resources.mode == ResourceSettings::Mode::kSlots;
}

// By which jobs name their pool, whether or not fair rules now: they may outlive a switch.
std::string pool_property(const PublishedViewsPtr& views) {
  if (views == nullptr) return "";
  const auto found = views->settings->policies.find("fair");
  if (found == views->settings->policies.end()) return "";
  const auto* fair = dynamic_cast<const FairSettings*>(found->second.get());
  return fair == nullptr ? "" : fair->pool_name_property;
}

}  // namespace

Result<std::size_t> JobService::list_limit(std::int64_t limit) {
  const auto most = static_cast<std::int64_t>(kMostJobsListed);
  if (limit >= 0 && limit <= most)
    return limit == 0 ? kJobsListed : static_cast<std::size_t>(limit);
  return bad_request("limit: " + std::to_string(limit) + " is out of range",
                     "1 to " + std::to_string(most) + ", or 0 for " + std::to_string(kJobsListed));
}

// --- Commands ---

void JobService::submit(const Caller& caller, std::shared_ptr<const JobSpec> spec,
                        Answer<SubmittedView> answer) {
  const PublishedViewsPtr views = loop_.views().glance();
  auto warnings = conf_without_effect(spec->conf, spec->reduces > 0, pool_property(views));
  for (std::string& line : groups_without_effect(spec->task_groups))
    warnings.push_back(std::move(line));
  if (!spec->task_groups.empty() && counts_slots(views))
    warnings.push_back(
        "the cluster schedules slots, and applications ask for containers: it waits until an "
        "administrator sets `resources: containers`");
  if (std::string line = packed_files_read_raw(spec->input_files); !line.empty())
    warnings.push_back(std::move(line));
  loop_.post(SubmitJob{caller, std::move(spec)},
             [answer = std::move(answer), warnings = std::move(warnings)](
                 const EngineLoop::ReplyBody& reply, Version version) {
               const auto* submitted = std::get_if<Submitted>(&reply);
               if (submitted == nullptr) return answer(refusal_of(reply));
               answer(SubmittedView{submitted->job, submitted->queue, version, warnings});
             });
}

void JobService::kill(const Caller& caller, JobId job, Answer<Version> answer) {
  loop_.post(KillJob{caller, job}, answer_done(std::move(answer)));
}

void JobService::release(const Caller& caller, JobId job, Answer<Version> answer) {
  loop_.post(ReleaseJob{caller, job}, answer_done(std::move(answer)));
}

void JobService::set_priority(const Caller& caller, JobId job, Priority priority,
                              Answer<Version> answer) {
  loop_.post(SetPriority{caller, job, priority}, answer_done(std::move(answer)));
}

void JobService::move(const Caller& caller, JobId job, const std::string& queue,
                      Answer<Version> answer) {
  loop_.post(MoveJob{caller, job, queue}, answer_done(std::move(answer)));
}

// --- Reads of what is published ---

void JobService::status(JobId job, Version min_version, Answer<JobView> answer) {
  const auto look = [answer = std::move(answer), job, &time = loop_.time(),
                     &reader = history_](const Result<PublishedViewsPtr>& views) {
    if (!views) return answer(views.error());
    const auto show = [answer, &time](JobView view) {
      view.now_ms = time.wall_now();
      answer(std::move(view));
    };
    if (const auto record = (*views)->jobs.get(job.index())) return show(*record);
    ask_record(reader, answer, job, [show, &time](History&, const JobRecord& record) {
      show(render_record(record, time.wall()));
    });
  };
  loop_.views().when(min_version, look);
}

void JobService::find(JobFilter filter, Version min_version, Answer<JobPage> answer) {
  const auto limit = list_limit(static_cast<std::int64_t>(filter.limit));
  if (!limit) return answer(limit.error());
  filter.limit = *limit;
  if (const Status fits = check_filter(filter); !fits) return answer(fits.error());
  const auto look = [answer = std::move(answer), &loop = loop_, asker = Asker{calling_peer(), ""},
                     filter = std::move(filter)](const Result<PublishedViewsPtr>& views) {
    if (!views) return answer(views.error());
    if (filter.order == JobFilter::Order::kService)
      return find_in_service_order(loop, asker, filter, *views, answer);
    auto page = page_of_jobs(**views, filter);
    if (!page) return answer(page.error());
    give_with_reasons(loop, asker, std::move(*page), answer);
  };
  loop_.views().when(min_version, look);
}

void JobService::history(const HistoryFilter& wanted, Answer<JobPage> answer) {
  const auto limit = list_limit(static_cast<std::int64_t>(wanted.limit));
  if (!limit) return answer(limit.error());
  HistoryFilter filter = wanted;
  filter.limit = *limit;
  HistoryQuery query;
  query.limit = filter.limit;
  query.before_job = filter.before_job;
  query.user = filter.user;
  query.oldest_first = filter.oldest_first;
  if (const Status fits = check_pattern(filter.name); !fits) return answer(fits.error());
  if (!filter.name.empty()) {
    query.named = [pattern = filter.name](std::string_view name) {
      return matches_pattern(pattern, name);
    };
  }
  auto states = states_of_the_past(filter.states);
  if (!states) return answer(states.error());
  query.states = std::move(*states);
  if (!filter.queue.empty()) {
    const auto queue = queue_of_the_past(*loop_.views().latest(), filter.queue);
    if (!queue) return answer(queue.error());
    query.queue = *queue;
  }
  const WallClock* wall = &loop_.time().wall();
  if (filter.since_ms) query.since = wall->engine_at(*filter.since_ms);
  if (filter.before_ms) query.before = wall->engine_at(*filter.before_ms);
  history_.ask([answer = std::move(answer), wall, filter = std::move(filter),
                query = std::move(query)](const Result<History*>& history) {
    if (!history) return answer(history.error());
    const auto found = (*history)->list(query);
    if (!found) return answer(found.error());
    answer(page_of_records(*found, filter, *wall));
  });
}

void JobService::asked(const std::string& user, JobId job, Answer<AskedView> answer) {
  history_.ask([answer = std::move(answer), user, job](const Result<History*>& history) {
    if (!history) return answer(history.error());
    auto spec = (*history)->asked(job);
    if (!spec) return answer(spec.error());
    if (!*spec) {
      return answer(Error{ErrorCode::kUnknownJob,
                          "what " + job_name(job) + " was submitted with is not known (any more)",
                          "a job that there is, or is a record of: `weir job list --history`",
                          {}});
    }
    AskedView view{job, std::move(**spec), {}};
    if (user != view.spec.user) {
      view.masked = mask_secrets(view.spec);
      for (JobFile& file : view.spec.files) {
        file.left_out += static_cast<std::int64_t>(file.content.size());
        file.content.clear();
      }
    }
    answer(std::move(view));
  });
}

// --- Looks inside the engine, which makes views; they are given off its thread ---

void JobService::attempts(JobId id, Answer<std::vector<AttemptView>> answer) {
  loop_.query([answer = std::move(answer), id, &loop = loop_,
               &reader = history_](const Result<EngineLoop::Inside>& inside) {
    if (!inside) return answer(inside.error());
    const Engine& engine = *inside->engine;
    const TimeSource& time = loop.time();
    const Job* found = engine.state().find_job(id);
    const bool there = found != nullptr && found->durable;
    std::vector<AttemptView> known;
    if (there) known = inside->history->list(engine, *found, time.wall());
    if (there && found->submitted_at >= time.started() && !is_over(found->state)) {  // all of them
      return loop.hand_over([answer, known = std::move(known)] { answer(known); });
    }
    // Of earlier starts, and of jobs that are over, the store knows more.
    const auto add = [answer, known = std::move(known), &time, views = loop.views().latest()](
                         History& history, JobId job) {
      const auto stored = history.attempts(job);
      if (!stored) return answer(stored.error());
      answer(with_stored(*views, known, *stored, time.wall()));
    };
    if (!there) {
      return ask_record(reader, answer, id, [add](History& history, const JobRecord& record) {
        add(history, record.job);
      });
    }
    reader.ask([answer, id, add](const Result<History*>& history) {
      if (!history) return answer(history.error());
      add(**history, id);
    });
  });
}

void JobService::explain(JobId id, Answer<ExplanationView> answer) {
  loop_.query([answer = std::move(answer), id, &loop = loop_,
               &reader = history_](const Result<EngineLoop::Inside>& inside) {
    if (!inside) return answer(inside.error());
    const WallClock* wall = &loop.time().wall();
    const Job* found = inside->engine->state().find_job(id);
    if (found == nullptr || !found->durable) {
      return ask_record(reader, answer, id, [answer, wall](History&, const JobRecord& job) {
        answer(ExplanationView{render_record(job, *wall), {}});
      });
    }
    ExplanationView out{render_job(*inside->engine, *found, *wall), {}};
    for (const Reason& reason : inside->engine->explain(id)) {
      out.reasons.push_back(
          {reason.code, reason.message, {reason.numbers.begin(), reason.numbers.end()}});
    }
    loop.hand_over([answer, out = std::move(out)] { answer(out); });
  });
}

}  // namespace weir
