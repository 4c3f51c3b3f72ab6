// weir.yaml, with or without the allocations file behind it (conf/settings_text.h): read, then used
// as a JobTracker would at its start and for `weir conf diff`.
#include "conf/load.h"

#include "conf/diff.h"
#include "conf/policies.h"
#include "fuzz/target.h"
#include "jobqueue/engine/engine.h"
#include "jobqueue/model/check.h"
#include "jobqueue/model/snapshot.h"

void weir::fuzz::run(std::string_view input) {
  const SettingsText source = SettingsText::split(input);
  WEIR_CHECK(SettingsText::split(source.joined()).text == source.text, "a text survives joining");
  const auto loaded = load_settings_text("fuzz.yaml", input);
  if (!loaded) {
    WEIR_CHECK(!loaded.error().diagnostics.empty(), "a refusal says why");
    return;
  }
  (void)Engine::create(std::make_shared<Settings>(loaded->settings), policy_factory(), Snapshot{},
                       1);
}
