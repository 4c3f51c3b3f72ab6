#include "tracker/jobtracker/wire_pages.h"

#include "thrift/wire_views.h"

namespace weir {

std::vector<wire::JobStatus> list_to_wire(const JobPage& page) {
  std::vector<wire::JobStatus> out;
  out.reserve(page.jobs.size());
  for (const JobView& job : page.jobs) out.push_back(to_wire(job));
  if (page.cut) out.back().__set_more(true);
  return out;
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
