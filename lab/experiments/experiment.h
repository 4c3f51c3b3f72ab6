// The published experiments as something to run again (docs/experiments.md): each is a set of
// cases, a case is a scenario made from a seed, and the figures of all runs become a table beside
// the numbers that papers gave and what arithmetic says. Scenarios run on the JobTracker's own
// engine and fair policy; there is no second model. For simulation only: doubles. Deterministic.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobqueue/model/result.h"
#include "jobqueue/policy/policy.h"
#include "lab/experiments/scenario_text.h"

namespace weir::experiments {

struct Case {
  std::string name;  // 3-maps/naive/hb
  std::function<std::string(std::uint64_t seed)> scenario;
};

// Of one run. Locality is in percent of the maps.
struct RunFigures {
  double node = 0;
  double rack = 0;        // on the input's node or in its rack
  double makespan_s = 0;  // to the end of the last job
  double tasks_per_s = 0;
  double reduce_use = 0;                         // percent of the cluster's reduce slot-time
  std::map<std::string, double> response_s;      // mean, by queue
  std::map<std::string, double> response_p95_s;  // likewise
};

// How sure a published number is: stored source, stored note that quotes it, memory, read off a
// figure.
enum class Mark : char { kStored = 'S', kNote = 'N', kMemory = 'M', kFigure = 'F' };
struct Published {
  double value = 0;
  Mark mark = Mark::kNote;
  std::optional<double> up_to;  // of a range
};

// A line of the table. What has no value stays empty.
struct Line {
  std::string what;
  int decimals = 1;
  std::vector<double> measured[2];  // by Beats: one a seed
  std::optional<Published> published;
  std::optional<double> closed_form[2];  // by Beats: where its premises hold
  std::string bar;                       // what must hold, in words; empty: nothing is asked
  std::optional<bool> met[2];            // by Beats
  // What the means must do; `bar` says it.
  void ask(std::string bar, const std::function<bool(double mean)>& holds);
};
double mean_of(const std::vector<double>& values);
double deviation_of(const std::vector<double>& values);  // of the sample; 0 for fewer than two

// What came of one case, one entry a seed.
class Runs {
 public:
  void add(const std::string& name, const RunFigures& figures) { runs_[name].push_back(figures); }
  // One value a seed of that case; of two cases the quotient, seed by seed.
  using Figure = std::function<double(const RunFigures&)>;
  std::vector<double> of(const std::string& name, const Figure& figure) const;
  std::vector<double> quotient(const std::string& above, const std::string& below,
                               const Figure& figure) const;

 private:
  std::map<std::string, std::vector<RunFigures>> runs_;
};

struct Experiment {
  std::string_view name;
  std::string_view what;           // in a line
  std::vector<std::string> setup;  // lines about what was run
  // `size`: the part of the jobs (or of their maps) of the whole experiment, 0 to 1.
  std::vector<Case> (*cases)(double size);
  std::vector<Line> (*lines)(double size, const Runs& runs);
};
const std::vector<Experiment>& experiments();

// Runs one scenario; an error says why it was not what an experiment needs.
Result<RunFigures> run_case(const std::string& name, const std::string& scenario,
                            const PolicyFactory& factory);

struct RunOptions {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 5;
  double size = 1;
};
// `progress` hears how many of how many runs are done, and which comes next.
using Progress = std::function<void(std::size_t done, std::size_t all, const std::string& next)>;
Result<std::vector<Line>> run_experiment(const Experiment& experiment, const RunOptions& options,
                                         const PolicyFactory& factory, const Progress& progress);

}  // namespace weir::experiments
