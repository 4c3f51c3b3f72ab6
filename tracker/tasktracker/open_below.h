// Steps of a walk through a tree that a task may have shaped: from a directory that is held open to
// one in it, never through a link, with no path that could be too long. A directory that its owner
// has closed is opened up for him, so that nothing hides behind its mode. Any thread.
#pragma once

#include <dirent.h>

#include <memory>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

// Not valid: errno says why.
UniqueFd open_directory_below(int directory, const char* name);

struct CloseListing {
  void operator()(DIR* listing) const { ::closedir(listing); }
};
using Listing = std::unique_ptr<DIR, CloseListing>;

// Of a directory that is open, from its beginning; null: errno says why.
Listing list_directory(int directory);

}  // namespace weir::tasktracker
