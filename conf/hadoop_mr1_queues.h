// The queues of MapReduce 1: `mapred.queue.names` and `mapred.queue.<queue>.*` of mapred-site.xml
// and mapred-queue-acls.xml, or the tree of mapred-queues.xml. Which of their jobs run is another
// file's matter, or stands with the queues of mapred-queues.xml. Used by conf/hadoop_*.cpp alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conf/hadoop_properties.h"
#include "conf/hadoop_queues.h"

namespace weir {

// Its properties by key: `capacity`.
using Mr1QueueKeys = std::map<std::string, HadoopValue, std::less<>>;

struct Mr1Queue {
  HadoopValue name;  // its last part
  AccessList submit, administer;
  HadoopValue submit_said, administer_said;  // without `out`: none
  bool stopped = false;
  Mr1QueueKeys keys;  // of mapred-queues.xml
  std::vector<Mr1Queue> queues;
};

struct Mr1Queues {
  std::vector<Mr1Queue> queues;  // in Hadoop's order
  bool complete = false;         // a list or a tree says which there are
  bool has_keys = false;         // some queue has properties
  HadoopValue lists_count;       // what says that Hadoop looks at lists; without `out`: nothing
};

// `tree` is the root of a mapred-queues.xml and `tree_out` its findings, or null.
Mr1Queues read_mr1_queues(HadoopProperties& properties, const XmlElement* tree,
                          Diagnostics* tree_out);

// As they will be written, without guarantees.
std::vector<ImportedQueue> imported_queues(const std::vector<Mr1Queue>& queues);
ImportedQueue imported_queue(const Mr1Queue& queue);

// Who administers queues without a list of their own: everybody in Hadoop. Here they may then
// submit as well, so that is written only where everybody may submit, and where the files say who
// the administrators are. Warnings say where the rights are others than Hadoop's. `lists_count` as
// in Mr1Queues.
void settle_mr1_access(std::vector<ImportedQueue>& queues, const HadoopValue& lists_count,
                       bool administrators_said);

}  // namespace weir
