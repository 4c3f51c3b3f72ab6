#include "lab/stories/fuzz.h"

#include <memory>
#include <utility>

#include "lab/sabotage/saboteur.h"
#include "lab/stories/fuzz_story.h"
#include "sim/checker_observer.h"
#include "sim/event_log.h"
#include "sim/job_names.h"

namespace weir {

Result<FuzzReport> run_fuzz(const FuzzOptions& options, PolicyFactory factory,
                            const std::function<void(std::uint64_t)>& progress) {
  FuzzReport report;
  for (std::uint64_t seed = options.first_seed; report.seeds < options.seeds; ++seed) {
    auto saboteur = Saboteur::create(options.break_rule, 0);
    if (!saboteur) return saboteur.error();
    const bool breaks = !options.break_rule.empty();
    // What is broken on purpose are rules of slots.
    using Counts = FuzzStory::Counts;
    FuzzStory story(seed, breaks ? (*saboteur)->wrap(factory) : factory,
                    breaks ? Counts::kSlotsAlone : Counts::kContainersToo);
    JobNames names;
    std::unique_ptr<EventLog> log;
    story.cluster().watch(names);
    if (options.events != nullptr) {
      log = std::make_unique<EventLog>(*options.events, names);
      story.cluster().watch(*log);
    }
    if (breaks) story.cluster().watch(**saboteur);
    CheckerObserver checker(options.check);
    story.cluster().watch(checker);
    report.tally.begin_run();
    story.cluster().watch(report.tally);
    story.run([&] { return checker.breach().has_value(); });
    checker.on_end(story.cluster().engine());
    ++report.seeds;
    report.jobs += story.cluster().state().jobs().size();
    if (checker.breach()) {
      report.failed_seed = seed;
      report.breach = *checker.breach();
      return report;
    }
    progress(report.seeds);
  }
  return report;
}

}  // namespace weir
