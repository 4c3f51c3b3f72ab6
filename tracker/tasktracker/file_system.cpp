#include "tracker/tasktracker/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace weir::tasktracker {
namespace {

constexpr unsigned kRenameNoReplace = 1;  // RENAME_NOREPLACE
constexpr int kMostLooks = 3;  // at what comes or goes between two calls

// Some file systems have no hard links: there the name moves instead, which does not replace
// either.
bool no_hard_links(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == EMLINK || error == ENOSYS;
}

int rename_to_free_name(int from_at, const std::string& from, int to_at, const std::string& to) {
  return static_cast<int>(::syscall(SYS_renameat2, from_at, from.c_str(), to_at, to.c_str(),
                                    kRenameNoReplace));
}

int open_directory_at(int at, const char* name) {
  return ::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

class PosixDirectory final : public Directory {
 public:
  PosixDirectory(UniqueFd fd, std::string path) : Directory(std::move(path)), fd_(std::move(fd)) {}

  Result<DirectoryPtr> open(const std::string& name) override {
    UniqueFd found = step_into(name);
    if (found.valid()) return DirectoryPtr(new PosixDirectory(std::move(found), path_of(name)));
    if (errno == ENOENT) return DirectoryPtr();
    return system_error(path_of(name));
  }

  Result<UniqueFd> create_file(const std::string& name) override {
    const Place at = place(name);
    if (at.holder < 0) return system_error(path_of(name));
    return create_anew_at(at.holder, at.leaf, path_of(name));
  }

  Status make_directory(const std::string& name) override {
    const Place at = place(name);
    if (at.holder < 0) return system_error(path_of(name));
    for (int tries = 1;; ++tries) {
      if (::mkdirat(at.holder, at.leaf.c_str(), 0777) == 0) return Ok{};
      const int problem = errno;
      if (problem != EEXIST) return system_error(path_of(name), problem);
      if (UniqueFd(open_directory_at(at.holder, at.leaf.c_str())).valid()) return Ok{};
      if (errno != ENOENT || tries == kMostLooks) return system_error(path_of(name), problem);
    }
  }

  Status write_small(const std::string& name, const UniqueFd& fd, std::string_view text) override {
    return write_all(fd.get(), text, path_of(name));
  }

  std::string read_small(const std::string& name) override {
    const Place at = place(name);
    struct stat here {};
    if (at.holder < 0 || ::fstat(at.holder, &here) != 0) return "";
    const auto fd = open_untrusted_at(at.holder, at.leaf, here.st_uid, path_of(name));
    if (!fd) return "";
    std::string text(kSmallBytes, '\0');
    const ssize_t n = ::read(fd->get(), text.data(), text.size());
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }

  Status sync_file(const std::string& name, const UniqueFd& fd) override {
    if (::fsync(fd.get()) != 0) return system_error(path_of(name));
    return Ok{};
  }

  Status sync(const std::string& name) override {
    if (name.empty()) return ::fsync(fd_.get()) == 0 ? Status(Ok{}) : system_error(path());
    const UniqueFd directory = step_into(name);
    if (!directory.valid() || ::fsync(directory.get()) != 0) return system_error(path_of(name));
    return Ok{};
  }

  Result<bool> publish(const std::string& from, const std::string& to) override {
    return give_name(from, to, [](const Place& old_place, const Place& new_place) {
      const int done = ::linkat(old_place.holder, old_place.leaf.c_str(),
                                new_place.holder, new_place.leaf.c_str(), 0);
      if (done == 0 || !no_hard_links(errno)) return done;
      return rename_to_free_name(old_place.holder, old_place.leaf, new_place.holder,
                                 new_place.leaf);
    });
  }

  Result<bool> rename_directory(const std::string& from, const std::string& to) override {
    return give_name(from, to, [](const Place& old_place, const Place& new_place) {
      const int done = rename_to_free_name(old_place.holder, old_place.leaf,
                                           new_place.holder, new_place.leaf);
      if (done == 0 || (errno != EINVAL && errno != ENOSYS)) return done;
      // Where that is unknown: what has the name is replaced only if it is an empty directory.
      return ::renameat(old_place.holder, old_place.leaf.c_str(), new_place.holder,
                        new_place.leaf.c_str());
    });
  }

  std::optional<Info> info(const std::string& name) override {
    struct stat found {};
    if (name.empty()) {
      if (::fstat(fd_.get(), &found) != 0) return std::nullopt;
    } else {
      const Place at = place(name);
      if (at.holder < 0 ||
          ::fstatat(at.holder, at.leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0)
        return std::nullopt;
    }
    return Info{{found.st_dev, found.st_ino}, found.st_nlink};
  }

  std::vector<std::string> list(const std::string& name) override {
    std::vector<std::string> names;
    UniqueFd directory = step_into(name);
    if (!directory.valid()) return names;
    DIR* listing = ::fdopendir(directory.get());
    if (listing == nullptr) return names;
    (void)directory.release();  // the listing's now
    while (const dirent* entry = ::readdir(listing)) {
      const std::string_view each = entry->d_name;
      if (each != "." && each != "..") names.emplace_back(each);
    }
    ::closedir(listing);
    return names;
  }

  Status remove_tree(const std::string& name) override {
    const Place at = place(name);
    if (at.holder < 0) return errno == ENOENT ? Status(Ok{}) : system_error(path_of(name));
    return remove_tree_at(at.holder, at.leaf, path_of(name));
  }

  Status remove_file(const std::string& name) override {
    const int problem = remove(name, 0);
    return problem == 0 ? Status(Ok{}) : system_error(path_of(name), problem);
  }

  Result<bool> remove_directory(const std::string& name) override {
    const int problem = remove(name, AT_REMOVEDIR);
    if (problem == ENOTEMPTY || problem == EEXIST) return false;
    if (problem != 0) return system_error(path_of(name), problem);
    return true;
  }

 private:
  // The directory that the last part of a name is in, and that part. Mostly the directory itself,
  // which is open already.
  struct Place {
    UniqueFd below;
    int holder = -1;  // negative: errno says why
    std::string leaf;
  };

  UniqueFd step_into(const std::string& name) const {
    if (name.empty()) return UniqueFd(open_directory_at(fd_.get(), "."));
    UniqueFd at;
    for (std::size_t from = 0; from < name.size();) {
      const std::size_t end = std::min(name.find('/', from), name.size());
      const int above = from == 0 ? fd_.get() : at.get();
      at = UniqueFd(open_directory_at(above, name.substr(from, end - from).c_str()));
      if (!at.valid()) return at;
      from = end + 1;
    }
    return at;
  }

  Place place(const std::string& name) const {
    const std::size_t slash = name.rfind('/');
    if (slash == std::string::npos) return {UniqueFd(), fd_.get(), name};
    UniqueFd below = step_into(name.substr(0, slash));
    const int holder = below.get();
    return {std::move(below), holder, name.substr(slash + 1)};
  }

  template <class Give>
  Result<bool> give_name(const std::string& from, const std::string& to, Give give) {
    const Place old_place = place(from);
    if (old_place.holder < 0) return system_error(path_of(from));
    const Place new_place = place(to);
    if (new_place.holder < 0) return system_error(path_of(to));
    if (give(old_place, new_place) == 0) return true;
    if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR) return false;
    return system_error("publishing " + path_of(from) + " as " + path_of(to));
  }

  // errno, or 0, also if nothing was there.
  int remove(const std::string& name, int flags) {
    const Place at = place(name);
    if (at.holder >= 0 && ::unlinkat(at.holder, at.leaf.c_str(), flags) == 0) return 0;
    return errno == ENOENT ? 0 : errno;
  }

  UniqueFd fd_;
};

class PosixFiles final : public FileSystem {
 public:
  Result<DirectoryPtr> open(const std::string& path) override {
    for (int tries = 1;; ++tries) {
      auto fd = open_file(path, O_RDONLY | O_DIRECTORY);
      if (fd) return DirectoryPtr(new PosixDirectory(std::move(*fd), path));
      struct stat found {};
      if (::lstat(path.c_str(), &found) != 0 && errno == ENOENT) return DirectoryPtr();
      if (tries == kMostLooks) return fd.error();
    }
  }
};

}  // namespace

FileSystem& posix_files() {
  static PosixFiles files;
  return files;
}

std::string parent_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

Result<DirectoryPtr> make_durable_directories(FileSystem& files, const std::string& path) {
  auto there = files.open(path);
  if (!there) return there;
  const std::string above = parent_directory(path);
  if (*there != nullptr) {
    // Perhaps its maker died before it did this. A parent that may not be read was there before us.
    if (auto parent = files.open(above); parent && *parent) (void)(*parent)->sync().ok();
    return there;
  }
  if (above == path) return data_error(path + ": no directory");
  auto parent = make_durable_directories(files, above);
  if (!parent) return parent;
  if (auto made = (*parent)->make_directory(path.substr(path.rfind('/') + 1)); !made)
    return made.error();
  if (auto synced = (*parent)->sync(); !synced) return synced.error();
  there = files.open(path);
  if (there && *there == nullptr) return data_error(path + ": was removed meanwhile");
  return there;
}

}  // namespace weir::tasktracker
