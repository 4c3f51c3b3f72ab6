#include "web/metrics/metrics.h"

#include <prometheus/text_serializer.h>

#include <limits>

#include "jobqueue/model/space.h"
#include "web/metrics/families.h"

namespace weir {

Families& Families::begin(const char* name, const char* help, prometheus::MetricType type) {
  families_.push_back({name, help, type, {}});
  return *this;
}

prometheus::ClientMetric& Families::series(const Labels& labels) {
  prometheus::ClientMetric& metric = families_.back().metric.emplace_back();
  for (const auto& [name, value] : labels) metric.label.push_back({name, std::string(value)});
  return metric;
}

Families& Families::add(double value, const Labels& labels) {
  prometheus::ClientMetric& metric = series(labels);
  metric.gauge.value = value;
  metric.counter.value = value;
  return *this;
}

// Buckets count up; the count is theirs, so that the two agree whatever is counted meanwhile.
Families& Families::add(const Histogram& histogram, const Labels& labels) {
  auto& out = series(labels).histogram;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i <= histogram.size(); ++i) {
    sum += static_cast<std::uint64_t>(histogram.count(i));
    const double bound =
        i < histogram.size() ? histogram.bound(i) : std::numeric_limits<double>::infinity();
    out.bucket.push_back({sum, bound});
  }
  out.sample_count = sum;
  out.sample_sum = histogram.sum();
  return *this;
}

std::vector<prometheus::MetricFamily> metric_families(const DaemonFigures& daemon,
                                                      const PublishedViews& views, TimeMs now) {
  Families families;
  add_process(families, daemon);
  add_cluster(families, views, now);
  add_queues(families, views, now);
  add_engine(families, daemon, Space(views.settings->resources));
  add_store(families, daemon);
  add_ports(families, daemon);
  return families.take();
}

std::string metrics_text(const DaemonFigures& daemon, const PublishedViews& views, TimeMs now) {
  return prometheus::TextSerializer().Serialize(metric_families(daemon, views, now));
}

}  // namespace weir
