#include "tracker/published/job_page.h"

namespace weir {

std::size_t bytes_of(const JobView& job) {
  constexpr std::size_t kNumbersAndNames = 600;  // of fields, twice the tasks, the job's own name
  return kNumbersAndNames + job.name.size() + job.user.size() + job.queue.size() +
         job.output.size() + job.diagnostics.value_or("").size() +
         job.status.value_or("").size() + job.reason.value_or("").size() +
         job.pool.value_or("").size();
}

Result<JobPage> page_of_jobs(const PublishedViews& views, const JobFilter& filter) {
  JobPage page;
  page.version = views.version;
  std::size_t bytes = 0;
  const Status listed = each_job(views, filter, [&](const JobView& job) {
    bytes += bytes_of(job);
    page.cut = filter.page_bytes > 0 && bytes > filter.page_bytes && !page.jobs.empty();
    if (page.cut) return false;
    page.jobs.push_back(job);
    page.jobs.back().counters.reset();
    return true;
  });
  if (!listed) return listed.error();
  if (!page.cut && page.jobs.size() < filter.limit) return page;
  if (page.jobs.empty()) return page;
  const std::size_t last = page.jobs.back().id.index();
  const JobFilter rest{.limit = 1, .order = filter.order, .from = last};
  const Status looked = each_job(views, rest, [&page, last](const JobView&) {
    page.next = last;
    return false;
  });
  if (!looked) return looked.error();
  return page;
}

}  // namespace weir
