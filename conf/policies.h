// The one table of scheduling policies: what each is called, how it is made, and what is done with
// its settings. A policy is added to this build by a line in policies.cpp: whatever offers a choice
// of policies, or reads, compares or shows settings, walks the table, which it takes as its last
// argument so that a test can hand it another one. Pure functions, any thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conf/settings_text.h"
#include "conf/yaml_reader.h"
#include "jobqueue/model/queue_tree.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/policy/policy.h"

namespace weir {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

// A part of the settings that comes and goes as a whole: a queue, a pool. Always the same keys,
// where the same counts.
struct SettingsPart {
  std::string path;    // `queues.research.vision`
  KeyValues values;    // the first one stands for it when it is new
  KeyValues defaults;  // what they would be if it had no keys; in the same order
};

struct PolicyEntry {
  std::string_view name;  // in `policy: NAME`, and its section's key in weir.yaml
  std::unique_ptr<Policy> (*make)(const ClusterState& state, PolicyMemory& memory);
  // Where containers count; null: it knows slots alone.
  std::unique_ptr<Policy> (*make_of_containers)(const ClusterState& state,
                                                PolicyMemory& memory) = nullptr;

  // Reads the section (null: it is absent, so all defaults); what is wrong goes to `out`. A section
  // may keep a part of itself in the allocations file. Null, with the two below: it has no section.
  std::shared_ptr<const PolicySettings> (*read)(const YamlNode* section,
                                                const ResourceSettings& resources,
                                                const Allocations& allocations,
                                                Diagnostics& out) = nullptr;
  // The settings as key and value, with defaults, for `conf diff`.
  // Those that count in the space.
  KeyValues (*describe)(const PolicySettings& settings, const Space& space) = nullptr;
  // What it has any number of, as pools; null: nothing.
  std::vector<SettingsPart> (*parts)(const PolicySettings& settings, const Space& space) = nullptr;

  // What is noteworthy about settings under it on the cluster as it is, a sentence each
  // (live_notices.h); null: nothing ever.
  std::vector<std::string> (*notices)(const Settings& settings, const QueueTree& tree,
                                      const Resources& total) = nullptr;
};
using PolicyTable = std::span<const PolicyEntry>;

PolicyTable policy_table();  // in the order in which they are offered; the first is the default

std::vector<std::string> policy_names(PolicyTable policies = policy_table());
const PolicyEntry* find_policy(std::string_view name, PolicyTable policies = policy_table());
PolicyFactory policy_factory(PolicyTable policies = policy_table());  // goes on using the table

// Its settings; those made by hand may leave a policy out, which then has its defaults. Null: it
// has no section.
std::shared_ptr<const PolicySettings> settings_of(const Settings& settings,
                                                  const PolicyEntry& policy);

}  // namespace weir
