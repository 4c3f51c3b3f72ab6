#include "tracker/tasktracker/registration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <thread>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

// Larger than that of any earlier life: the JobTracker takes the larger of two for the newer.
std::int64_t draw_incarnation() {
  return wall_now_ms() * 1000 + ::getpid() % 1000;
}

// What the machine has, as far as this process may have it.
std::int64_t memory_of_machine_mb() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) >> 20;
}
std::int64_t cores_of_machine() {
  return std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
}

}  // namespace

std::string draw_mark() {
  std::random_device random;
  std::string mark;
  for (int part = 0; part < 4; ++part) mark += fmt::format("{:08x}", random());
  return mark;
}

RegisterTracker make_registration(const TaskTrackerOptions& options, std::uint16_t shuffle_port,
                                  const std::string& home) {
  RegisterTracker registration;
  registration.name = options.name;
  registration.incarnation = draw_incarnation();
  registration.key = draw_mark();
  registration.host = options.host;
  registration.shuffle_port = shuffle_port;
  registration.total =
      Resources{{options.map_slots, options.reduce_slots, options.memory_mb, options.vcores}};
  if (options.offer) {
    registration.total[Dimension::kMemoryMb] =
        options.offer->memory_mb ? *options.offer->memory_mb : memory_of_machine_mb();
    registration.total[Dimension::kVcores] =
        options.offer->vcores ? *options.offer->vcores : cores_of_machine();
    registration.named = options.offer->named;
  }
  registration.labels = options.labels;
  registration.port_count = static_cast<std::uint32_t>(options.ports.count());
  registration.rack = options.rack;
  registration.local_paths = options.local_paths;
  registration.home = home;
  return registration;
}

}  // namespace weir::tasktracker
