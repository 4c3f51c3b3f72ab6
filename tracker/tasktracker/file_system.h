// What publishing a job's output asks of the file system that it lies on, and the order in which it
// may be lost: what was not synced may be gone after a power cut, the content of a file as well as
// a name in a directory, each by itself. All of it happens in a directory that is held open: what
// users or tasks do to the path meanwhile (links, another directory in its place) leads nobody
// elsewhere. A seam: the trackers have POSIX's, the fault simulation has one that forgets. Any
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

class Directory;
using DirectoryPtr = std::unique_ptr<Directory>;

// Names are relative ("_temporary/attempt_0007_m_000000_0"), empty for the directory itself; a link
// on their way is an error.
class Directory {
 public:
  struct Identity {
    std::uint64_t device = 0, inode = 0;
    bool operator==(const Identity&) const = default;
  };
  struct Info {
    Identity identity;
    std::uint64_t links = 1;
  };

  explicit Directory(std::string path) : path_(std::move(path)) {}
  virtual ~Directory() = default;
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::string& path() const { return path_; }  // that it was opened by, for people
  std::string path_of(const std::string& name) const {
    if (name.empty()) return path_;
    return path_.ends_with('/') ? path_ + name : path_ + "/" + name;
  }

  // Null: nothing is there.
  virtual Result<DirectoryPtr> open(const std::string& name) = 0;
  // An empty file to write to, in the place of what has the name; a directory, which may be there.
  virtual Result<UniqueFd> create_file(const std::string& name) = 0;
  virtual Status make_directory(const std::string& name) = 0;
  // A few bytes into a file that is open; of a regular file that is there, at most so many (empty:
  // it is none, or cannot be read).
  static constexpr std::size_t kSmallBytes = 4096;
  virtual Status write_small(const std::string& name, const UniqueFd& fd,
                             std::string_view text) = 0;
  virtual std::string read_small(const std::string& name) = 0;
  // The content of a file that is open, and the names in a directory.
  virtual Status sync_file(const std::string& name, const UniqueFd& fd) = 0;
  virtual Status sync(const std::string& name = "") = 0;
  // A second name for the file (its new one, where there are no links); a directory's new name:
  // never in the place of another: false, if something is there.
  virtual Result<bool> publish(const std::string& from, const std::string& to) = 0;
  virtual Result<bool> rename_directory(const std::string& from, const std::string& to) = 0;
  virtual std::optional<Info> info(const std::string& name = "") = 0;
  virtual std::vector<std::string> list(const std::string& name = "") = 0;
  // What is not there is removed.
  virtual Status remove_tree(const std::string& name) = 0;
  virtual Status remove_file(const std::string& name) = 0;
  // False: something is in it.
  virtual Result<bool> remove_directory(const std::string& name) = 0;

 private:
  std::string path_;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // As users name it, through their links. Null: nothing is there.
  virtual Result<DirectoryPtr> open(const std::string& path) = 0;
};

FileSystem& posix_files();

std::string parent_directory(const std::string& path);

// Makes the directory and those above it, each for good before anything is made in it: so one that
// has something in it need not be asked about, whoever made it and died.
Result<DirectoryPtr> make_durable_directories(FileSystem& files, const std::string& path);

}  // namespace weir::tasktracker
