// A list of metric families in the making: each is begun with its name, type and what it means, and
// then filled with its series. One thread.
#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracker/metrics/histogram.h"

namespace weir {

class Families {
 public:
  using Labels = std::vector<std::pair<const char*, std::string_view>>;

  Families& gauge(const char* name, const char* help) {
    return begin(name, help, prometheus::MetricType::Gauge);
  }
  Families& counter(const char* name, const char* help) {  // `name` ends in _total
    return begin(name, help, prometheus::MetricType::Counter);
  }
  Families& histogram(const char* name, const char* help) {
    return begin(name, help, prometheus::MetricType::Histogram);
  }

  // One series of the family that was begun last.
  Families& add(double value, const Labels& labels = {});
  Families& add(std::int64_t value, const Labels& labels = {}) {
    return add(static_cast<double>(value), labels);
  }
  Families& add(const Count& count, const Labels& labels = {}) { return add(count.get(), labels); }
  Families& add(const Histogram& histogram, const Labels& labels = {});

  std::vector<prometheus::MetricFamily> take() { return std::move(families_); }

 private:
  Families& begin(const char* name, const char* help, prometheus::MetricType type);
  prometheus::ClientMetric& series(const Labels& labels);

  std::vector<prometheus::MetricFamily> families_;
};

// The parts of metric_families(), each a file.
struct DaemonFigures;
struct EngineCounters;
struct PublishedViews;
class Space;
void add_process(Families& families, const DaemonFigures& daemon);
void add_cluster(Families& families, const PublishedViews& views, std::int64_t now);
void add_queues(Families& families, const PublishedViews& views, std::int64_t now);
void add_engine(Families& families, const DaemonFigures& daemon, const Space& space);
void add_store(Families& families, const DaemonFigures& daemon);
void add_ports(Families& families, const DaemonFigures& daemon);

}  // namespace weir
