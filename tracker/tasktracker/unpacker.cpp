#include "tracker/tasktracker/unpacker.h"

#include <bzlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

class Gzip : public Unpacker {
 public:
  ~Gzip() override {
    if (started_) inflateEnd(&stream_);
  }
  Status start() {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) return data_error("zlib cannot start");
    started_ = true;
    return Ok{};
  }
  std::string_view format() const override { return "gzip"; }
  Status start_again() override {
    inflateReset(&stream_);
    return Ok{};
  }
  Result<Step> step(std::string_view in, std::span<char> out) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      return data_error(stream_.msg ? stream_.msg : "damaged data");
    return Step{in.size() - stream_.avail_in, out.size() - stream_.avail_out,
                status == Z_STREAM_END};
  }

 private:
  z_stream stream_{};
  bool started_ = false;
};

class Bzip2 : public Unpacker {
 public:
  ~Bzip2() override {
    if (started_) BZ2_bzDecompressEnd(&stream_);
  }
  Status start() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) return data_error("bzlib cannot start");
    started_ = true;
    return Ok{};
  }
  std::string_view format() const override { return "bzip2"; }
  Status start_again() override {
    BZ2_bzDecompressEnd(&stream_);
    started_ = false;
    stream_ = {};
    return start();
  }
  Result<Step> step(std::string_view in, std::span<char> out) override {
    stream_.next_in = const_cast<char*>(in.data());
    stream_.avail_in = static_cast<unsigned>(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<unsigned>(out.size());
    const int status = BZ2_bzDecompress(&stream_);
    if (status == BZ_DATA_ERROR_MAGIC) return data_error("it begins otherwise");
    if (status != BZ_OK && status != BZ_STREAM_END)
      return data_error(status == BZ_MEM_ERROR ? "no memory" : "damaged data");
    return Step{in.size() - stream_.avail_in, out.size() - stream_.avail_out,
                status == BZ_STREAM_END};
  }

 private:
  bz_stream stream_{};
  bool started_ = false;
};

class Zstd : public Unpacker {
 public:
  ~Zstd() override { ZSTD_freeDCtx(context_); }
  Status start() {
    context_ = ZSTD_createDCtx();
    return context_ ? Status(Ok{}) : data_error("libzstd cannot start");
  }
  std::string_view format() const override { return "zstd"; }
  bool may_be_padded() const override { return false; }  // as for the zstd program
  Status start_again() override { return Ok{}; }
  Result<Step> step(std::string_view in, std::span<char> out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t left = ZSTD_decompressStream(context_, &to, &from);
    if (ZSTD_isError(left) && ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge)
      return Error{ErrorCode::kLimitReached,
                   "its zstd window is larger than the 128 MB that are allowed; compress it "
                   "without --long=31"};
    if (ZSTD_isError(left)) return data_error(ZSTD_getErrorName(left));
    return Step{from.pos, to.pos, left == 0};
  }

 private:
  ZSTD_DCtx* context_ = nullptr;
};

template <class Format>
Result<std::unique_ptr<Unpacker>> started() {
  auto unpacker = std::make_unique<Format>();
  if (auto began = unpacker->start(); !began) return began.error();
  return std::unique_ptr<Unpacker>(std::move(unpacker));
}

}  // namespace

Result<std::unique_ptr<Unpacker>> make_unpacker(const std::string& path) {
  if (path.ends_with(".zst")) return started<Zstd>();
  if (path.ends_with(".bz2")) return started<Bzip2>();
  return started<Gzip>();
}

}  // namespace weir::tasktracker
