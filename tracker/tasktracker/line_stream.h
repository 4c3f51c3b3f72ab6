// A stream of lines in order of (partition, key, origin): what a sort buffer, a merge of runs, and
// the input of a combiner or reducer have in common. A line is valid until the next call of next().
// Used by one thread.
#pragma once

#include "jobqueue/model/result.h"
#include "tracker/tasktracker/line.h"

namespace weir::tasktracker {

class LineStream {
 public:
  virtual ~LineStream() = default;
  virtual const Line* next() = 0;               // nullptr: over, or failed (see status)
  virtual std::uint32_t partition() const = 0;  // of the line last returned
  virtual Status status() const { return Ok{}; }
};

}  // namespace weir::tasktracker
