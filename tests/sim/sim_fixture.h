// Runs scenarios out of text, for tests: what failed, what was told, what was sampled.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "conf/policies.h"
#include "sim/runner.h"

namespace weir::test {

struct SimRun {
  std::vector<std::string> errors;    // of the file
  std::vector<std::string> failures;  // of the run
  std::string events;
  std::string samples;
  std::vector<SummaryRow> summary;
  std::size_t expectations = 0;
};

inline SimRun simulate(const std::string& text, const std::string& file = "s.yaml") {
  SimRun result;
  const auto scenario = load_scenario_text(file, text);
  if (!scenario) {
    result.errors = scenario.error().diagnostics;
    return result;
  }
  auto runner = Runner::create(*scenario, policy_factory());
  if (!runner) {
    result.errors = {runner.error().message};
    return result;
  }
  std::ostringstream events;
  std::ostringstream samples;
  (*runner)->write_events(events);
  (*runner)->write_samples(samples);
  (*runner)->summarise();
  (*runner)->run();
  result.failures = (*runner)->failures();
  result.events = events.str();
  result.samples = samples.str();
  result.summary = (*runner)->summary()->rows();
  result.expectations = (*runner)->expectations();
  return result;
}

}  // namespace weir::test
