// Sticky slots (EuroSys'10, 4.2): all jobs read the whole of one data set at the same time, and a
// naive fair scheduler gives a job the slot back that it has just given up, so that each reads the
// blocks of a few nodes only.
#include <cmath>

#include <fmt/format.h>

#include "lab/experiments/catalogue.h"
#include "lab/experiments/closed_forms.h"

namespace weir::experiments {
namespace {

constexpr int kBlocks = 1440;  // 180 GB of 128 MB
constexpr double kWait = 5;
constexpr double kFactors[] = {2.0, 2.4};  // of a map that reads from another node
constexpr int kJobs[] = {5, 10, 20, 50};

std::string sticky_name(int jobs, double factor, bool delayed, Beats beats) {
  return fmt::format("{}-jobs/x{:.1f}/{}/{}", jobs, factor,
                     delayed ? fmt::format("{:.0f}s", kWait) : "naive", name(beats));
}

std::string sticky_scenario(int jobs, double factor, bool delayed, Beats beats, double size,
                            std::uint64_t seed) {
  std::vector<Arrival> arrivals;
  for (int job = 0; job < jobs; ++job) {
    arrivals.push_back({0, fmt::format("id: J{}, user: u{}, maps: {}, map_time: 9s, input: data",
                                       job, job, part_of(size, kBlocks))});
  }
  const std::string fair = fmt::format("  fair: {{pool_name_property: user, locality_delay: {}}}\n",
                                       locality_delay(delayed ? kWait : 0));
  return scenario_text(ec2_cluster(factor), beats, fair, seed, arrivals);
}

std::vector<Case> sticky_cases(double size) {
  std::vector<Case> cases;
  for (const int jobs : kJobs) {
    for (const double factor : kFactors) {
      for (const bool delayed : {false, true}) {
        for (const Beats beats : kBeats) {
          cases.push_back({sticky_name(jobs, factor, delayed, beats), [=](std::uint64_t seed) {
                             return sticky_scenario(jobs, factor, delayed, beats, size, seed);
                           }});
        }
      }
    }
  }
  return cases;
}

std::optional<Published> published_locality(int jobs, bool delayed) {
  if (delayed) return jobs == 50 ? std::optional(Published{99, Mark::kNote}) : std::nullopt;
  if (jobs == 5) return Published{92, Mark::kMemory};
  if (jobs == 50) return Published{27, Mark::kNote};
  return std::nullopt;
}

Line sticky_locality_line(const Runs& runs, int jobs, bool delayed) {
  constexpr double kNear = 2;  // points
  Line line{.what = fmt::format("{} jobs, {}: node locality %", jobs,
                                delayed ? fmt::format("W = {:.0f} s", kWait) : "naive"),
            .published = published_locality(jobs, delayed)};
  for (const Beats beats : kBeats) {
    line.measured[static_cast<int>(beats)] =
        runs.of(sticky_name(jobs, kFactors[0], delayed, beats), node_of);
  }
  if (delayed) {
    line.ask("at least 99", [](double mean) { return mean >= 98.95; });
    return line;
  }
  // An empty cluster is filled job by job, so a job's slots lie on nodes of their own.
  const ClusterSetup cluster = ec2_cluster(1);
  const double closed = 100 * sticky_locality_spread(cluster.nodes() * cluster.map_slots / jobs,
                                                     cluster.nodes(), kReplicas);
  line.closed_form[0] = line.closed_form[1] = closed;
  line.ask("closed form +-2", [=](double mean) { return std::abs(mean - closed) <= kNear; });
  return line;
}

Line sticky_gain_line(const Runs& runs, int jobs, double factor) {
  constexpr double kNear = 0.15;
  Line line{.what = fmt::format("{} jobs, remote x{:.1f}: time, naive over W = {:.0f} s", jobs,
                                factor, kWait),
            .decimals = 2};
  if (jobs == 10) line.published = Published{1.1, Mark::kMemory};
  if (jobs == 20) line.published = Published{1.6, Mark::kMemory};
  if (jobs == 50) line.published = Published{2.0, Mark::kNote};
  for (const Beats beats : kBeats) {
    line.measured[static_cast<int>(beats)] =
        runs.quotient(sticky_name(jobs, factor, false, beats),
                      sticky_name(jobs, factor, true, beats), makespan_of);
  }
  if (factor == kFactors[1] && line.published) {
    line.ask("published +-0.15",
             [&](double mean) { return std::abs(mean - line.published->value) <= kNear; });
  }
  return line;
}

std::vector<Line> sticky_lines(double, const Runs& runs) {
  std::vector<Line> lines;
  for (const int jobs : kJobs) {
    lines.push_back(sticky_locality_line(runs, jobs, false));
    lines.push_back(sticky_locality_line(runs, jobs, true));
    for (const double factor : kFactors) lines.push_back(sticky_gain_line(runs, jobs, factor));
  }
  return lines;
}

}  // namespace

Experiment sticky_slots() {
  return {"sticky-slots",
          "jobs that read one data set together and keep getting their own slots back",
          {"100 trackers, 4 map slots each, racks unknown; maps of 9 s +-10% and 1 s of launch, "
           "x2 or x2.4 elsewhere than on the input's node",
           "3 replicas a block; each job has a pool and reads all 1,440 blocks; all come at once"},
          sticky_cases,
          sticky_lines};
}

}  // namespace weir::experiments
