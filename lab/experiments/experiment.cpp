#include "lab/experiments/experiment.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "jobqueue/model/check.h"
#include "lab/experiments/catalogue.h"
#include "sim/runner.h"

namespace weir::experiments {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> kAll = {small_jobs(), locality_delay_experiment(),
                                               sticky_slots(), copy_compute()};
  return kAll;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

void Line::ask(std::string what_holds, const std::function<bool(double mean)>& holds) {
  bar = std::move(what_holds);
  for (int i = 0; i < 2; ++i) met[i] = holds(mean_of(measured[i]));
}

std::vector<double> Runs::of(const std::string& name, const Figure& figure) const {
  std::vector<double> values;
  for (const RunFigures& run : runs_.at(name)) values.push_back(figure(run));
  return values;
}

std::vector<double> Runs::quotient(const std::string& above, const std::string& below,
                                   const Figure& figure) const {
  std::vector<double> values = of(above, figure);
  const std::vector<double> under = of(below, figure);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= under[i];
  return values;
}

Result<RunFigures> run_case(const std::string& name, const std::string& scenario,
                            const PolicyFactory& factory) {
  const auto loaded = load_scenario_text(name, scenario);
  if (!loaded) return loaded.error();
  auto runner = Runner::create(*loaded, factory);
  if (!runner) return runner.error();
  (*runner)->summarise();
  (*runner)->run();
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kBadRequest, name + ": " + why,
                 "see it with --case " + name + " --scenario FILE, and weir sim FILE"};
  };
  if (!(*runner)->failures().empty()) return refuse((*runner)->failures().front());
  const Summary& summary = *(*runner)->summary();
  RunFigures figures;
  for (const SummaryRow& row : summary.rows()) {
    figures.response_s[row.queue] = row.response.mean_s.value_or(0);
    figures.response_p95_s[row.queue] = row.response.p95_s.value_or(0);
    if (row.queue != "all") continue;
    if (row.unfinished + row.failed + row.killed > 0) return refuse("not every job succeeded");
    const auto maps = static_cast<double>(row.launches[0] + row.launches[1] + row.launches[2]);
    figures.node = 100 * static_cast<double>(row.launches[0]) / maps;
    figures.rack = 100 * static_cast<double>(row.launches[0] + row.launches[1]) / maps;
    figures.makespan_s = static_cast<double>(summary.last_end() - SimEngine::kStart) / 1000;
    const std::int64_t slots = (*runner)->engine().state().total_slots(TaskKind::kReduce);
    figures.reduce_use =
        100 * row.use[1].seconds / (static_cast<double>(slots) * figures.makespan_s);
  }
  figures.tasks_per_s = static_cast<double>(summary.launches()) / figures.makespan_s;
  return figures;
}

Result<std::vector<Line>> run_experiment(const Experiment& experiment, const RunOptions& options,
                                         const PolicyFactory& factory, const Progress& progress) {
  const std::vector<Case> cases = experiment.cases(options.size);
  Runs runs;
  std::size_t done = 0;
  for (std::uint64_t i = 0; i < options.seeds; ++i) {
    for (const Case& one : cases) {
      progress(done++, cases.size() * options.seeds, one.name);
      const auto figures = run_case(one.name, one.scenario(options.first_seed + i), factory);
      if (!figures) return figures.error();
      runs.add(one.name, *figures);
    }
  }
  return experiment.lines(options.size, runs);
}

}  // namespace weir::experiments
