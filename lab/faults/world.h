// What everybody in a simulated world shares: the clock, chance, the faults, the JobTracker, the
// shared file system, the trackers by address; and the network between them, which loses, doubles
// and delays. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "lab/faults/agenda.h"
#include "lab/faults/plant.h"
#include "lab/faults/swarm.h"
#include "lab/faults/virtual_files.h"
#include "lab/faults/virtual_jobtracker.h"

namespace weir::faults {

class VirtualTaskTracker;

struct World {
  explicit World(std::uint64_t seed, Planted planted) : dice(seed), swarm(dice), plant{planted} {
    files.syncs_files = !plant.is(Planted::kFileNotSynced);
    files.syncs_directories = !plant.is(Planted::kDirectoryNotSynced);
  }

  Agenda agenda;
  Dice dice;
  Swarm swarm;
  Plant plant;
  VirtualFiles files;
  VirtualJobTracker* jobtracker = nullptr;
  std::map<std::pair<std::string, std::int32_t>, VirtualTaskTracker*> by_address;

  // What breaks a promise whenever it happens.
  std::function<void(const std::string&)> on_wrong;
  // No attempt is started twice, wherever. By name, as it signs what it writes.
  std::map<std::string, AttemptKey> started;
  std::set<AttemptKey> succeeded;  // those whose trackers reported so
  // Jobs whose files a tracker dropped, because it was told so.
  std::set<JobId> dropped;
  // Outputs whose job's last step was done, and what attempts left there whose trackers died later.
  std::set<std::string> cleaned_up;
  std::set<std::string> left_behind;
  // A report has been handled, as its tracker sent it.
  std::function<void(const Heartbeat&)> on_reported;

  // Whether the JobTracker holds it for over, on the disk or not.
  bool is_over(JobId job) const;

  // Asks the JobTracker. `answer` comes exactly once: with its reply, or with nothing, when the
  // caller gives up (the call may have arrived all the same). `reaches` says at each end of a
  // message's way whether the caller is connected.
  using Answer = std::function<void(std::optional<VirtualJobTracker::ReplyBody>)>;
  void ask(VirtualJobTracker::Body body, std::function<bool()> reaches, Answer answer);

 private:
  std::int64_t arrived_ = 0;
};

}  // namespace weir::faults
