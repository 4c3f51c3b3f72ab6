#include "lab/faults/sqlite_files.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "jobqueue/model/check.h"

namespace weir::faults {

// --- What survives ---

void SqliteFiles::File::touch(std::size_t begin, std::size_t end) {
  for (std::size_t s = begin / kSectorBytes; s * kSectorBytes < end; ++s) unsynced.insert(s);
}

void SqliteFiles::File::resize(std::size_t size) {
  touch(std::min(size, bytes.size()), std::max(size, bytes.size()));
  bytes.resize(size);
}

void SqliteFiles::File::sync() {
  durable.resize(bytes.size());
  for (const std::size_t sector : unsynced) {
    const std::size_t from = sector * kSectorBytes;
    if (from >= bytes.size()) continue;
    const std::size_t n = std::min(kSectorBytes, bytes.size() - from);
    std::memcpy(durable.data() + from, bytes.data() + from, n);
  }
  unsynced.clear();
}

void SqliteFiles::File::lose(const std::function<bool()>& keeps) {
  if (durable.size() != bytes.size() && keeps()) durable.resize(bytes.size());
  for (const std::size_t sector : unsynced) {
    const std::size_t from = sector * kSectorBytes;
    if (from >= bytes.size() || !keeps()) continue;
    const std::size_t n = std::min(kSectorBytes, bytes.size() - from);
    durable.resize(std::max(durable.size(), from + n));
    std::memcpy(durable.data() + from, bytes.data() + from, n);
  }
  bytes = durable;
  unsynced.clear();
  shared.clear();
}

void SqliteFiles::restart() {
  dead_ = false;
  for (auto& [path, file] : files_) file->shared.clear();
}

void SqliteFiles::lose_power(const std::function<bool()>& keeps) {
  for (auto& [path, file] : removed_) {
    if (!keeps()) files_.try_emplace(path, file);
  }
  removed_.clear();
  for (auto& [path, file] : files_) file->lose(keeps);
  std::erase_if(files_, [&](const auto& entry) { return !entry.second->named && !keeps(); });
  for (auto& [path, file] : files_) file->named = true;
}

// --- What SQLite calls ---

namespace {

struct OpenFile : sqlite3_file {
  SqliteFiles* owner = nullptr;
  std::shared_ptr<SqliteFiles::File> file;
  bool is_log = false;
};

OpenFile& opened(sqlite3_file* file) {
  return *static_cast<OpenFile*>(file);
}

SqliteFiles& owner(sqlite3_vfs* vfs) {
  return *static_cast<SqliteFiles*>(vfs->pAppData);
}

int close_file(sqlite3_file* file) {
  opened(file).~OpenFile();
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
  const std::vector<char>& bytes = opened(file).file->bytes;
  const auto from = static_cast<std::size_t>(offset);
  const auto wanted = static_cast<std::size_t>(amount);
  const std::size_t there = from < bytes.size() ? std::min(wanted, bytes.size() - from) : 0;
  if (there > 0) std::memcpy(into, bytes.data() + from, there);
  std::memset(static_cast<char*>(into) + there, 0, wanted - there);
  return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(opened(file).file->bytes.size());
  return SQLITE_OK;
}

int agree(sqlite3_file*, int) {
  return SQLITE_OK;
}

int is_reserved(sqlite3_file*, int* reserved) {
  *reserved = 0;
  return SQLITE_OK;
}

int control(sqlite3_file*, int, void*) {
  return SQLITE_NOTFOUND;
}

int sector_size(sqlite3_file*) {
  return 4096;  // as SQLite says of every disk
}

int characteristics(sqlite3_file*) {
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;  // likewise
}

int map_shared(sqlite3_file* file, int region, int bytes, int extend, void volatile** at) {
  auto& regions = opened(file).file->shared;
  const auto wanted = static_cast<std::size_t>(region);
  while (extend != 0 && regions.size() <= wanted) {
    regions.push_back(std::make_unique<char[]>(static_cast<std::size_t>(bytes)));
  }
  *at = wanted < regions.size() ? regions[wanted].get() : nullptr;
  return SQLITE_OK;
}

int lock_shared(sqlite3_file*, int, int, int) {
  return SQLITE_OK;
}

void shared_barrier(sqlite3_file*) {}

int unmap_shared(sqlite3_file* file, int forget) {
  if (forget != 0) opened(file).file->shared.clear();
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* path, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", path);
  return SQLITE_OK;
}

int sleep_not(sqlite3_vfs*, int microseconds) {
  return microseconds;
}

int time_now(sqlite3_vfs*, sqlite3_int64* milliseconds) {
  *milliseconds = 210'866'760'000'000;  // any: nothing is decided by it
  return SQLITE_OK;
}

int last_error(sqlite3_vfs*, int, char*) {
  return 0;
}

}  // namespace

// Those that see or change more than one open file.
struct SqliteFilesMethods {
  static int write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
    if (opened(file).owner->dead_) return SQLITE_IOERR_WRITE;
    SqliteFiles::File& to = *opened(file).file;
    const auto begin = static_cast<std::size_t>(offset);
    const std::size_t end = begin + static_cast<std::size_t>(amount);
    if (end > to.bytes.size()) to.resize(end);
    to.touch(begin, end);
    std::memcpy(to.bytes.data() + begin, from, end - begin);
    return SQLITE_OK;
  }

  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    if (opened(file).owner->dead_) return SQLITE_IOERR_TRUNCATE;
    opened(file).file->resize(static_cast<std::size_t>(size));
    return SQLITE_OK;
  }

  static int sync(sqlite3_file* file, int) {
    OpenFile& open = opened(file);
    if (open.owner->dead_) return SQLITE_IOERR_FSYNC;
    ++open.owner->syncs_;
    if (open.is_log && open.owner->ignores_log_syncs_) return SQLITE_OK;
    open.file->sync();
    if (std::exchange(open.file->syncs_folder, false)) {
      for (auto& [path, each] : open.owner->files_) each->named = true;
      open.owner->removed_.clear();
    }
    return SQLITE_OK;
  }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* given) {
    static const sqlite3_io_methods kMethods = {
        .iVersion = 2,
        .xClose = close_file,
        .xRead = read_file,
        .xWrite = write,
        .xTruncate = truncate,
        .xSync = sync,
        .xFileSize = file_size,
        .xLock = agree,
        .xUnlock = agree,
        .xCheckReservedLock = is_reserved,
        .xFileControl = control,
        .xSectorSize = sector_size,
        .xDeviceCharacteristics = characteristics,
        .xShmMap = map_shared,
        .xShmLock = lock_shared,
        .xShmBarrier = shared_barrier,
        .xShmUnmap = unmap_shared,
        .xFetch = nullptr,
        .xUnfetch = nullptr,
    };
    file->pMethods = nullptr;
    SqliteFiles& files = owner(vfs);
    const std::string name = path != nullptr ? path : "";  // one without a name is nobody else's
    auto found = files.files_.find(name);
    if (found == files.files_.end()) {
      if ((flags & SQLITE_OPEN_CREATE) == 0 || files.dead_) return SQLITE_CANTOPEN;
      auto made = std::make_shared<SqliteFiles::File>();
      made->syncs_folder = (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
      if (name.empty()) return bind(*new (file) OpenFile, kMethods, files, std::move(made), false);
      found = files.files_.emplace(name, std::move(made)).first;
    }
    if (given != nullptr) *given = flags;
    return bind(*new (file) OpenFile, kMethods, files, found->second,
                (flags & SQLITE_OPEN_WAL) != 0);
  }

  static int bind(OpenFile& open, const sqlite3_io_methods& methods, SqliteFiles& files,
                  std::shared_ptr<SqliteFiles::File> file, bool is_log) {
    open.owner = &files;
    open.file = std::move(file);
    open.is_log = is_log;
    open.pMethods = &methods;
    return SQLITE_OK;
  }

  static int remove(sqlite3_vfs* vfs, const char* path, int for_good) {
    SqliteFiles& files = owner(vfs);
    if (files.dead_) return SQLITE_IOERR_DELETE;
    const auto found = files.files_.find(path);
    if (found == files.files_.end()) return SQLITE_IOERR_DELETE_NOENT;
    if (for_good == 0 && found->second->named) files.removed_[path] = found->second;
    files.files_.erase(found);
    return SQLITE_OK;
  }

  static int access(sqlite3_vfs* vfs, const char* path, int, int* there) {
    const auto found = owner(vfs).files_.find(path);
    // An empty file is as none, as SQLite's own say.
    *there = found != owner(vfs).files_.end() && !found->second->bytes.empty() ? 1 : 0;
    return SQLITE_OK;
  }

  // The same every time, so that a seed is the same story.
  static int randomness(sqlite3_vfs* vfs, int bytes, char* out) {
    for (int i = 0; i < bytes; ++i) {
      const std::uint64_t drawn = ++owner(vfs).drawn_ * 0x9e3779b97f4a7c15u;
      out[i] = static_cast<char>(drawn >> 56);
    }
    return bytes;
  }
};

SqliteFiles::SqliteFiles()
    : name_([] {
        static std::uint64_t made = 0;
        return "weir-faults-" + std::to_string(++made);
      }()),
      vfs_(std::make_unique<sqlite3_vfs>()) {
  *vfs_ = {};
  vfs_->iVersion = 2;
  vfs_->szOsFile = sizeof(OpenFile);
  vfs_->mxPathname = 4096;
  vfs_->zName = name_.c_str();
  vfs_->pAppData = this;
  vfs_->xOpen = SqliteFilesMethods::open;
  vfs_->xDelete = SqliteFilesMethods::remove;
  vfs_->xAccess = SqliteFilesMethods::access;
  vfs_->xFullPathname = full_path;
  vfs_->xRandomness = SqliteFilesMethods::randomness;
  vfs_->xSleep = sleep_not;
  vfs_->xCurrentTimeInt64 = time_now;
  vfs_->xGetLastError = last_error;
  WEIR_CHECK(sqlite3_vfs_register(vfs_.get(), 0) == SQLITE_OK, "SQLite takes a file system");
}

SqliteFiles::~SqliteFiles() {
  sqlite3_vfs_unregister(vfs_.get());
}

}  // namespace weir::faults
