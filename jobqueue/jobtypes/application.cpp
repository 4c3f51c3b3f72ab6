#include "jobqueue/jobtypes/application.h"

#include "jobqueue/model/job.h"

namespace weir {

Reason Application::why_closed(const Job&, TaskKind) const {
  return {"slots",
          "the cluster schedules slots, and applications ask for containers: it waits until an "
          "administrator sets `resources: containers`",
          {}};
}

bool Application::done(const Job& job) const {
  if (job.service) return false;
  for (const TaskKind kind : job.kinds()) {
    const TaskGroup& group = job.tasks(kind);
    if (group.succeeded < group.total) return false;
  }
  return true;
}

}  // namespace weir
