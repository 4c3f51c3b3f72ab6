#include "tracker/tasktracker/packed_reader.h"

#include <string_view>
#include <utility>

#include "tracker/tasktracker/raw_buffer.h"
#include "tracker/tasktracker/unpacker.h"

namespace weir::tasktracker {
namespace {

constexpr std::size_t kInputBytes = 128 * 1024;

class PackedReader : public SplitReader {
 public:
  PackedReader(std::string path, UniqueFd fd, std::int64_t size, std::unique_ptr<Unpacker> unpacker)
      : path_(std::move(path)),
        fd_(std::move(fd)),
        size_(size),
        unpacker_(std::move(unpacker)),
        chunk_(kInputBytes) {}

  Result<std::size_t> read(std::span<char> into) override {
    if (into.empty()) return std::size_t{0};
    while (!over_) {
      // What did not fit into the last `into` comes before more is read.
      if (input_.empty() && !more_inside_) {
        if (auto more = refill(); !more) return more.error();
        if (over_) break;
      }
      if (between_members_) {
        if (auto began = begin_member(); !began) return began.error();
        if (over_) break;
      }
      auto step = unpacker_->step(input_, into);
      if (!step) return unreadable(step.error());
      input_.remove_prefix(step->used);
      between_members_ = step->member_ended;
      more_inside_ = step->made == into.size() && !step->member_ended;
      if (step->made > 0) return step->made;
    }
    return std::size_t{0};
  }

  std::int64_t stored_bytes_read() const override { return position_; }
  std::int64_t stored_bytes_total() const override { return size_; }

 private:
  std::string format() const { return std::string(unpacker_->format()); }

  Status refill() {
    auto n = read_some_at(fd_.get(), chunk_, position_, path_);
    if (!n) return n.error();
    position_ += static_cast<std::int64_t>(*n);
    input_ = {chunk_.data(), *n};
    if (*n > 0) return Ok{};
    if (position_ < size_) return shrunk_file(path_, fd_.get(), position_, size_);
    over_ = true;
    if (between_members_) return Ok{};
    return data_error(path_ + ": " + format() + " data ends too early, at byte " +
                      std::to_string(position_));
  }

  Error unreadable(const Error& problem) const {
    if (problem.code == ErrorCode::kLimitReached) return data_error(path_ + ": " + problem.message);
    return invalid(problem.message);
  }

  Error invalid(const std::string& why) const {
    return data_error(path_ + ": not valid " + format() + " near byte " +
                      std::to_string(position_) + " (" + why + ")");
  }

  // What is neither another one nor padding was one, and is damaged.
  Status begin_member() {
    const bool padded = !first_ && unpacker_->may_be_padded() && input_.front() == '\0';
    if (padded) return skip_padding();
    between_members_ = false;
    return std::exchange(first_, false) ? Status(Ok{}) : unpacker_->start_again();
  }

  Status skip_padding() {
    while (!over_) {
      if (input_.find_first_not_of('\0') != std::string_view::npos)
        return invalid("after the zeros behind its end comes something else");
      if (auto more = refill(); !more) return more;
    }
    return Ok{};
  }

  std::string path_;
  UniqueFd fd_;
  std::int64_t size_, position_ = 0;
  std::unique_ptr<Unpacker> unpacker_;
  RawBuffer chunk_;
  std::string_view input_;  // of the chunk, not yet used
  bool over_ = false, first_ = true;
  bool between_members_ = true, more_inside_ = false;
};

}  // namespace

Result<std::unique_ptr<SplitReader>> open_packed(const std::string& path, UniqueFd fd,
                                                 std::int64_t size) {
  auto unpacker = make_unpacker(path);
  if (!unpacker) return data_error(path + ": " + unpacker.error().message);
  return std::unique_ptr<SplitReader>(
      std::make_unique<PackedReader>(path, std::move(fd), size, std::move(*unpacker)));
}

}  // namespace weir::tasktracker
