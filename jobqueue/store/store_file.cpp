#include "jobqueue/store/store_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace weir {
namespace {

// SQLite locks the 512 bytes before it.
constexpr off_t kOwnersByte = 0x40000000 + 512;

// Of the format of the database's header, of the log, and of the log's index
// (sqlite.org/fileformat2.html, sqlite.org/walformat.html).
constexpr std::size_t kHeader = 100, kPageSizeAt = 16, kPagesAt = 28;
constexpr std::int64_t kLogHeader = 32, kFrameHeader = 24;
constexpr off_t kFramesAt = 16;

Error store_failure(const std::string& message, const std::string& hint) {
  return {ErrorCode::kStoreFailed, message, hint, {}};
}

const char* const kRestore =
    "stop the JobTracker, restore a copy (docs/reliability.md) and start it; until then nothing is "
    "acknowledged";

}  // namespace

StoreFile::~StoreFile() {
  if (index_fd_ >= 0) ::close(index_fd_);
  if (database_fd_ >= 0) ::close(database_fd_);
}

Status StoreFile::take(const std::string& path, int timeout_ms) {
  database_.path = path;
  log_.path = path + "-wal";
  index_.path = path + "-shm";
  database_fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (database_fd_ < 0) {
    return store_failure("store " + path + " cannot be opened: " + std::strerror(errno),
                   "it must be a plain file in an existing, writable directory");
  }
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kOwnersByte;
  lock.l_len = 1;
  constexpr std::chrono::milliseconds kPause{20};
  for (auto waited = std::chrono::milliseconds(0);; waited += kPause) {
    if (::fcntl(database_fd_, F_OFD_SETLK, &lock) == 0) return Ok{};
    if (errno != EAGAIN && errno != EACCES) {
      return store_failure("store " + path + " cannot be locked: " + std::strerror(errno),
                     "keep the store on a local file system");
    }
    if (waited.count() >= timeout_ms) break;
    std::this_thread::sleep_for(kPause);
  }
  return store_failure("store " + path + " is in use by another JobTracker",
                 "stop that one first, or name another file in store.sqlite");
}

Status StoreFile::remember() {
  for (Part* part : {&database_, &log_, &index_}) {
    struct stat now {};
    if (::stat(part->path.c_str(), &now) != 0) {
      return store_failure("store " + part->path + " cannot be looked at: " + std::strerror(errno),
                     "keep the store on a local file system");
    }
    part->device = now.st_dev;
    part->inode = now.st_ino;
    part->size = 0;
  }
  struct stat opened {};
  if (::fstat(database_fd_, &opened) != 0 || opened.st_ino != database_.inode ||
      opened.st_dev != database_.device) {
    return store_failure("store " + database_.path + " was replaced while it was opened", kRestore);
  }
  index_fd_ = ::open(index_.path.c_str(), O_RDONLY | O_CLOEXEC);
  unsigned char size[2] = {};
  if (::pread(database_fd_, size, sizeof(size), kPageSizeAt) == 2)
    page_size_ = size[0] * 256 + size[1];
  if (page_size_ == 1) page_size_ = 65536;
  return check();
}

Status StoreFile::check() {
  std::int64_t database = 0, log = 0, index = 0;
  if (Status same = look_at(database_, database); !same.ok()) return same;
  if (Status same = look_at(log_, log); !same.ok()) return same;
  if (Status same = look_at(index_, index); !same.ok()) return same;
  const auto truncated = [](const Part& part, std::int64_t size, std::int64_t least) {
    return store_failure("store " + part.path + " was truncated: it has " + std::to_string(size) +
                       " bytes and should have " + std::to_string(least),
                   kRestore);
  };
  // Whoever takes the log into the file, SQLite by hand perhaps, writes its header first.
  if (const auto least = database_bytes(); database < least && database < database_.size)
    return truncated(database_, database, std::max(least, database_.size));
  if (index < index_.size) return truncated(index_, index, index_.size);
  if (const auto least = log_bytes(); log < least) return truncated(log_, log, least);
  database_.size = database;
  index_.size = index;
  return Ok{};
}

Status StoreFile::look_at(Part& part, std::int64_t& size) const {
  struct stat now {};
  if (::stat(part.path.c_str(), &now) != 0) {
    return store_failure("store " + part.path + " is gone (" + std::strerror(errno) +
                       "): it was deleted or moved away under the JobTracker",
                   "move it back, or " + std::string(kRestore));
  }
  if (now.st_dev != part.device || now.st_ino != part.inode) {
    return store_failure("store " + part.path + " is another file than the one that was opened",
                   "move that one back, or " + std::string(kRestore));
  }
  size = now.st_size;
  return Ok{};
}

// As long as its header says; what is still in the log alone does not count there.
std::int64_t StoreFile::database_bytes() const {
  unsigned char header[kHeader] = {};
  if (::pread(database_fd_, header, kHeader, 0) != static_cast<ssize_t>(kHeader)) return kHeader;
  std::int64_t pages = 0;
  for (std::size_t i = 0; i < 4; ++i) pages = pages * 256 + header[kPagesAt + i];
  return pages * page_size_;
}

// With the frames that its index names.
std::int64_t StoreFile::log_bytes() const {
  std::uint32_t frames = 0;  // in the machine's own order
  if (::pread(index_fd_, &frames, sizeof(frames), kFramesAt) != sizeof(frames) || frames == 0)
    return 0;
  return kLogHeader + std::int64_t{frames} * (kFrameHeader + page_size_);
}

}  // namespace weir
