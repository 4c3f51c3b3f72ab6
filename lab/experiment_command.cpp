#include "lab/experiment_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/table.h"
#include "conf/policies.h"
#include "conf/values.h"
#include "lab/experiments/experiment.h"

namespace weir::cli {
namespace {

using experiments::Beats;
using experiments::Experiment;
using experiments::kBeats;
using experiments::Line;

struct ExperimentOptions {
  std::string name;
  experiments::RunOptions run;
  std::int64_t size_percent = 100;
  bool cases = false;
  std::string case_name;
  std::string scenario;  // where to; empty: the experiment is run
};

// One line on a terminal, rewritten in place; nothing elsewhere.
class ExperimentProgress {
 public:
  explicit ExperimentProgress(Context& context) : context_(context) {}
  ~ExperimentProgress() {
    if (shown_) context_.err << "\r\x1b[K" << std::flush;
  }
  void show(std::size_t done, std::size_t all, const std::string& next) {
    const auto now = std::chrono::steady_clock::now();
    if (!context_.terminal.err || (shown_ && now - last_ < std::chrono::milliseconds(100))) return;
    shown_ = true;
    last_ = now;
    context_.err << fmt::format("\r\x1b[K{:3}%  {} of {} runs  {}", 100 * done / all, done, all,
                                next)
                 << std::flush;
  }

 private:
  Context& context_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

const Experiment& find_experiment(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Experiment& one : experiments::experiments()) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  const auto near = nearest(name, names);
  throw wrong_use(fmt::format("'{}' is no experiment{}, allowed: {}", printable(name),
                              near ? fmt::format(", did you mean '{}'?", *near) : "",
                              fmt::join(names, ", ")));
}

// --- The table ---

std::string measured_text(const Line& line, Beats beats) {
  const auto& values = line.measured[static_cast<int>(beats)];
  const std::string mean = fmt::format("{:.{}f}", experiments::mean_of(values), line.decimals);
  if (values.size() < 2) return mean;
  return mean + fmt::format(" +-{:.{}f}", experiments::deviation_of(values), line.decimals);
}

std::string short_number(double value) {
  return fmt::format("{:.4g}", value);
}

std::string published_text(const Line& line) {
  if (!line.published) return "-";
  const std::string to = line.published->up_to ? "-" + short_number(*line.published->up_to) : "";
  return fmt::format("{}{} [{}]", short_number(line.published->value), to,
                     static_cast<char>(line.published->mark));
}

// One number, or hb / oob where they differ.
std::string closed_text(const Line& line) {
  std::string both[2];
  for (int i = 0; i < 2; ++i) {
    both[i] = line.closed_form[i] ? fmt::format("{:.1f}", *line.closed_form[i]) : "-";
  }
  return both[0] == both[1] ? both[0] : both[0] + " / " + both[1];
}

std::string bar_text(const Line& line) {
  const auto word = [](const std::optional<bool>& met) { return *met ? "yes" : "NO"; };
  if (!line.met[0]) return "";
  if (line.met[0] == line.met[1]) return fmt::format("{}: {}", line.bar, word(line.met[0]));
  return fmt::format("{}: {} / {}", line.bar, word(line.met[0]), word(line.met[1]));
}

void print_experiment(Context& context, const Experiment& experiment,
                      const std::vector<Line>& lines, const ExperimentOptions& options) {
  context.out << fmt::format("{}: {}\n", experiment.name, experiment.what);
  for (const std::string& line : experiment.setup) context.out << "  " << line << "\n";
  Table table({{.header = "", .least_width = 36},
               {.header = "HB", .right = true},
               {.header = "OOB", .right = true},
               {.header = "PUBLISHED", .right = true, .rank = 2},
               {.header = "CLOSED FORM", .right = true, .rank = 3},
               {.header = "BAR", .rank = 1}});  // ends with what came of it: not cut
  for (const Line& line : lines) {
    table.add({line.what, measured_text(line, Beats::kPlain),
               measured_text(line, Beats::kOutOfBand), published_text(line), closed_text(line),
               bar_text(line)});
  }
  context.out << "\n" << table.render(context.columns());
  int asked = 0;
  int met = 0;
  for (const Line& line : lines) {
    for (const auto& one : line.met) {
      asked += one.has_value();
      met += one.value_or(false);
    }
  }
  context.out << fmt::format(
      "\nMeans of {} seed{} +- standard deviation{}; HB / OOB where one column has both.\n"
      "HB: a tracker reports ends with its next heartbeat, OOB: at once.\n"
      "[S] stored source, [N] stored note that quotes it, [M] memory, [F] read off a figure. {} of "
      "{} bars met.\n",
      options.run.seeds, options.run.seeds == 1 ? "" : "s",
      options.size_percent == 100 ? "" : fmt::format(", at {}% of the size", options.size_percent),
      met, asked);
}

Json line_json(const Line& line) {
  Json json = {{"what", line.what}};
  for (const Beats beats : kBeats) {
    const auto& values = line.measured[static_cast<int>(beats)];
    json[experiments::name(beats)] = {{"mean", experiments::mean_of(values)},
                                      {"deviation", experiments::deviation_of(values)},
                                      {"seeds", values}};
    const auto& closed = line.closed_form[static_cast<int>(beats)];
    json[experiments::name(beats)]["closed_form"] = closed ? Json(*closed) : Json();
    const auto& met = line.met[static_cast<int>(beats)];
    json[experiments::name(beats)]["met"] = met ? Json(*met) : Json();
  }
  json["published"] = nullptr;
  if (line.published) {
    json["published"] = {{"value", line.published->value},
                         {"mark", std::string(1, static_cast<char>(line.published->mark))}};
    if (line.published->up_to) json["published"]["up_to"] = *line.published->up_to;
  }
  json["bar"] = line.bar.empty() ? Json() : Json(line.bar);
  return json;
}

// --- What the command does ---

int list_experiments(Context& context) {
  Json list = Json::array();
  Table table({{"EXPERIMENT"}, {.header = "WHAT", .least_width = 20}});
  for (const Experiment& one : experiments::experiments()) {
    list.push_back({{"experiment", one.name}, {"what", one.what}});
    table.add({std::string(one.name), std::string(one.what)});
  }
  if (context.json()) {
    print_json(context.out, list);
  } else {
    context.out << table.render(context.columns());
  }
  return kExitDone;
}

int list_cases(Context& context, const std::vector<experiments::Case>& cases) {
  Json list = Json::array();
  for (const auto& one : cases) {
    list.push_back(one.name);
    if (!context.json()) context.out << one.name << "\n";
  }
  if (context.json()) print_json(context.out, list);
  return kExitDone;
}

int write_scenario(Context& context, const std::vector<experiments::Case>& cases,
                   const ExperimentOptions& options) {
  const auto found = std::find_if(cases.begin(), cases.end(),
                                  [&](const auto& one) { return one.name == options.case_name; });
  if (found == cases.end()) {
    throw wrong_use(
        fmt::format("--case: '{}' is no case of {}; see `weir-lab experiment {} --cases`",
                    printable(options.case_name), options.name, options.name));
  }
  const std::string text = found->scenario(options.run.first_seed);
  if (options.scenario == "-") {
    context.out << text;
    return kExitDone;
  }
  std::ofstream file(options.scenario, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file) {
    throw wrong_use(fmt::format("{}: cannot be written: {}", printable(options.scenario),
                                std::strerror(errno)));
  }
  return kExitDone;
}

int run_experiment_command(Context& context, ExperimentOptions options) {
  if (options.name.empty()) return list_experiments(context);
  const Experiment& experiment = find_experiment(options.name);
  options.run.size = static_cast<double>(options.size_percent) / 100;
  const auto cases = experiment.cases(options.run.size);
  if (options.cases) return list_cases(context, cases);
  if (!options.scenario.empty()) return write_scenario(context, cases, options);
  if (!options.case_name.empty()) throw wrong_use("--case needs --scenario FILE");
  Result<std::vector<Line>> lines = std::vector<Line>{};
  const auto started = std::chrono::steady_clock::now();
  {
    ExperimentProgress progress(context);
    lines = experiments::run_experiment(experiment, options.run, policy_factory(),
                                        [&](std::size_t done, std::size_t all, const auto& next) {
                                          progress.show(done, all, next);
                                        });
  }
  if (!lines) throw CliFailure(kExitNotSo, lines.error().message + " (" + lines.error().hint + ")");
  if (context.json()) {
    Json json = {{"experiment", experiment.name},
                 {"seeds", options.run.seeds},
                 {"first_seed", options.run.first_seed},
                 {"size_percent", options.size_percent},
                 {"lines", Json::array()}};
    for (const Line& line : *lines) json["lines"].push_back(line_json(line));
    print_json(context.out, json);
  } else {
    print_experiment(context, experiment, *lines, options);
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  context.err << fmt::format("{} runs in {:.1f} s\n", cases.size() * options.run.seeds,
                             wall.count());
  const bool all_met = std::all_of(lines->begin(), lines->end(), [](const Line& line) {
    return line.met[0].value_or(true) && line.met[1].value_or(true);
  });
  return all_met ? kExitDone : kExitNotSo;
}

}  // namespace

void add_experiment_command(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "experiment", "run a published experiment again, on the JobTracker's engine in virtual time");
  const auto options = std::make_shared<ExperimentOptions>();
  command->add_option("EXPERIMENT", options->name,
                      "small-jobs, locality-delay, sticky-slots or copy-compute; none lists them");
  command->add_option("--seeds", options->run.seeds, "how many, each with its own blocks and times")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1000}))
      ->capture_default_str();
  command->add_option("--first-seed", options->run.first_seed, "where to begin")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 62))
      ->capture_default_str();
  command->add_option("--size", options->size_percent, "percent of the jobs, or of their maps")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--cases", options->cases, "list the runs that it consists of");
  command->add_option("--case", options->case_name, "with --scenario: which of them");
  command->add_option("--scenario", options->scenario,
                      "write the scenario of --case with --first-seed, for weir sim; - is stdout");
  add_output_option(*command, context);
  command->footer(
      "Exit codes: 0 all bars met, 1 one was not, 2 wrong use. What the tables say: "
      "docs/experiments.md.\n\n"
      "Examples:\n"
      "  weir-lab experiment\n"
      "  weir-lab experiment small-jobs\n"
      "  weir-lab experiment sticky-slots --seeds 20 -o json\n"
      "  weir-lab experiment small-jobs --case 3-maps/15s/hb --scenario s.yaml\n"
      "  weir sim s.yaml --summary");
  command->callback([&context, options] {
    context.action = [&context, options] { return run_experiment_command(context, *options); };
  });
}

}  // namespace weir::cli
