// What survives when a JobTracker is killed: a store's contents, in memory or in a SQLite file of
// their own, opened anew by each start. Writes can be told to fail; a planted error may swallow
// events. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "jobqueue/store/store.h"
#include "sim/faults/plant.h"

namespace weir::faults {

class Disk {
 public:
  explicit Disk(const Plant& plant) : plant_(plant) {}
  virtual ~Disk() = default;
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  // As a JobTracker opens it; the one before must be gone.
  Result<std::unique_ptr<Store>> open();
  // The next write fails.
  void fail_next() { fails_ = true; }

 protected:
  virtual Result<std::unique_ptr<Store>> open_contents() = 0;

 private:
  class Front;
  const Plant& plant_;
  bool fails_ = false;
};

std::unique_ptr<Disk> make_memory_disk(const Plant& plant);
// In a new directory below `parent`, which goes with the Disk.
std::unique_ptr<Disk> make_sqlite_disk(const Plant& plant, const std::string& parent);

}  // namespace weir::faults
