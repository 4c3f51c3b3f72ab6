// The allocations file of Hadoop's fair schedulers as it was read: pools with what our settings
// have a place for. MapReduce's and YARN's have one shape, and it says which one it is. Reading
// tells what is not taken over. Used by conf/hadoop_*.cpp alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conf/hadoop_parts.h"
#include "conf/hadoop_resources.h"
#include "jobqueue/model/ids.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/time.h"

namespace weir {

struct ImportedPool {
  std::string name;
  HadoopValue said;                    // where it stands
  std::optional<std::int64_t> weight;  // millionths
  std::array<std::optional<std::int64_t>, kTaskKindCount> minimum, maximum;
  std::optional<std::int64_t> maximum_hundredths;  // of the cluster, in percent
  HadoopAmounts least, most;  // of containers, instead of slots,
  HadoopAmounts most_parts;   // and of the cluster, in hundredths of a percent
  std::optional<std::int64_t> max_running_jobs;
  std::string mode;  // empty: the default
  std::optional<DurationMs> min_timeout_ms, fair_timeout_ms;
  bool spared = false;  // its tasks are not preempted
  AccessList submit, administer;
  std::vector<ImportedPool> pools;
};

// YARN's way to find the queue of an application, as far as we have it.
struct ImportedPlacement {
  bool said = false;                         // there is a policy
  std::string pool_name_property = "queue";  // which decides
  bool undeclared_refused = false;
};

struct ImportedAllocations {
  std::vector<ImportedPool> pools;
  AccessList root_submit, root_administer;  // absent: everybody
  std::map<std::string, std::int64_t> users;
  std::optional<std::int64_t> pool_jobs, user_jobs;  // defaults, as those below
  std::optional<DurationMs> min_timeout_ms, fair_timeout_ms;
  std::string mode;
  HadoopAmounts most;  // of a pool, by default
  ImportedPlacement placement;
};

struct AllocationsUse {
  bool yarn = false;         // whatever the file looks like
  bool queue_names = false;  // pools are called by queues, so that they are named like those
  bool lists_count = true;   // YARN looks at access lists
  bool containers = false;   // amounts are taken over, and policies by dominant resource
};
ImportedAllocations read_allocations_file(const XmlElement& root, AllocationsUse use,
                                          Diagnostics& out);
// Whether it has what only YARN's files have.
bool is_yarn_allocations(const XmlElement& root);
// Tells that an element is not taken over, and why (hadoop_no_counterpart.cpp).
void tell_no_counterpart(const HadoopValue& value, std::string_view element);
// Whether YARN passes over it, as a name of MapReduce's: at the top, and of a pool or user.
bool is_mr1_default(std::string_view element);
bool is_mr1_pool_value(std::string_view element);
// `0 mb, 0 vcores`, `0%`: no number in it but 0.
bool says_nothing(std::string_view text);
// Of containers, `minResources` or `maxResources`; the last value counts, whatever its form was.
void read_amounts_of(const HadoopValue& value, bool minimum, ImportedPool& pool);
// Warns of a maximum of 0 of what every task takes.
void tell_zero_amounts(const HadoopValue& value, const HadoopAmounts& most);
// A minimum above the maximum (by default `most`) is as large as that, with a warning.
void settle_amounts_of(ImportedPool& pool, const HadoopAmounts& most, Diagnostics& out);
ImportedPlacement read_placement(const XmlElement& policy, Diagnostics& out);

}  // namespace weir
