// Removes a tree of any depth with a bounded number of descriptors and of stack frames: what lies
// deeper than a few levels is moved up to the top before it is emptied. Works below directories
// that it holds open, so that no path is too long and no link is followed.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string_view>

#include "tracker/tasktracker/open_below.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

constexpr int kDeepest = 16;           // below it, a directory is moved to the top
constexpr int kMostRounds = 10000000;  // over the top, which is read anew when something came there

class TreeRemover {
 public:
  TreeRemover(int directory, const std::string& name, const std::string& shown)
      : directory_(directory), name_(name), path_(shown) {}

  Status remove() {
    if (::unlinkat(directory_, name_.c_str(), 0) == 0 || errno == ENOENT || errno == ENOTDIR)
      return Ok{};
    const int why = errno;
    const UniqueFd top = open_directory_below(directory_, name_.c_str());
    if (!top.valid() && errno == ENOENT) return Ok{};  // somebody else has removed it meanwhile
    if (!top.valid()) return system_error(path_, errno == ENOTDIR ? why : errno);
    top_ = top.get();
    for (int round = 0; round < kMostRounds; ++round) {
      done_ = 0;
      failed_.reset();
      empty(top_, 0);
      if (::unlinkat(directory_, name_.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return Ok{};
      fail(path_);
      if (done_ == 0) break;
    }
    return *failed_;
  }

 private:
  // The first of a round is told.
  void fail(const std::string& what) {
    if (!failed_) failed_ = system_error(what);
  }

  void empty(int directory, int depth) {
    const Listing entries = list_directory(directory);
    if (!entries) return fail(path_);
    while (const dirent* entry = ::readdir(entries.get())) {
      const std::string_view name(entry->d_name);
      if (name != "." && name != "..") remove_entry(directory, entry->d_name, depth);
    }
  }

  void remove_entry(int directory, const char* name, int depth) {
    const std::string what = path_ + "/.../" + name;
    if (::unlinkat(directory, name, 0) == 0) {
      ++done_;
      return;
    }
    const int no_file = errno;
    if (::unlinkat(directory, name, AT_REMOVEDIR) == 0) {
      ++done_;
      return;
    }
    if (errno == ENOENT) return;
    if (errno == ENOTDIR) errno = no_file;
    if (errno != ENOTEMPTY && errno != EEXIST) return fail(what);
    // Opened first: only what its owner may write to can be emptied, or moved.
    const UniqueFd inner = open_directory_below(directory, name);
    if (!inner.valid()) return fail(what);
    if (depth == kDeepest) return move_to_top(directory, name, what);
    empty(inner.get(), depth + 1);
    if (::unlinkat(directory, name, AT_REMOVEDIR) == 0) {
      ++done_;
    } else if (errno != ENOENT) {
      fail(what);
    }
  }

  void move_to_top(int directory, const char* name, const std::string& what) {
    for (;;) {
      char fresh[32];
      std::snprintf(fresh, sizeof fresh, ".deep-%llu", ++moved_);
      if (::renameat(directory, name, top_, fresh) == 0) {
        ++done_;
        return;
      }
      if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) return fail(what);
    }
  }

  const int directory_;
  const std::string name_, path_;
  int top_ = -1;
  unsigned long long done_ = 0, moved_ = 0;
  std::optional<Error> failed_;
};

}  // namespace

Status remove_tree_at(int directory, const std::string& name, const std::string& shown) {
  return TreeRemover(directory, name, shown).remove();
}

}  // namespace weir::tasktracker
