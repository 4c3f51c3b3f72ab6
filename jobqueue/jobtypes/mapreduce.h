// MapReduce: maps, and reduces that fetch what the maps have left on their trackers. Reduces may
// start when a part of the maps is done (slow-start). With reduces it is they that publish, and a
// map whose output is lost runs again until all reduces are done; without any the maps publish.
#pragma once

#include "jobqueue/model/job_type.h"

namespace weir {

class MapReduce final : public JobType {
 public:
  std::string_view name() const override { return "mapreduce"; }
  bool open_at_once(TaskKind group) const override { return group == TaskKind::kMap; }
  bool may_open(const Job& job, TaskKind group) const override;
  Reason why_closed(const Job& job, TaskKind group) const override;
  bool done(const Job& job) const override;
  std::uint32_t failures_at_most(const JobSpec& spec, TaskKind) const override {
    return spec.max_attempts;
  }
  bool publishes(const JobSpec& spec, TaskKind group) const override;
  bool keeps_output(const JobSpec& spec, TaskKind group) const override;
  bool outputs_needed(const JobSpec& spec, const TasksDone& done) const override;
  bool waits_for_its_own(const Job& job) const override;
};

}  // namespace weir
