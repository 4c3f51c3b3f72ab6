// The handlers of the routes (api.cpp), one a route: jobs in job_handlers.cpp and
// job_body.cpp, queues and the cluster in cluster_handlers.cpp, and so on. Each reads its request,
// calls a service or reads the published views, and returns; the reply follows.
#pragma once

#include "web/api/api.h"

namespace weir::web {

using Handler = void(ApiContext& context, const Call& call);

Handler get_cluster, get_queues, get_queue, patch_queue, get_pools;
Handler get_jobs, get_job, get_job_counters, get_job_explain, get_job_submission, get_job_tasks;
Handler get_history;
Handler post_job, delete_job, patch_job;
Handler get_job_log;
Handler get_trackers, get_tracker, get_tracker_attempts, get_slots, patch_tracker;
Handler get_policy, put_policy;
Handler get_settings, put_settings, post_settings_check, post_settings_diff;
Handler get_settings_history, get_settings_of, get_settings_in_force, get_settings_file;
Handler get_events;
Handler get_series, get_decisions;

}  // namespace weir::web
