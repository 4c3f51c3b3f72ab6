// The JobTracker for Prometheus: its published views and counters as text (format 0.0.4). What is
// counted starts from 0 with the JobTracker, but for totals of queues. The number of series goes by
// queues, methods and states, never by jobs, users or trackers. docs/metrics.md says what each
// metric means, and a test holds it against metric_families(). Pure functions, any thread; a
// cluster of 2,000 trackers and 1,000 queues takes some 50 ms, so not an io thread's work.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

#include "tracker/metrics/daemon_figures.h"
#include "tracker/published/published_views.h"

namespace weir {

inline constexpr const char* kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

std::vector<prometheus::MetricFamily> metric_families(const DaemonFigures& daemon,
                                                      const PublishedViews& views, TimeMs now);
std::string metrics_text(const DaemonFigures& daemon, const PublishedViews& views, TimeMs now);

}  // namespace weir
