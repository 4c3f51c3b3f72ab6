// The cluster in one object: what the JobTracker says of itself, the slots of all trackers, jobs by
// state, open claims, and what was killed in the last hour. Pure functions.
#pragma once

#include "tracker/jobtracker/time_source.h"
#include "tracker/published/published_views.h"
#include "views/json/json.h"

namespace weir::web {

// Of the published views alone, as they are read now.
Json cluster_json(const PublishedViews& views, const TimeSource& time);
Json claims_json(const PublishedViews& views);

}  // namespace weir::web
