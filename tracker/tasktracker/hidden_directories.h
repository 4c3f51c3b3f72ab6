// Keeps a task's processes out of other tasks' directories, where root runs the tracker: in a mount
// namespace of their own, an empty read-only file system lies over the tracker's work directory,
// and of what is below only the attempt's own is bound back. Control groups are read-only there,
// and CAP_SYS_ADMIN and CAP_SYS_PTRACE are lost with the next program, so that it cannot be undone.
// Everything else of the machine stays as it is.
#pragma once

#include <string>
#include <vector>

#include "jobqueue/model/result.h"

namespace weir::tasktracker {

struct HiddenDirectories {
  std::string covered;                 // the directory whose content is out of sight
  std::vector<std::string> empty;      // directories below it that are there, with nothing in them
  std::vector<std::string> kept;       // directories below it that stay
  std::vector<std::string> read_only;  // mount points
};

// Of the calling thread and the processes it starts, for good.
Status hide_directories(const HiddenDirectories& hidden);
// After that: what is kept has another name, in the directory where it is, from now on.
struct KeptRename {
  std::string from, to;
};
Status rename_kept(const std::string& covered, const std::vector<KeptRename>& renames);
// Whether that works here, tried by a thread that then ends: empty, or why not.
std::string why_not_hidden(const HiddenDirectories& hidden);

}  // namespace weir::tasktracker
