#include "tracker/tasktracker/split_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "tracker/splits/packed_files.h"
#include "tracker/tasktracker/packed_reader.h"
#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/raw_buffer.h"

namespace weir::tasktracker {
namespace {

// For the end of a line, most of which are short.
constexpr std::size_t kFirstScanBytes = 4 * 1024;
constexpr std::size_t kScanBytes = 64 * 1024;

class PlainSplitReader : public SplitReader {
 public:
  // `size` of the file as it was opened, not less than where the split ends.
  PlainSplitReader(std::string path, UniqueFd fd, std::int64_t offset, std::int64_t length,
                   std::int64_t size)
      : path_(std::move(path)),
        fd_(std::move(fd)),
        size_(size),
        begin_(offset),
        end_(offset + length),
        position_(offset) {}

  // Moves to the first line that begins in the split.
  Status skip_to_first_line() {
    if (begin_ == 0) return Ok{};
    position_ = begin_ - 1;
    RawBuffer buffer(kScanBytes);
    std::size_t looked = kFirstScanBytes;
    for (;;) {
      auto n = read_some_at(fd_.get(), std::span<char>(buffer).first(looked), position_, path_);
      looked = kScanBytes;
      if (!n) return n.error();
      const auto* newline = static_cast<const char*>(std::memchr(buffer.data(), '\n', *n));
      if (newline) {
        position_ += newline - buffer.data() + 1;
        break;
      }
      position_ += static_cast<std::int64_t>(*n);
      if (*n == 0) {
        if (auto whole = check_still_whole(); !whole) return whole;
        break;
      }
    }
    over_ = position_ >= end_;
    return Ok{};
  }

  Result<std::size_t> read(std::span<char> into) override {
    if (over_ || begin_ == end_) return std::size_t{0};
    const std::size_t useful = position_ < end_
                                   ? static_cast<std::size_t>(end_ - position_) + kFirstScanBytes
                                   : kScanBytes;
    into = into.first(std::min(into.size(), useful));
    auto n = read_some_at(fd_.get(), into, position_, path_);
    if (!n) return n.error();
    if (*n == 0) {
      if (auto whole = check_still_whole(); !whole) return whole.error();
      over_ = true;
      return std::size_t{0};
    }
    const std::int64_t after = position_ + static_cast<std::int64_t>(*n);
    std::size_t kept = *n;
    if (after >= end_) {
      // The line that holds the split's last byte is ours to its end, wherever that is.
      const std::size_t from =
          static_cast<std::size_t>(std::max<std::int64_t>(end_ - 1 - position_, 0));
      const auto* newline =
          static_cast<const char*>(std::memchr(into.data() + from, '\n', *n - from));
      if (newline) {
        kept = static_cast<std::size_t>(newline - into.data()) + 1;
        over_ = true;
      }
    }
    position_ += static_cast<std::int64_t>(kept);
    return kept;
  }

  std::int64_t stored_bytes_read() const override {
    return std::clamp<std::int64_t>(position_ - begin_, 0, end_ - begin_);
  }
  std::int64_t stored_bytes_total() const override { return end_ - begin_; }

 private:
  // Where nothing more is read: the last line would be taken for one that was cut there.
  Status check_still_whole() const {
    if (position_ >= size_) return Ok{};
    return shrunk_file(path_, fd_.get(), position_, size_);
  }

  std::string path_;
  UniqueFd fd_;
  std::int64_t size_, begin_, end_, position_;
  bool over_ = false;
};

}  // namespace

Error shrunk_file(const std::string& path, int fd, std::int64_t position, std::int64_t at_first) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error(path);
  const std::int64_t end = std::min<std::int64_t>(position, info.st_size);
  return data_error(path + ": ends at byte " + std::to_string(end) +
                    " while it is read; when the map began it had " + std::to_string(at_first));
}

Result<std::unique_ptr<SplitReader>> open_split(const std::string& path, std::int64_t offset,
                                                std::int64_t length) {
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return fd.error();
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return system_error(path);
  if (!S_ISREG(info.st_mode)) return data_error(path + ": input must be a regular file");
  if (offset < 0 || length < 0 || offset > INT64_MAX - length) {
    return data_error(path + ": split " + std::to_string(offset) + "+" + std::to_string(length) +
                      " is not a range of bytes");
  }
  // What is missing may be any number of whole records, so no reader of lines would notice.
  if (const std::int64_t end = offset + length; info.st_size < end) {
    return data_error(path + ": ends at byte " + std::to_string(info.st_size) +
                      "; when the job was submitted it had " +
                      (is_packed(path) ? "" : "at least ") + std::to_string(end));
  }
  (void)::posix_fadvise(fd->get(), offset, length, POSIX_FADV_SEQUENTIAL);
  if (is_packed(path)) return open_packed(path, std::move(*fd), info.st_size);
  auto reader = std::make_unique<PlainSplitReader>(path, std::move(*fd), offset, length,
                                                   info.st_size);
  if (auto skipped = reader->skip_to_first_line(); !skipped) return skipped.error();
  return std::unique_ptr<SplitReader>(std::move(reader));
}

}  // namespace weir::tasktracker
