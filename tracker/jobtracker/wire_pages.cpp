#include "tracker/jobtracker/wire_pages.h"

#include "thrift/wire_views.h"

namespace weir {

Result<std::vector<wire::JobStatus>> page_of_jobs(const PublishedViews& views,
                                                  const JobFilter& filter, Paged paged) {
  Page<wire::JobStatus> page(paged);
  const Status listed = each_job(views, filter, [&page](const JobView& view) {
    wire::JobStatus job = to_wire(view);
    job.counters.clear();  // job_status has them; a list of thousands must fit a frame
    job.__isset.counters = false;
    return page.add(std::move(job));
  });
  if (!listed) return listed.error();
  return page.take();
}

Result<std::vector<wire::QueueStatus>> page_of_queues(const PublishedViews& views,
                                                      const std::string& after) {
  Page<wire::QueueStatus> page;
  const Status listed = each_queue(
      views, after, [&page](const QueueView& queue) { return page.add(to_wire(queue)); });
  if (!listed) return listed.error();
  return page.take();
}

std::vector<wire::TrackerStatus> page_of_trackers(const PublishedViews& views, TimeMs now,
                                                  const std::string& after) {
  Page<wire::TrackerStatus> page;
  each_tracker_by_name(views, now, after,
                       [&page](const TrackerView& tracker) { return page.add(to_wire(tracker)); });
  return page.take();
}

std::vector<wire::TrackerStatus> all_trackers(const PublishedViews& views, TimeMs now) {
  Page<wire::TrackerStatus> all(Paged::kNo);
  each_tracker(views, now,
               [&all](const TrackerView& tracker) { return all.add(to_wire(tracker)); });
  return all.take();
}

}  // namespace weir
