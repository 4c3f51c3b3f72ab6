// Copy-compute splitting (EECS-2009-55): a reduce that copies holds a slot in which it computes
// nothing. A long job's reduces take all of them and wait for its maps, and small jobs wait for the
// long job; and a stream of jobs one after the other copies and computes in turn, never both.
#include <fmt/format.h>

#include "lab/experiments/catalogue.h"

namespace weir::experiments {
namespace {

constexpr int kLongMaps = 3200;
constexpr int kLongReduces = 300;  // more than there are slots, less than may copy
constexpr int kSmallJobCount = 20;
constexpr int kSmallEveryMs = 30'000;
constexpr int kStreamJobs = 20;

const char* how(bool split) {
  return split ? "split" : "whole";
}

std::string split_name(const char* load, bool split, Beats beats) {
  return fmt::format("{}/{}/{}", load, how(split), name(beats));
}

std::string split_settings(bool split, const char* pools) {
  return fmt::format(
      "  queues: [{{name: long, guaranteed: 50%}}, {{name: small, guaranteed: 50%}}]\n"
      "  fair:\n    copy_compute_split: {}\n    locality_delay: 5s\n{}",
      split, pools);
}

std::string beside_scenario(bool split, Beats beats, double size, std::uint64_t seed) {
  std::vector<Arrival> jobs;
  jobs.push_back({0, fmt::format("id: L, queue: long, maps: {}, map_time: 60s, reduces: {}, "
                                 "copy_time: 30s, reduce_time: 60s, slowstart: 0.05",
                                 part_of(size, kLongMaps), kLongReduces)});
  for (int job = 1; job <= part_of(size, kSmallJobCount); ++job) {
    jobs.push_back(
        {job * kSmallEveryMs, fmt::format("id: S{}, queue: small, maps: 5, map_time: 9s, reduces: "
                                          "2, copy_time: 2s, reduce_time: 5s, slowstart: 0.05",
                                          job)});
  }
  return scenario_text(ec2_cluster(2), beats, split_settings(split, ""), seed, jobs);
}

std::string stream_scenario(bool split, Beats beats, double size, std::uint64_t seed) {
  std::vector<Arrival> jobs;
  for (int job = 0; job < part_of(size, kStreamJobs); ++job) {
    jobs.push_back({0, fmt::format("id: J{}, queue: long, maps: 400, map_time: 20s, reduces: 200, "
                                   "copy_time: 30s, reduce_time: 30s, slowstart: 0.05",
                                   job)});
  }
  return scenario_text(ec2_cluster(2), beats,
                       split_settings(split, "    pools: [{name: long, mode: fifo}]\n"), seed,
                       jobs);
}

std::vector<Case> split_cases(double size) {
  std::vector<Case> cases;
  for (const bool split : {false, true}) {
    for (const Beats beats : kBeats) {
      cases.push_back({split_name("beside", split, beats), [=](std::uint64_t seed) {
                         return beside_scenario(split, beats, size, seed);
                       }});
      cases.push_back({split_name("stream", split, beats), [=](std::uint64_t seed) {
                         return stream_scenario(split, beats, size, seed);
                       }});
    }
  }
  return cases;
}

std::vector<Line> split_lines(double, const Runs& runs) {
  std::vector<Line> lines;
  const auto plain = [&](const char* load, bool split, const char* what,
                         const Runs::Figure& figure) {
    Line line{.what = fmt::format("{}: {}", how(split), what)};
    for (const Beats beats : kBeats) {
      line.measured[static_cast<int>(beats)] = runs.of(split_name(load, split, beats), figure);
    }
    lines.push_back(std::move(line));
  };
  const auto gain = [&](const char* load, const char* what, const Runs::Figure& figure,
                        Published published) -> Line& {
    Line line{.what = what, .decimals = 2, .published = published};
    for (const Beats beats : kBeats) {
      line.measured[static_cast<int>(beats)] =
          runs.quotient(split_name(load, false, beats), split_name(load, true, beats), figure);
    }
    lines.push_back(std::move(line));
    return lines.back();
  };
  const auto small = [](const RunFigures& run) { return run.response_s.at("small"); };
  for (const bool split : {false, true}) {
    plain("beside", split, "small jobs' response, mean s", small);
    plain("beside", split, "small jobs' response, p95 s",
          [](const RunFigures& run) { return run.response_p95_s.at("small"); });
    plain("beside", split, "the long job's response s",
          [](const RunFigures& run) { return run.response_s.at("long"); });
    plain("beside", split, "reduces held, % of the slots",
          [](const RunFigures& run) { return run.reduce_use; });
  }
  Line& response =
      gain("beside", "small jobs' response, whole over split", small, {2, Mark::kStored, 10});
  response.ask("at least 2", [](double mean) { return mean >= 2; });
  plain("stream", false, "a stream of jobs, time s", makespan_of);
  plain("stream", true, "a stream of jobs, time s", makespan_of);
  gain("stream", "a stream of jobs: time, whole over split", makespan_of, {2, Mark::kStored, {}});
  return lines;
}

}  // namespace

Experiment copy_compute() {
  return {
      "copy-compute",
      "small jobs beside a long one with many reduces, and a stream of jobs, with and without "
      "copy_compute_split",
      {"100 trackers, 4 map and 2 reduce slots each",
       "beside: 3,200 maps of 60 s and 300 reduces (copy 30 s, compute 60 s); every 30 s 5 maps "
       "of 9 s and 2 reduces (2 s, 5 s)",
       "stream: 20 jobs of one user, first in first out, each 400 maps of 20 s and 200 reduces "
       "(30 s, 30 s)"},
      split_cases,
      split_lines};
}

}  // namespace weir::experiments
