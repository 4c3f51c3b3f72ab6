// The files of a SQLite database in memory, as a disk has them that forgets at a power cut what was
// not synced: a file system for SQLite (a VFS of its own) that knows of each sector what is in it
// and what would be found after the cut. Names that came and went are for good when the folder was
// synced: as SQLite's own do, the first sync of a new journal or log does that. A process that is
// killed loses nothing of what it wrote; but from its death on nothing is written, whatever its
// connections do while they are closed. Locks exclude nobody: one connection at a time. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

struct sqlite3_vfs;

namespace weir::faults {

class SqliteFiles {
 public:
  static constexpr std::size_t kSectorBytes = 512;

  struct File {
    std::vector<char> bytes;
    std::vector<char> durable;
    std::set<std::size_t> unsynced;  // sectors
    bool named = false;              // for good
    bool syncs_folder = false;       // with its first sync
    std::vector<std::unique_ptr<char[]>> shared;  // memory: the index of the log

    void touch(std::size_t begin, std::size_t end);
    void resize(std::size_t size);
    void sync();
    void lose(const std::function<bool()>& keeps);
  };

  SqliteFiles();
  ~SqliteFiles();
  SqliteFiles(const SqliteFiles&) = delete;
  SqliteFiles& operator=(const SqliteFiles&) = delete;

  // What SQLite knows it by.
  const std::string& name() const { return name_; }

  // The process that has them open dies; until restart() nothing it still does has an effect.
  void die() { dead_ = true; }
  void restart();
  // Of each sector, length and name that was not synced: whether it is kept all the same.
  void lose_power(const std::function<bool()>& keeps);
  // A planted error: nothing written to the log is synced, though it is said to be.
  void ignore_log_syncs() { ignores_log_syncs_ = true; }

  std::uint64_t syncs() const { return syncs_; }

 private:
  friend struct SqliteFilesMethods;
  const std::string name_;
  std::unique_ptr<sqlite3_vfs> vfs_;
  std::map<std::string, std::shared_ptr<File>> files_;
  std::map<std::string, std::shared_ptr<File>> removed_;  // and perhaps there after a power cut
  bool dead_ = false;
  bool ignores_log_syncs_ = false;
  std::uint64_t syncs_ = 0;
  std::uint64_t drawn_ = 0;  // salts of SQLite
};

}  // namespace weir::faults
