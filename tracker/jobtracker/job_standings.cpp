#include "tracker/jobtracker/job_standings.h"

#include <memory>
#include <utility>
#include <vector>

#include "jobqueue/policy/pools_facet.h"
#include "tracker/jobtracker/look_in_pieces.h"
#include "tracker/published/listing.h"

namespace weir {
namespace {

constexpr std::size_t kStandingsAtATime = 50;

using Standing = JobStandingsView::Job;

// Who they are, by what is published: no walk over all jobs on the engine's thread.
JobStandingsView jobs_to_ask(const PublishedViews& views) {
  JobStandingsView out;
  const JobFilter running{.states = {"RUNNING", "PENDING"},
                          .limit = kJobsStanding + 1,
                          .order = JobFilter::Order::kOldestFirst};
  const Status listed = each_job(views, running, [&out](const JobView& job) {
    out.more = out.jobs.size() == kJobsStanding;
    if (out.more) return false;
    Standing& standing = out.jobs.emplace_back();
    standing.id = job.id;
    standing.name = job.name;
    standing.user = job.user;
    standing.pool = job.pool.value_or(job.queue);
    return true;
  });
  WEIR_CHECK(listed.ok(), "a filter without a queue fits");
  return out;
}

JobStandingsView::Figures figures_of(const JobFigures& figures, std::uint32_t running) {
  JobStandingsView::Figures out;
  out.running = running;
  out.share_thousandths = thousandths(figures.share);
  out.weight_millionths = figures.weight_millionths;
  out.deficit_ms = figures.deficit_ms;
  return out;
}

// False: the policy has no such figures, or the job is not there any more.
bool fill_in(const Engine& engine, Standing& standing) {
  const Job* job = engine.state().find_job(standing.id);
  if (job == nullptr || !job->schedulable()) return false;
  const auto of = [&](TaskKind kind) { return job_figures(engine.policy(), job->id, kind); };
  const JobFigures maps = of(TaskKind::kMap);
  const Space& space = engine.state().space();
  if (space.containers()) {
    if (maps.of_dimension.empty()) return false;
    standing.weight_millionths = maps.weight_millionths;
    for (const Dimension d : space.dimensions()) {
      std::int64_t running = 0;
      for (const TaskKind kind : job->kinds())
        running += job->need(kind)[d] * job->tasks(kind).running;
      standing.amounts.push_back(
          {std::string(space.name(d)), running, thousandths(maps.of_dimension[d.place()])});
    }
  } else {
    if (maps.share < 0) return false;
    standing.maps = figures_of(maps, job->tasks(TaskKind::kMap).running);
    standing.reduces = figures_of(of(TaskKind::kReduce), job->tasks(TaskKind::kReduce).running);
  }
  if (maps.locality) {
    standing.may_run = name(maps.locality->allowed);
    standing.locality_left_ms = maps.locality->left_ms;
  }
  return true;
}

struct StandingsWork {
  JobStandingsView view;
  std::vector<Standing> found;
  std::size_t next = 0;
  bool has_figures = false;  // the policy
};

}  // namespace

void ask_job_standings(EngineLoop& loop, const Asker& asker,
                       std::function<void(std::optional<JobStandingsView>)> then) {
  const auto work = std::make_shared<StandingsWork>();
  work->view = jobs_to_ask(*loop.views().latest());
  const auto piece = [work](const Engine& engine) {
    work->has_figures = engine.policy().pools() != nullptr;
    std::vector<Standing>& jobs = work->view.jobs;
    for (std::size_t n = 0; work->has_figures && n < kStandingsAtATime && work->next < jobs.size();
         ++n) {
      Standing& standing = jobs[work->next++];
      if (fill_in(engine, standing)) work->found.push_back(std::move(standing));
    }
    return work->has_figures && work->next < jobs.size();
  };
  look_in_pieces(loop, asker, piece, [work, then = std::move(then)](const Status&) {
    if (!work->has_figures) return then(std::nullopt);
    work->view.jobs = std::move(work->found);
    then(std::move(work->view));
  });
}

}  // namespace weir
