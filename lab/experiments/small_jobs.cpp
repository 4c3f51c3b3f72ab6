// Delay scheduling where jobs are small (EuroSys'10, 5.2 and 5.3). A job's next map is launched
// wherever a slot comes free, or waits for a better one. Jobs come as fast as the cluster could run
// them if every map were local and no slot ever stood free: it is always full, and how far it falls
// behind is what the scheduler costs.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lab/experiments/catalogue.h"
#include "lab/experiments/closed_forms.h"

namespace weir::experiments {

int part_of(double size, int whole) {
  return std::max(1, static_cast<int>(std::lround(size * whole)));
}

namespace {

constexpr int kMaps = 9000;  // of all jobs of a run together, but not more than so many jobs
constexpr int kMostJobs = 1500;
constexpr int kMapSeconds = 9;

constexpr int kBeatSeconds = 3;

// What a run of small jobs is about.
struct Load {
  int maps = 1;        // of each job
  double delay_s = 0;  // 0: naive
  int beat_s = kBeatSeconds;
};

std::string name_of(const Load& load, Beats beats) {
  const std::string how = load.delay_s == 0 ? "naive" : fmt::format("{:.0f}s", load.delay_s);
  const std::string rarely =
      load.beat_s == kBeatSeconds ? "" : fmt::format("/every-{}s", load.beat_s);
  return fmt::format("{}-maps/{}{}/{}", load.maps, how, rarely, name(beats));
}

ClusterSetup cluster_of(const Load& load) {
  ClusterSetup cluster = private_cluster();
  cluster.heartbeat_ms = load.beat_s * 1000;
  return cluster;
}

std::string job_text(int job, int maps) {
  return fmt::format("id: J{}, maps: {}, map_time: {}s", job, maps, kMapSeconds);
}

std::string small_jobs_scenario(const Load& load, Beats beats, double size, std::uint64_t seed) {
  const ClusterSetup cluster = cluster_of(load);
  const std::int64_t slots = std::int64_t{cluster.nodes()} * cluster.map_slots;
  std::vector<Arrival> jobs;
  for (int job = 0; job < part_of(size, std::min(kMostJobs, kMaps / load.maps)); ++job) {
    jobs.push_back({job * load.maps * (kMapSeconds + 1) * 1000 / slots, job_text(job, load.maps)});
  }
  const std::string fair =
      fmt::format("  fair: {{locality_delay: {}}}\n", locality_delay(load.delay_s));
  return scenario_text(cluster, beats, fair, seed, jobs);
}

std::vector<Case> cases_of(const std::vector<Load>& loads, double size) {
  std::vector<Case> cases;
  for (const Load& load : loads) {
    for (const Beats beats : kBeats) {
      cases.push_back({name_of(load, beats), [=](std::uint64_t seed) {
                         return small_jobs_scenario(load, beats, size, seed);
                       }});
    }
  }
  return cases;
}

Line locality_line(const Runs& runs, const Load& load, const Runs::Figure& figure) {
  Line line;
  for (const Beats beats : kBeats) {
    line.measured[static_cast<int>(beats)] = runs.of(name_of(load, beats), figure);
  }
  return line;
}

// Of the node locality, where jobs wait.
void add_closed_forms(const Runs& runs, const Load& load, Line& line) {
  const ClusterSetup cluster = cluster_of(load);
  const double beats_per_s = 1000.0 * cluster.nodes() / cluster.heartbeat_ms;
  for (const Beats beats : kBeats) {
    double per_s = beats_per_s;
    if (beats == Beats::kOutOfBand) {
      per_s += mean_of(runs.of(name_of(load, beats), rate_of));
    }
    line.closed_form[static_cast<int>(beats)] =
        100 * delayed_locality(load.maps, cluster.nodes(), kReplicas,
                               offers_while_waiting(load.delay_s, per_s));
  }
}

// --- The premises of the closed form of naive scheduling ---
// One slot a tracker, and so many jobs at a time that each gets all it wants as soon as it comes:
// each slot is on a node drawn by lot.

constexpr int kEvenSizes[] = {3, 10};

std::string even_name(int maps, Beats beats) {
  return fmt::format("{}-maps/even/{}", maps, name(beats));
}

std::string even_scenario(int maps, Beats beats, double size, std::uint64_t seed) {
  ClusterSetup cluster = private_cluster();
  cluster.map_slots = 1;
  std::vector<Arrival> jobs;
  for (int job = 0; job < part_of(size, 3000 / maps); ++job) {
    jobs.push_back({0, job_text(job, maps)});
  }
  const std::string fair = fmt::format(
      "  fair:\n    locality_delay: off\n    pools: [{{name: default, max_running_jobs: {}}}]\n",
      cluster.nodes() / maps);
  return scenario_text(cluster, beats, fair, seed, jobs);
}

Line even_line(const Runs& runs, int maps) {
  constexpr double kNear = 1.5;  // points
  Line line{.what = fmt::format("{} maps, naive, even offers: node locality %", maps)};
  const double closed = 100 * naive_locality(maps, private_cluster().nodes(), kReplicas);
  for (const Beats beats : kBeats) {
    line.measured[static_cast<int>(beats)] = runs.of(even_name(maps, beats), node_of);
    line.closed_form[static_cast<int>(beats)] = closed;
  }
  line.ask("closed form +-1.5", [=](double mean) { return std::abs(mean - closed) <= kNear; });
  return line;
}

// --- E1 ---

constexpr double kDelay = 15;

struct SmallJob {
  int maps;
  double node_naive, node_delay, rack_naive, rack_delay, gain;  // published
};
constexpr SmallJob kSmallJobs[] = {
    {3, 2, 75, 50, 96, 1.2}, {10, 37, 99, 98, 100, 1.7}, {100, 84, 94, 99, 99, 1.3}};

std::vector<Case> small_cases(double size) {
  std::vector<Case> cases =
      cases_of({{3, 0}, {3, kDelay}, {10, 0}, {10, kDelay}, {100, 0}, {100, kDelay}}, size);
  for (const int maps : kEvenSizes) {
    for (const Beats beats : kBeats) {
      cases.push_back({even_name(maps, beats),
                       [=](std::uint64_t seed) { return even_scenario(maps, beats, size, seed); }});
    }
  }
  return cases;
}

Line small_line(const Runs& runs, int maps, double delay_s, const char* what,
                const Runs::Figure& figure, Published published) {
  Line line = locality_line(runs, {maps, delay_s}, figure);
  line.what = fmt::format("{} maps, {}: {} locality %", maps,
                          delay_s == 0 ? "naive" : fmt::format("W = {:.0f} s", delay_s), what);
  line.published = published;
  return line;
}

Line small_gain(const Runs& runs, const SmallJob& job) {
  Line gain{.what = fmt::format("{} maps: tasks/s, W = {:.0f} s over naive", job.maps, kDelay),
            .decimals = 2,
            .published = Published{job.gain, Mark::kNote}};
  for (const Beats beats : kBeats) {
    gain.measured[static_cast<int>(beats)] =
        runs.quotient(name_of({job.maps, kDelay}, beats), name_of({job.maps, 0}, beats), rate_of);
  }
  gain.ask("above 1", [](double mean) { return mean > 1; });
  return gain;
}

std::vector<Line> small_lines(double, const Runs& runs) {
  std::vector<Line> lines;
  for (const SmallJob& job : kSmallJobs) {
    lines.push_back(small_line(runs, job.maps, 0, "node", node_of, {job.node_naive, Mark::kNote}));
    const double naive =
        std::max(mean_of(lines.back().measured[0]), mean_of(lines.back().measured[1]));
    Line delayed =
        small_line(runs, job.maps, kDelay, "node", node_of, {job.node_delay, Mark::kNote});
    add_closed_forms(runs, {job.maps, kDelay}, delayed);
    delayed.ask("above naive", [&](double mean) { return mean > naive; });
    lines.push_back(std::move(delayed));
    lines.push_back(
        small_line(runs, job.maps, 0, "rack", rack_of, {job.rack_naive, Mark::kMemory}));
    lines.push_back(
        small_line(runs, job.maps, kDelay, "rack", rack_of, {job.rack_delay, Mark::kMemory}));
    lines.push_back(small_gain(runs, job));
  }
  for (const int maps : kEvenSizes) lines.push_back(even_line(runs, maps));
  return lines;
}

// --- E2 ---

struct Sensitivity {
  Load load;
  std::optional<Published> published;
};
// The last two show what the published figures for 1 s would take.
const Sensitivity kSensitivity[] = {
    {{4, 0}, Published{5, Mark::kNote}},     {{4, 1}, Published{68, Mark::kNote}},
    {{4, 5}, Published{100, Mark::kNote}},   {{4, 10}, std::nullopt},
    {{12, 0}, Published{11, Mark::kMemory}}, {{12, 1}, Published{80, Mark::kNote}},
    {{12, 5}, Published{100, Mark::kNote}},  {{12, 10}, std::nullopt},
    {{4, 1, 6}, Published{68, Mark::kNote}}, {{12, 1, 6}, Published{80, Mark::kNote}}};

std::vector<Case> delay_cases(double size) {
  std::vector<Load> loads;
  for (const Sensitivity& one : kSensitivity) loads.push_back(one.load);
  return cases_of(loads, size);
}

std::vector<Line> delay_lines(double, const Runs& runs) {
  constexpr double kNear = 12;  // points, where the wait is one second
  std::vector<Line> lines;
  for (const auto& [load, published] : kSensitivity) {
    Line line = locality_line(runs, load, node_of);
    line.what = fmt::format(
        "{} maps, W = {:.0f} s{}: node locality %", load.maps, load.delay_s,
        load.beat_s == kBeatSeconds ? "" : fmt::format(", heartbeat {} s", load.beat_s));
    line.published = published;
    if (load.delay_s > 0) add_closed_forms(runs, load, line);
    if (load.delay_s == 1) {
      const double paper = published->value;
      line.ask("published +-12", [=](double mean) { return std::abs(mean - paper) <= kNear; });
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> private_setup() {
  return {
      "100 trackers in 4 racks, 6 map slots each; maps of 9 s +-10% and 1 s of launch, x1.3 in the "
      "rack, x2 elsewhere",
      "3 replicas a block; 1,500 jobs a run, but 9,000 maps at most; they come at the pace at "
      "which all slots run nothing but local maps"};
}

}  // namespace

Experiment small_jobs() {
  return {"small-jobs", "locality and throughput of small jobs, with and without delay scheduling",
          private_setup(), small_cases, small_lines};
}

Experiment locality_delay_experiment() {
  return {"locality-delay", "how long a wait small jobs need for their input", private_setup(),
          delay_cases, delay_lines};
}

}  // namespace weir::experiments
