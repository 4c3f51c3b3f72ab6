#include "bench/sched_matrix.h"

#include <algorithm>

namespace weir::bench {
namespace {

struct Size {
  std::uint32_t jobs;
  std::uint32_t queues;
};
constexpr Size kSizes[] = {{100, 10},  {1000, 10},  {1000, 100},
                           {5000, 10}, {5000, 100}, {50000, 1000}};
constexpr Size kSmall = {100, 10}, kTask = {5000, 100}, kLarge = {50000, 1000};

constexpr double kTasksPerSecond = 1e6, kWithLocations = 5e5, kP99Us = 50, kTickMs = 2,
                 kFlatness = 2.0 / 3;
constexpr double kContainersPerSecond = 5e5, kContainersP99Us = 100;
constexpr double kChurnFactor = 2;  // every bar may be missed by this much under W'

const SchedFigures* find(const std::vector<SchedRow>& rows, Size size, bool churn) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const SchedRow& r) {
    return r.load.jobs == size.jobs && r.load.queues == size.queues && r.load.churn == churn;
  });
  return row == rows.end() ? nullptr : &row->figures;
}

double tasks_per_second(const SchedLoad& load) {
  if (load.containers) return kContainersPerSecond;
  return load.locations == InputPlaces::kNone ? kTasksPerSecond : kWithLocations;
}

}  // namespace

std::vector<SchedLoad> table_loads(const SchedLoad& base) {
  std::vector<SchedLoad> loads;
  for (const bool churn : {false, true}) {
    if (churn && base.containers) continue;  // there is no W' of them
    for (const Size size : kSizes) {
      SchedLoad load = base;
      load.jobs = size.jobs;
      load.queues = size.queues;
      load.churn = churn;
      loads.push_back(load);
    }
  }
  return loads;
}

Result<std::vector<SchedRow>> run_rows(const std::vector<SchedLoad>& loads, double seconds,
                                       std::uint32_t repetitions, const MatrixProgress& progress) {
  std::vector<SchedRow> rows;
  for (const SchedLoad& load : loads) rows.push_back({load, {}, {}});
  const double all = static_cast<double>(repetitions) * static_cast<double>(rows.size());
  double done = 0;
  for (std::uint32_t repetition = 0; repetition < repetitions; ++repetition) {
    for (SchedRow& row : rows) {
      const auto part = [&](double of_run) {
        if (progress) progress(row.load, (done + of_run) / all);
      };
      part(0);
      auto figures = run_sched(row.load, seconds, part);
      if (!figures) return figures.error();
      row.runs.push_back(*figures);
      ++done;
    }
  }
  for (SchedRow& row : rows) row.figures = median(row.runs);
  return rows;
}

std::optional<double> published_java(const SchedLoad& load) {
  struct Published {
    Size size;
    double capacity, fair;
  };
  constexpr Published kPublished[] = {{{100, 10}, 38632, 18192},
                                      {{1000, 10}, 6275, 2350},
                                      {{1000, 100}, 5681, 1425},
                                      {{5000, 10}, 717, 395},
                                      {{5000, 100}, 659, 215}};
  const bool fair = load.policy == "fair";
  if ((!fair && load.policy != "capacity") || load.churn || load.containers ||
      load.locations != InputPlaces::kNone) {
    return std::nullopt;
  }
  for (const Published& p : kPublished) {
    if (p.size.jobs == load.jobs && p.size.queues == load.queues) return fair ? p.fair : p.capacity;
  }
  return std::nullopt;
}

std::vector<Bar> bars(const std::vector<SchedRow>& rows) {
  std::vector<Bar> bars;
  for (const bool churn : {false, true}) {
    const std::string name = churn ? "W'" : "W";
    const double slack = churn ? kChurnFactor : 1;
    if (const auto* task = find(rows, kTask, churn)) {
      bars.push_back({name + ": tasks/s at J=5000 Q=100", task->tasks_per_second,
                      tasks_per_second(rows.front().load) / slack, true});
    }
    const auto* small = find(rows, kSmall, churn);
    const auto* large = find(rows, kLarge, churn);
    if (small != nullptr && large != nullptr) {
      bars.push_back({name + ": J=50000 Q=1000 over J=100 Q=10",
                      large->tasks_per_second / small->tasks_per_second, kFlatness / slack, true});
    }
    double p99_us = 0;
    for (const SchedRow& row : rows) {
      if (row.load.churn == churn) p99_us = std::max(p99_us, row.figures.p99_us);
    }
    const double wanted_us = rows.front().load.containers ? kContainersP99Us : kP99Us * slack;
    if (p99_us > 0)
      bars.push_back({name + ": worst p99 of a heartbeat, us", p99_us, wanted_us, false});
    if (large != nullptr) {
      bars.push_back({name + ": worst tick at J=50000 Q=1000, ms", large->tick_worst_ms,
                      kTickMs * slack, false});
    }
  }
  return bars;
}

}  // namespace weir::bench
