#include "tracker/tasktracker/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace weir::tasktracker {
namespace {

constexpr unsigned kRenameNoReplace = 1;  // RENAME_NOREPLACE

// Some file systems have no hard links: there the name moves instead, which does not replace
// either.
bool no_hard_links(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == EMLINK || error == ENOSYS;
}

class PosixFiles final : public FileSystem {
 public:
  Result<UniqueFd> create_file(const std::string& path) override {
    return create_anew(path);
  }

  Status make_directory(const std::string& path) override {
    if (::mkdir(path.c_str(), 0777) == 0) return Ok{};
    const int problem = errno;
    std::error_code ignored;
    if (problem == EEXIST && std::filesystem::is_directory(path, ignored)) return Ok{};
    return system_error(path, problem);
  }

  Status write_small(const std::string& path, const UniqueFd& fd, std::string_view text) override {
    return write_all(fd.get(), text, path);
  }

  std::string read_small(const std::string& path) override {
    const auto fd = open_untrusted(path, O_RDONLY);
    if (!fd) return "";
    std::string text(kSmallBytes, '\0');
    const ssize_t n = ::read(fd->get(), text.data(), text.size());
    text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return text;
  }

  Status sync_file(const std::string& path, const UniqueFd& fd) override {
    if (::fsync(fd.get()) != 0) return system_error(path);
    return Ok{};
  }

  Status sync_directory(const std::string& path) override {
    auto fd = open_file(path, O_RDONLY | O_DIRECTORY);
    if (!fd) return fd.error();
    if (::fsync(fd->get()) != 0) return system_error(path);
    return Ok{};
  }

  Result<bool> publish(const std::string& from, const std::string& to) override {
    int done = ::link(from.c_str(), to.c_str());
    if (done != 0 && no_hard_links(errno)) {
      done = static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                                        kRenameNoReplace));
    }
    if (done == 0) return true;
    if (errno == EEXIST) return false;
    return system_error("publishing " + from + " as " + to);
  }

  std::optional<Info> info(const std::string& path) override {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return std::nullopt;
    return Info{{found.st_dev, found.st_ino}, found.st_nlink};
  }

  std::vector<std::string> list(const std::string& directory) override {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  Status remove_tree(const std::string& path) override { return tasktracker::remove_tree(path); }

  Status remove_file(const std::string& path) override {
    if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return Ok{};
    return system_error(path);
  }

  Result<bool> remove_directory(const std::string& path) override {
    if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return true;
    if (errno == ENOTEMPTY || errno == EEXIST) return false;
    return system_error(path);
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

Status make_durable_directories(FileSystem& files, const std::string& path) {
  const std::string parent = parent_directory(path);
  if (files.info(path)) {
    // Perhaps its maker died before it did this. A parent that may not be read was there before us.
    (void)files.sync_directory(parent).ok();
    return Ok{};
  }
  if (auto made = make_durable_directories(files, parent); !made) return made;
  if (auto made = files.make_directory(path); !made) return made;
  return files.sync_directory(parent);
}

}  // namespace weir::tasktracker
