// A JobTracker of this very binary in a directory of its own, to be measured: started, asked for
// its ports, memory and CPU time, and gone with the object, its directory too. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cli/interrupt.h"
#include "cli/local_directory.h"
#include "cli/local_processes.h"

namespace weir::cli {

// Of all its threads since its start; with those of its children that it has waited for, if asked.
double cpu_seconds_of(pid_t process, bool with_children);

class BenchedJobTracker {
 public:
  // `parent`: an existing directory, whose disk holds the store. `settings`: YAML besides `listen`
  // and `store`.
  BenchedJobTracker(const std::string& parent, const std::string& settings,
                    InterruptScope& interrupt);
  ~BenchedJobTracker();
  BenchedJobTracker(const BenchedJobTracker&) = delete;
  BenchedJobTracker& operator=(const BenchedJobTracker&) = delete;

  std::string file(const std::string& name) const { return directory_ + "/" + name; }
  std::string store() const { return file("weir.db"); }
  // Returns once it serves; throws CliFailure, with its log, if it does not within five minutes.
  void start();
  const LocalPorts& ports() const { return ports_; }
  double resident_mb() const;
  double cpu_seconds() const { return cpu_seconds_of(process_->pid, false); }

 private:
  std::string log() const;

  InterruptScope& interrupt_;
  std::string directory_;
  std::optional<LocalProcess> process_;
  LocalPorts ports_;
};

}  // namespace weir::cli
