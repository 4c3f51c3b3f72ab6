#include "tracker/jobtracker/first_reasons.h"

#include <memory>
#include <utility>

namespace weir {
namespace {

constexpr std::size_t kAtATime = 10;

struct Work {
  EngineLoop& loop;
  const Asker asker;
  const std::vector<JobId> jobs;
  const std::function<void(const FirstReasons&)> then;
  std::size_t next = 0;
  FirstReasons reasons;
};

void ask_next(const std::shared_ptr<Work>& work) {
  const auto look = [work](const Result<EngineLoop::Inside>& inside) {
    for (std::size_t n = 0; inside && n < kAtATime && work->next < work->jobs.size(); ++n) {
      const JobId job = work->jobs[work->next++];
      const auto reasons = inside->engine->explain(job);
      if (!reasons.empty()) work->reasons[job] = reasons.front().message;
    }
    if (inside && work->next < work->jobs.size()) return ask_next(work);
    work->loop.hand_over([work] { work->then(work->reasons); });
  };
  work->loop.query(look, work->asker);
}

}  // namespace

void ask_first_reasons(EngineLoop& loop, const Asker& asker, std::vector<JobId> jobs,
                       std::function<void(const FirstReasons&)> then) {
  if (jobs.empty()) return then({});
  ask_next(std::make_shared<Work>(Work{loop, asker, std::move(jobs), std::move(then), 0, {}}));
}

}  // namespace weir
