// Whether a tracker may take another task, chosen by name (`load_manager`). `cap` fills a partly
// loaded cluster evenly: no tracker goes beyond the part of its slots that the whole cluster wants
// filled. `none` fills whoever asks. Another is a class and a line in make_load_manager(). Exact
// arithmetic; engine's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fair/fair_settings.h"

namespace weir {

// One class of slots, in the middle of a heartbeat.
struct LoadFacts {
  std::int64_t tracker_slots = 0;
  std::int64_t running_here = 0;  // slots, what was launched in this heartbeat included
  std::int64_t cluster_slots = 0;
  std::int64_t demand = 0;           // slots that all pools together want, running ones included
  std::int32_t load_millionths = 0;  // of the tracker's machine, as it reports it: load per core
};

class LoadManager {
 public:
  virtual ~LoadManager() = default;
  // The slots of the tracker that may be filled now.
  virtual std::int64_t cap(const LoadFacts& facts) const = 0;
};

// Null if there is none of that name.
std::unique_ptr<LoadManager> make_load_manager(const FairSettings& settings);
std::vector<std::string> load_manager_names();

}  // namespace weir
