// The fair policy's allocations file, as settings name it.
#include "conf/load.h"
#include "fuzz/target.h"
#include "jobqueue/model/check.h"

void weir::fuzz::run(std::string_view input) {
  SettingsText source;
  source.text = "policy: fair\nfair: {allocations: pools.yaml}\n";
  source.allocations = AllocationsFile{"pools.yaml", std::string(input), ""};
  const auto loaded = load_settings_text("fuzz.yaml", source);
  WEIR_CHECK(loaded.ok() || !loaded.error().diagnostics.empty(), "a refusal says why");
}
