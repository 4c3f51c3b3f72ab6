// `removed_queues:` of weir.yaml: the queues that these settings no longer have, each with the
// declared leaf in which its jobs go on. Checked here against the queues of the same file; whether
// the jobs fit there only the live state knows (JobQueueManager::removal_findings). An entry may
// stay in the file once its queue is gone: it then means nothing. Pure function, any thread.
#pragma once

#include <vector>

#include "conf/yaml_reader.h"
#include "jobqueue/model/settings.h"

namespace weir {

// `queues` are the file's own, read before; with errors in them no name can be looked up, so only
// the form of the entries is checked then.
std::vector<RemovedQueue> read_removed_queues(const MapReader& root,
                                              const std::vector<QueueSettings>& queues);

}  // namespace weir
