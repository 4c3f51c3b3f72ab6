// The cluster in one object: what the JobTracker says of itself, the slots of all trackers, jobs by
// state, open claims, and what was killed in the last hour.
#pragma once

#include "tracker/jobtracker/engine_loop.h"
#include "tracker/published/published_views.h"
#include "views/json/json.h"

namespace weir::web {

// Of the published views and of the decisions, as they are read now.
Json cluster_json(const PublishedViews& views, const EngineLoop& loop);
Json claims_json(const PublishedViews& views);

}  // namespace weir::web
