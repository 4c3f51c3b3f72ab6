// Which sessions the attempts of this life of a tracker lead, on disk, so that the next one finds
// what is left of them: a line for each in one file, which is written anew when most of it is about
// attempts that have ended. A file for each attempt would cost more than the rest of its directory.
// Belongs to the agent's thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

class SessionLog {
 public:
  static constexpr std::size_t kAtMostBytes = 1u << 20;  // or the living ones, if these are more

  // In the place of what has the name.
  Status open(const std::string& path, std::size_t at_most_bytes = kAtMostBytes);
  void add(pid_t leader);
  void remove(pid_t leader);

 private:
  Status write_anew();

  std::string path_;
  std::size_t at_most_bytes_ = kAtMostBytes;
  UniqueFd file_;
  std::map<pid_t, std::string> lines_;  // of the living
  std::size_t bytes_ = 0;               // of the file
};

// Session id -> start of its leader, of the file's lines of this boot of the machine.
std::map<pid_t, std::uint64_t> recorded_sessions(const std::string& path);

}  // namespace weir::tasktracker
