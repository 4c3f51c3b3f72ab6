// The small program that this one carries to make attempts' processes: each of them is a fork of
// it, and a fork costs by what there is to copy. Linked statically, with nothing of the daemons, it
// is a tenth of `weir` with its libraries. Run from memory that nobody can write to, so that no
// file of a directory in which tasks write is executed. Any thread.
#pragma once

#include <string>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

class AttemptProgram {
 public:
  // Nothing to run, if this build carries none (where there are no static libraries, and under
  // sanitizers) or the system lets no memory be executed: then this program itself does it.
  static AttemptProgram load();

  // What to execute, as long as this lives; empty: nothing.
  std::string path() const;

 private:
  UniqueFd memory_;
};

}  // namespace weir::tasktracker
