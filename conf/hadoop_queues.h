// Queues as they will be written: every kind of file of Hadoop's that has queues makes a tree of
// these. Used by conf/hadoop_*.cpp alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conf/hadoop_parts.h"
#include "conf/hadoop_resources.h"
#include "jobqueue/model/settings.h"

namespace weir {

inline constexpr std::size_t kDeepestQueue = 32;
inline constexpr std::size_t kMostImported = 10'000;  // queues or pools of one import

struct ImportedQueue {
  std::string name;
  std::optional<std::int64_t> guaranteed_hundredths;
  std::int64_t guarantee_rest = 0;  // what rounding took off it, in millionths of a hundredth
  bool weighted = false;  // the guarantee is a weight among siblings, in hundredths
  HadoopAmounts amounts;  // the guarantee on containers, instead,
  HadoopAmounts most;     // and the maximum
  HadoopValue said;       // where the guarantee stands; if there is none, the queue
  std::optional<std::int64_t> maximum_hundredths;
  AccessList submit, administer;
  HadoopValue submit_said, administer_said;  // MapReduce's lists; without `out`: none
  bool stopped = false;
  bool spared = false;            // its tasks are not preempted
  std::vector<std::string> keys;  // `priorities: true`: what stands for itself
  std::vector<ImportedQueue> queues;
};

// Sets the guarantee that a value gives a queue: a percentage, or a weight.
void set_guarantee(ImportedQueue& queue, const HadoopValue& value, double number);

// Says that Hadoop refuses a maximum below the guarantee, if the queue has such a one; `value` is
// where it stands.
void tell_low_maximum(const ImportedQueue& queue, const HadoopValue& value);

// Makes the guarantees of siblings total 100%, with a warning if they did not as they were said.
void settle_guarantees(std::vector<ImportedQueue>& family, const std::string& parent);

// Among siblings amounts are said by all, of the same resources, or by none; a warning where it was
// not so.
void settle_amounts(std::vector<ImportedQueue>& family);
// The resources that amounts of the queues name; empty: they have none.
std::vector<std::string> resources_of(const std::vector<ImportedQueue>& queues);

// Root's lists open all queues; ours has none, so those at the top get them. Where an absent list,
// or `*`, lets everybody in, a queue's own is kept.
void open_to_root(std::vector<ImportedQueue>& top, const AccessList& submit,
                  const AccessList& administer);

std::string yaml_of_queues(const std::vector<ImportedQueue>& queues, int indent);

}  // namespace weir
