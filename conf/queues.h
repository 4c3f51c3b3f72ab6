// The `queues:` of weir.yaml to the engine's queue settings. Reading makes a flat list of drafts,
// nested and `parent:` forms alike, each with the positions needed to complain about it; resolving
// turns parent names into a tree and lets Boost.Graph say whether it is one (cycles and orphans are
// named); checking holds siblings against each other (guarantees in total, unique names) and
// against their ancestors. Each step reports all it finds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conf/yaml_reader.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/space.h"

namespace weir {

inline constexpr std::size_t kMaxQueues = 10'000;
inline constexpr std::size_t kMaxQueueDepth = 32;

struct QueueDraft {
  QueueSettings settings;  // without children
  Mark at;
  Mark guaranteed_at;
  bool guaranteed_wrong = false;  // which is said; nothing follows from it
  Mark maximum_at;
  std::vector<std::pair<std::string, Mark>> job_keys;  // keys that matter to leaves alone
  std::string parent_name;                             // of the flat form
  Mark parent_at;
  std::optional<std::size_t>
      parent;  // index of a draft before or, in the flat form, after this one
  std::vector<std::size_t> children;  // in file order; filled in by resolve_queues
  std::string path;                   // dotted; filled in by resolve_queues
};

// What `queues:` says, or the one queue `default` if `node` is null. Valid only if `out` has no
// errors.
std::vector<QueueSettings> load_queues(const YamlNode* node, const Space& space,
                                       Diagnostics& out);

// The three steps, in this order.
std::vector<QueueDraft> read_queues(const YamlNode& node, const Space& space, Diagnostics& out);
bool resolve_queues(std::vector<QueueDraft>& drafts, Diagnostics& out);  // false: no tree
void check_queues(const std::vector<QueueDraft>& drafts, const Space& space, Diagnostics& out);

// Users, @groups and "*": `submit`, `administer`, `administrators`. Nothing: absent, or wrong.
AccessList read_access(const MapReader& map, std::string_view key);

// `lend: all | never | 60% | {..}`, `borrow: never | 20% | {..}`, of queues and pools.
void read_loan(const MapReader& map, std::string_view key, const Space& space,
               std::optional<QueueBound>& target);

}  // namespace weir
