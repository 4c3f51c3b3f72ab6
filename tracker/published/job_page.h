// A part of a list of jobs, for those who show lists page by page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracker/published/listing.h"
#include "tracker/published/published_views.h"

namespace weir {

struct JobPage {
  std::vector<JobView> jobs;  // without counters: a list of thousands is for a table
  // Where the next page begins: JobFilter::from, or HistoryFilter::before_job. 0: nothing is left.
  // The next page may turn out to be empty.
  std::size_t next = 0;
  bool cut = false;          // it ended because of its bytes
  std::int64_t version = 0;  // of the views that it shows; 0 in the history
};

// About what a job takes in a list, and not less than on the wire.
std::size_t bytes_of(const JobView& job);

// Jobs until the limit of the filter or its bytes are reached; the first one always fits.
Result<JobPage> page_of_jobs(const PublishedViews& views, const JobFilter& filter);

}  // namespace weir
