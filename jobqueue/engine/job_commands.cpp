#include "jobqueue/engine/job_commands.h"

#include <utility>

#include "jobqueue/model/access_rights.h"

namespace weir {

const Job* JobCommands::job_to_change(JobId id, const Caller& caller, Token token,
                                      const char* what) {
  const Job* job = state_.find_job(id);
  const auto no = [&](Error error) {
    refuse(token, what, std::move(error));
    return nullptr;
  };
  if (job == nullptr || !job->durable) {
    return no({ErrorCode::kUnknownJob, "there is no " + job_name(id),
               "see `weir job list`, or `weir job list --history` for those that ended"});
  }
  if (is_over(job->state)) {
    return no({ErrorCode::kJobOver,
               job_name(job->id) + " has already ended (" + name(job->state) + ")", ""});
  }
  const auto may = check_owner(state_, caller, *job);
  return may ? job : no(may.error());
}

}  // namespace weir
