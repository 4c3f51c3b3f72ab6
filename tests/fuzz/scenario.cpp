// A scenario file. Files that it names (a trace, settings) are looked for in a folder that is not
// there.
#include "sim/scenario.h"

#include "fuzz/target.h"
#include "jobqueue/model/check.h"

void weir::fuzz::run(std::string_view input) {
  const auto scenario = load_scenario_text("/nonexistent/fuzz.yaml", input);
  WEIR_CHECK(scenario.ok() || !scenario.error().diagnostics.empty(), "a refusal says why");
}
