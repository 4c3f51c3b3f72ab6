// What publishing a job's output asks of the file system that it lies on, and the order in which it
// may be lost: what was not synced may be gone after a power cut, the content of a file as well as
// a name in a directory, each by itself. A seam: the trackers have POSIX's, the fault simulation
// has one that forgets. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {

class FileSystem {
 public:
  struct Identity {
    std::uint64_t device = 0, inode = 0;
    bool operator==(const Identity&) const = default;
  };
  struct Info {
    Identity identity;
    std::uint64_t links = 1;
  };

  virtual ~FileSystem() = default;

  // An empty file to write to, in the place of what has the name; a directory, which may be there.
  virtual Result<UniqueFd> create_file(const std::string& path) = 0;
  virtual Status make_directory(const std::string& path) = 0;
  // A few bytes into a file that is open; of a regular file that is there, at most so many (empty:
  // it is none, or cannot be read).
  static constexpr std::size_t kSmallBytes = 4096;
  virtual Status write_small(const std::string& path, const UniqueFd& fd,
                             std::string_view text) = 0;
  virtual std::string read_small(const std::string& path) = 0;
  // The content of a file that is open, and the names in a directory.
  virtual Status sync_file(const std::string& path, const UniqueFd& fd) = 0;
  virtual Status sync_directory(const std::string& path) = 0;
  // A second name for the file (its new one, where there are no links), never in the place of
  // another: false, if something is there.
  virtual Result<bool> publish(const std::string& from, const std::string& to) = 0;
  virtual std::optional<Info> info(const std::string& path) = 0;
  virtual std::vector<std::string> list(const std::string& directory) = 0;
  // What is not there is removed.
  virtual Status remove_tree(const std::string& path) = 0;
  virtual Status remove_file(const std::string& path) = 0;
  // False: something is in it.
  virtual Result<bool> remove_directory(const std::string& path) = 0;
};

FileSystem& posix_files();

std::string parent_directory(const std::string& path);

// Makes the directory and those above it, each for good before anything is made in it: so one that
// has something in it need not be asked about, whoever made it and died.
Status make_durable_directories(FileSystem& files, const std::string& path);

}  // namespace weir::tasktracker
