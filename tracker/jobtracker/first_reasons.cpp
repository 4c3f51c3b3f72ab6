#include "tracker/jobtracker/first_reasons.h"

#include <memory>
#include <utility>

#include "tracker/jobtracker/look_in_pieces.h"

namespace weir {
namespace {

constexpr std::size_t kAtATime = 10;

struct Work {
  const std::vector<JobId> jobs;
  std::size_t next = 0;
  FirstReasons reasons;
};

}  // namespace

void ask_first_reasons(EngineLoop& loop, const Asker& asker, std::vector<JobId> jobs,
                       std::function<void(const FirstReasons&)> then) {
  if (jobs.empty()) return then({});
  const auto work = std::make_shared<Work>(Work{std::move(jobs), 0, {}});
  const auto piece = [work](const Engine& engine) {
    for (std::size_t n = 0; n < kAtATime && work->next < work->jobs.size(); ++n) {
      const JobId job = work->jobs[work->next++];
      const auto reasons = engine.explain(job);
      if (!reasons.empty()) work->reasons[job] = reasons.front().message;
    }
    return work->next < work->jobs.size();
  };
  look_in_pieces(loop, asker, piece,
                 [work, then = std::move(then)](const Status&) { then(work->reasons); });
}

}  // namespace weir
