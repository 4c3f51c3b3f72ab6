// What survives when a JobTracker dies: a store's contents, in memory or in a SQLite file of their
// own (sqlite_files.h), opened anew by each start. When its process is killed all that was written
// survives, when its machine loses power what was synced, and of the rest what chance leaves.
// Writes can be told to fail; a planted error may swallow events. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "jobqueue/store/store.h"
#include "lab/faults/plant.h"

namespace weir::faults {

class Disk {
 public:
  explicit Disk(const Plant& plant) : plant_(plant) {}
  virtual ~Disk() = default;
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  // As a JobTracker opens it; the one before must be gone.
  Result<std::unique_ptr<Store>> open();
  // The next writes fail.
  void fail_next(std::int64_t writes = 1) { fails_ = std::max(fails_, writes); }
  // The process that has it open dies: whatever its Store still does has no effect.
  virtual void die() {}
  // Then its machine loses power.
  virtual void lose_power() {}
  // Is told of what nobody may ask of a store.
  std::function<void(const std::string&)> on_wrong;

 protected:
  virtual Result<std::unique_ptr<Store>> open_contents() = 0;

 private:
  class Front;
  const Plant& plant_;
  std::int64_t fails_ = 0;
};

std::unique_ptr<Disk> make_memory_disk(const Plant& plant);
std::unique_ptr<Disk> make_sqlite_disk(const Plant& plant, std::uint64_t seed);

}  // namespace weir::faults
