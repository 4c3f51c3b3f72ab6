#include "jobqueue/jobtypes/mapreduce.h"

#include "jobqueue/model/counted.h"
#include "jobqueue/model/job.h"

namespace weir {
namespace {

// The part of slow-start, rounded up.
std::int64_t maps_before_reduces(const Job& job) {
  const std::int64_t maps = job.tasks(TaskKind::kMap).total;
  return (maps * job.spec->slowstart_millionths + 999'999) / 1'000'000;
}

}  // namespace

bool MapReduce::may_open(const Job& job, TaskKind group) const {
  const TaskGroup& reduces = job.tasks(TaskKind::kReduce);
  return group == TaskKind::kMap ||
         job.tasks(TaskKind::kMap).succeeded >= maps_before_reduces(job) ||
         reduces.succeeded > 0;  // before a restart perhaps
}

Reason MapReduce::why_closed(const Job& job, TaskKind group) const {
  const TaskGroup& maps = job.tasks(TaskKind::kMap);
  const std::uint32_t pending = job.tasks(group).pending();
  const std::int64_t needed = maps_before_reduces(job);
  if (job.maps_first) {
    return {"own_maps",
            counted(pending, "reduce") + (pending == 1 ? " waits until " : " wait until ") +
                "a map has started: reduces stood in the way of the maps they wait for",
            {}};
  }
  return {"slow_start",
          counted(pending, "reduce") + (pending == 1 ? " waits until " : " wait until ") +
              std::to_string(needed) + " of " + std::to_string(maps.total) +
              " maps are done (slow-start); " + std::to_string(maps.succeeded) + " are",
          {{"maps_needed", needed}, {"maps_done", maps.succeeded}}};
}

bool MapReduce::done(const Job& job) const {
  const TaskGroup& maps = job.tasks(TaskKind::kMap);
  const TaskGroup& reduces = job.tasks(TaskKind::kReduce);
  return maps.succeeded == maps.total && reduces.succeeded == reduces.total;
}

bool MapReduce::publishes(const JobSpec& spec, TaskKind group) const {
  return group == TaskKind::kReduce || spec.reduces == 0;
}

bool MapReduce::keeps_output(const JobSpec& spec, TaskKind group) const {
  return group == TaskKind::kMap && spec.reduces > 0;
}

bool MapReduce::outputs_needed(const JobSpec& spec, const TasksDone& done) const {
  return done[index(TaskKind::kReduce)] < spec.reduces;
}

bool MapReduce::waits_for_its_own(const Job& job) const {
  const TaskGroup& maps = job.tasks(TaskKind::kMap);
  return job.tasks(TaskKind::kReduce).alive() > 0 && maps.succeeded < maps.total;
}

}  // namespace weir
