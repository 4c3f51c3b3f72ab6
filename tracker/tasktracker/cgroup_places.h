// Where this process's control groups are, of the controllers that attempts are held by: read from
// the texts of /proc/self/cgroup and /proc/self/mountinfo. Version 1 has a hierarchy for each
// controller, version 2 one for all; where a machine has both, the controllers of version 1 count.
// Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir::tasktracker {

struct CgroupPlace {
  std::string directory;                 // of this process's own group
  std::string mount;                     // of its hierarchy
  std::vector<std::string> controllers;  // version 1: of memory, pids, cpu those that are here
  friend bool operator==(const CgroupPlace&, const CgroupPlace&) = default;
};

struct CgroupPlaces {
  int version = 0;  // 0: none is mounted
  std::vector<CgroupPlace> places;
};

CgroupPlaces cgroup_places(std::string_view self_cgroup, std::string_view mountinfo);

}  // namespace weir::tasktracker
