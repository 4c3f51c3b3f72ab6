// The cluster in one object: what the JobTracker says of itself, the slots of all trackers, jobs by
// state, open claims, and what was killed in the last hour. Pure functions.
#pragma once

#include "tracker/published/published_views.h"
#include "views/json/json.h"

namespace weir::web {

// Of the published views alone; `now_ms` by the wall clock, `now` by the engine's.
Json cluster_json(const PublishedViews& views, std::int64_t now_ms, TimeMs now);
Json claims_json(const PublishedViews& views);

}  // namespace weir::web
