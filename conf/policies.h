// The one list of scheduling policies: name, reader of its settings section, constructor. A policy
// is added to this build by a line in policy_sections.cpp (name and section) and one in
// policies.cpp (constructor); everything that offers a choice of policies asks here. Pure
// functions, any thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conf/settings_text.h"
#include "conf/yaml_reader.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/policy/policy.h"

namespace weir {

std::vector<std::string> policy_names();  // sorted as they are offered; the first is the default
PolicyFactory policy_factory();

using KeyValues = std::vector<std::pair<std::string, std::string>>;

// A part of the settings that comes and goes as a whole: a queue, a pool. Always the same keys.
struct SettingsPart {
  std::string path;  // `queues.research.vision`
  KeyValues values;    // the first one stands for it when it is new
  KeyValues defaults;  // what they would be if it had no keys; in the same order
};

// A policy that has settings of its own: `name:` is also its section's key in weir.yaml.
struct PolicySection {
  std::string_view name;
  // Reads the section (null: it is absent, so all defaults); what is wrong goes to `out`. A section
  // may keep a part of itself in the allocations file.
  std::shared_ptr<const PolicySettings> (*read)(const YamlNode* section,
                                                const Allocations& allocations, Diagnostics& out);
  // The settings as key and value, with defaults, for `conf diff`.
  KeyValues (*describe)(const PolicySettings& settings);
  // What it has any number of, as pools; null: nothing.
  std::vector<SettingsPart> (*parts)(const PolicySettings& settings);
};
const std::vector<PolicySection>& policy_sections();

}  // namespace weir
