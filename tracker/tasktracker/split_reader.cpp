#include "tracker/tasktracker/split_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kScanBytes = 64 * 1024;

Result<std::size_t> read_at(int fd, std::span<char> into, std::int64_t offset,
                            const std::string& path) {
  for (;;) {
    const ssize_t n = ::pread(fd, into.data(), into.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error(path);
    return static_cast<std::size_t>(n);
  }
}

class PlainSplitReader : public SplitReader {
 public:
  PlainSplitReader(std::string path, UniqueFd fd, std::int64_t offset, std::int64_t length)
      : path_(std::move(path)),
        fd_(std::move(fd)),
        begin_(offset),
        end_(offset + length),
        position_(offset) {}

  // Moves to the first line that begins in the split.
  Status skip_to_first_line() {
    if (begin_ == 0) return Ok{};
    position_ = begin_ - 1;
    std::vector<char> buffer(kScanBytes);
    for (;;) {
      auto n = read_at(fd_.get(), buffer, position_, path_);
      if (!n) return n.error();
      const auto* newline = static_cast<const char*>(std::memchr(buffer.data(), '\n', *n));
      if (newline) {
        position_ += newline - buffer.data() + 1;
        break;
      }
      position_ += static_cast<std::int64_t>(*n);
      if (*n == 0) break;
    }
    over_ = position_ >= end_;
    return Ok{};
  }

  Result<std::size_t> read(std::span<char> into) override {
    if (over_ || begin_ == end_) return std::size_t{0};
    const std::size_t useful =
        static_cast<std::size_t>(std::max<std::int64_t>(end_ - position_, 0)) + kScanBytes;
    into = into.first(std::min(into.size(), useful));
    auto n = read_at(fd_.get(), into, position_, path_);
    if (!n) return n.error();
    if (*n == 0) {
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
  std::string path_;
  UniqueFd fd_;
  std::int64_t begin_, end_, position_;
  bool over_ = false;
};

class GzipReader : public SplitReader {
 public:
  GzipReader(std::string path, UniqueFd fd, std::int64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), size_(size), input_(kInputBytes) {}
  ~GzipReader() override {
    if (started_) inflateEnd(&stream_);
  }

  Status start() {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) return data_error(path_ + ": zlib cannot start");
    started_ = true;
    return Ok{};
  }

  Result<std::size_t> read(std::span<char> into) override {
    while (!over_) {
      if (stream_.avail_in == 0) {
        if (auto more = refill(); !more) return more.error();
        if (over_) break;
      }
      if (between_members_ && !next_member()) break;
      stream_.next_out = reinterpret_cast<Bytef*>(into.data());
      stream_.avail_out = static_cast<uInt>(into.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        return data_error(path_ + ": not valid gzip near byte " + std::to_string(position_) + " (" +
                          (stream_.msg ? stream_.msg : "damaged data") + ")");
      }
      between_members_ = status == Z_STREAM_END;
      members_ += between_members_;
      const std::size_t made = into.size() - stream_.avail_out;
      if (made > 0) return made;
    }
    return std::size_t{0};
  }

  std::int64_t stored_bytes_read() const override { return position_; }
  std::int64_t stored_bytes_total() const override { return size_; }

 private:
  static constexpr std::size_t kInputBytes = 128 * 1024;

  Status refill() {
    auto n = read_at(fd_.get(), input_, position_, path_);
    if (!n) return n.error();
    position_ += static_cast<std::int64_t>(*n);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(*n);
    if (*n > 0) return Ok{};
    over_ = true;
    if (between_members_ || position_ == 0) return Ok{};
    return data_error(path_ + ": gzip data ends too early, at byte " + std::to_string(position_));
  }

  // After a member: another one, or padding, which gzip(1) ignores too.
  bool next_member() {
    if (members_ > 0 && stream_.next_in[0] != 0x1f) {
      over_ = true;
      return false;
    }
    if (members_ > 0) inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  std::string path_;
  UniqueFd fd_;
  std::int64_t size_, position_ = 0;
  std::vector<char> input_;
  z_stream stream_{};
  bool started_ = false, over_ = false, between_members_ = false;
  int members_ = 0;
};

}  // namespace

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
  (void)::posix_fadvise(fd->get(), offset, length, POSIX_FADV_SEQUENTIAL);
  if (path.ends_with(".gz")) {
    auto reader = std::make_unique<GzipReader>(path, std::move(*fd), info.st_size);
    if (auto started = reader->start(); !started) return started.error();
    return std::unique_ptr<SplitReader>(std::move(reader));
  }
  auto reader = std::make_unique<PlainSplitReader>(path, std::move(*fd), offset, length);
  if (auto skipped = reader->skip_to_first_line(); !skipped) return skipped.error();
  return std::unique_ptr<SplitReader>(std::move(reader));
}

}  // namespace weir::tasktracker
