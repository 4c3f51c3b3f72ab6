#include "tracker/jobtracker/event_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "jobqueue/store/store_lock.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBeginning = "{\"t\":";  // of each line (EventLines)

Error trouble(std::string message) {
  return Error{.message = std::move(message)};
}

Error trouble_with(const std::string& path) {
  return trouble(path + ": " + std::strerror(errno));
}

bool begins_as_log(const std::string& path, off_t size) {
  if (size == 0) return true;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, kBeginning.size()> text{};
  const bool begins = file >= 0 && ::pread(file, text.data(), text.size(), 0) > 0 &&
                      std::string_view(text.data(), text.size()) == kBeginning;
  if (file >= 0) ::close(file);
  return begins;
}

bool is_same_file(const std::string& one, const std::string& other) {
  struct stat here {}, there {};
  const bool both = ::stat(one.c_str(), &here) == 0 && ::stat(other.c_str(), &there) == 0;
  if (both) return here.st_dev == there.st_dev && here.st_ino == there.st_ino;
  std::error_code ignored;  // then the paths are empty, and equal: better refused than written to
  return fs::weakly_canonical(one, ignored) == fs::weakly_canonical(other, ignored);
}

}  // namespace

EventFiles::EventFiles(EventLogSettings place, std::string store)
    : place_(std::move(place)), store_(std::move(store)) {}

EventFiles::~EventFiles() {
  if (file_ >= 0) ::close(file_);
}

Status EventFiles::open() {
  std::error_code ignored;  // what is missing is told below
  fs::create_directories(fs::path(place_.path).parent_path(), ignored);
  if (Status checked = check(place_.path); !checked) return checked;
  if (const auto full = check_full(); !full) return full.error();
  return append_to();
}

Status EventFiles::write(std::string_view lines) {
  const auto bytes = static_cast<std::int64_t>(lines.size());
  if (file_ < 0) {  // it could not be made when the last one was full
    if (Status again = append_to(); !again) return again;
  }
  if (size_ > 0 && size_ + bytes > place_.rotate_bytes) {
    if (Status rotated = rotate(); !rotated) return rotated;
  }
  for (std::size_t at = 0; at < lines.size();) {
    const ssize_t written = ::write(file_, lines.data() + at, lines.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const Error failed = trouble_with(place_.path);
      if (at > 0 && ::ftruncate(file_, size_) != 0) size_ += static_cast<std::int64_t>(at);
      return failed;
    }
    at += static_cast<std::size_t>(written);
  }
  size_ += bytes;
  return Ok{};
}

std::string EventFiles::name(std::int64_t number) const {
  if (number == 0) return place_.path;
  const fs::path path(place_.path);
  const std::string file =
      path.stem().string() + "." + std::to_string(number) + path.extension().string();
  return (path.parent_path() / file).string();
}

// Not even opened before it is known to be no file of the store: closing one of these lets go of
// all locks that this process has on it. Nor is a pipe or a device opened.
Status EventFiles::check(const std::string& path) const {
  if (is_stores(path)) return trouble(path + ": is a file of the store");
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0)
    return errno == ENOENT ? Status(Ok{}) : Status(trouble_with(path));
  if (!S_ISREG(there.st_mode)) return trouble(path + ": is no regular file");
  if (!begins_as_log(path, there.st_size)) {
    return trouble(path + ": is there and is no event log; allowed: a new file, an empty one, or "
                          "one that begins with " + std::string(kBeginning));
  }
  return Ok{};
}

// How many full ones there are, without a gap: these make room for another.
Result<std::int64_t> EventFiles::check_full() const {
  std::int64_t full = 0;
  struct stat there {};
  while (full < place_.keep && ::lstat(name(full + 1).c_str(), &there) == 0) {
    if (Status checked = check(name(++full)); !checked) return checked.error();
  }
  const std::string next = name(full + 1);
  if (full < place_.keep && is_stores(next)) return trouble(next + ": is a file of the store");
  return full;
}

Status EventFiles::append_to() {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  file_ = ::open(place_.path.c_str(), kFlags, 0644);
  struct stat there {};
  if (file_ < 0 || ::fstat(file_, &there) != 0) return trouble_with(place_.path);
  size_ = there.st_size;
  return Ok{};
}

Status EventFiles::rotate() {
  const auto full = check_full();
  if (!full) return full.error();
  for (std::int64_t to = std::min(*full + 1, place_.keep); to > 0; --to) {
    if (std::rename(name(to - 1).c_str(), name(to).c_str()) != 0 && errno != ENOENT)
      return trouble_with(name(to));
  }
  if (place_.keep == 0 && ::ftruncate(file_, 0) != 0) return trouble_with(place_.path);
  ::close(file_);
  file_ = -1;
  return append_to();
}

bool EventFiles::is_stores(const std::string& path) const {
  if (store_.empty()) return false;
  const std::string all[] = {store_, store_ + "-wal", store_ + "-shm", store_ + "-journal",
                             StoreLock::file_of(store_)};
  return std::any_of(std::begin(all), std::end(all),
                     [&](const std::string& each) { return is_same_file(path, each); });
}

}  // namespace weir
