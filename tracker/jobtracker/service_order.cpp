#include "tracker/jobtracker/service_order.h"

#include <memory>
#include <utility>

#include "jobqueue/policy/speculation_facet.h"
#include "tracker/jobtracker/look_in_pieces.h"
#include "tracker/jobtracker/piecewise_sort.h"

namespace weir {
namespace {

constexpr std::size_t kComparisonsAtATime = 300;

bool served_before(const Engine& engine, JobId a, JobId b, TaskKind kind) {
  const Job* one = engine.state().find_job(a);
  const Job* other = engine.state().find_job(b);
  const bool may_a = one != nullptr && one->schedulable();
  const bool may_b = other != nullptr && other->schedulable();
  if (!may_a || !may_b) return may_a && !may_b;
  return comes_before(engine.policy(), a, b, kind);
}

}  // namespace

void sort_by_service(EngineLoop& loop, const Asker& asker, std::vector<JobId> jobs, TaskKind kind,
                     std::function<void(std::vector<JobId>)> then) {
  if (jobs.size() < 2) return then(std::move(jobs));
  const auto sort = std::make_shared<PiecewiseSort<JobId>>(std::move(jobs));
  const auto piece = [sort, kind](const Engine& engine) {
    // Asked for any figure, a policy takes in what has changed since it was last asked.
    engine.policy().figures(engine.state().tree().leaves().front(), kind);
    return sort->go_on(kComparisonsAtATime,
                       [&](JobId a, JobId b) { return served_before(engine, a, b, kind); });
  };
  look_in_pieces(loop, asker, piece,
                 [sort, then = std::move(then)](const Status&) { then(sort->take()); });
}

}  // namespace weir
