#include "tracker/tasktracker/tree_size.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>
#include <vector>

#include "tracker/tasktracker/open_below.h"

namespace weir::tasktracker {
namespace {

class TreeWalk {
 public:
  TreeWalk(TreeSize& size, std::int64_t most_entries) : size_(size), most_entries_(most_entries) {}

  void walk(const std::string& path) {
    if (!descend(open_directory_below(AT_FDCWD, path.c_str()))) {
      struct stat found {};
      if (::lstat(path.c_str(), &found) == 0) size_.bytes = found.st_blocks * 512;
      return;
    }
    for (;;) {
      Level& level = levels_.back();
      if (size_.entries > most_entries_) return stop();
      if (!level.inner.empty()) {
        const std::string name = std::move(level.inner.back());
        level.inner.pop_back();
        descend(open_directory_below(at_.get(), name.c_str()));
      } else if (levels_.size() == 1) {
        return;
      } else if (!ascend()) {
        return stop();
      }
    }
  }

 private:
  struct Level {
    dev_t device = 0;
    ino_t inode = 0;
    std::vector<std::string> inner;  // directories still to see
  };

  void stop() { size_.complete = false; }

  // One that is gone or cannot be read counts no further than its own blocks.
  bool descend(UniqueFd to) {
    struct stat here {};
    if (!to.valid() || ::fstat(to.get(), &here) != 0) return false;
    if (levels_.empty()) size_.bytes += here.st_blocks * 512;
    at_ = std::move(to);
    levels_.push_back({here.st_dev, here.st_ino, {}});
    const Listing entries = list_directory(at_.get());
    if (!entries) return true;
    while (const dirent* entry = ::readdir(entries.get())) {
      const std::string_view name(entry->d_name);
      struct stat found {};
      if (name == "." || name == ".." ||
          ::fstatat(at_.get(), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0)
        continue;
      size_.bytes += found.st_blocks * 512;
      if (++size_.entries > most_entries_) break;
      if (S_ISDIR(found.st_mode)) levels_.back().inner.emplace_back(name);
    }
    return true;
  }

  // Back the way it came; false: the directory is another's by now.
  bool ascend() {
    levels_.pop_back();
    UniqueFd above = open_directory_below(at_.get(), "..");
    struct stat found {};
    if (!above.valid() || ::fstat(above.get(), &found) != 0 ||
        found.st_dev != levels_.back().device || found.st_ino != levels_.back().inode)
      return false;
    at_ = std::move(above);
    return true;
  }

  TreeSize& size_;
  const std::int64_t most_entries_;
  UniqueFd at_;
  std::vector<Level> levels_;
};

}  // namespace

TreeSize tree_size(const std::string& path, std::int64_t most_entries) {
  TreeSize size;
  TreeWalk(size, most_entries).walk(path);
  return size;
}

}  // namespace weir::tasktracker
