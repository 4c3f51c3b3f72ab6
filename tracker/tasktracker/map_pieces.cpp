#include "tracker/tasktracker/map_pieces.h"

#include <algorithm>
#include <utility>

namespace weir::tasktracker {
namespace {

class PiecesReader final : public SplitReader {
 public:
  explicit PiecesReader(const TaskSpec& spec) : pieces_(spec.input), total_(spec.input_bytes()) {}

  Status open_next() {
    const InputPiece& piece = pieces_[next_];
    auto reader = open_split(piece.file, piece.offset, piece.length);
    if (!reader) return reader.error();
    reader_ = std::move(*reader);
    ++next_;
    return Ok{};
  }

  Result<std::size_t> read(std::span<char> into) override {
    if (into.empty()) return std::size_t{0};
    for (;;) {
      auto n = reader_->read(into);
      if (!n) return n;
      if (*n > 0) {
        last_ = into[*n - 1];
        return n;
      }
      if (next_ == pieces_.size()) return std::size_t{0};
      if (last_ != '\n') {
        into[0] = last_ = '\n';
        return std::size_t{1};
      }
      done_ += pieces_[next_ - 1].length;
      if (auto opened = open_next(); !opened) return opened.error();
    }
  }

  std::int64_t stored_bytes_read() const override {
    return std::min(done_ + reader_->stored_bytes_read(), total_);
  }
  std::int64_t stored_bytes_total() const override { return total_; }

 private:
  std::vector<InputPiece> pieces_;
  std::size_t next_ = 0;  // the one to open
  std::unique_ptr<SplitReader> reader_;
  std::int64_t done_ = 0, total_;
  char last_ = '\n';
};

}  // namespace

Result<std::unique_ptr<SplitReader>> open_pieces(const TaskSpec& spec) {
  if (spec.input.size() == 1)
    return open_split(spec.input[0].file, spec.input[0].offset, spec.input[0].length);
  auto reader = std::make_unique<PiecesReader>(spec);
  if (auto opened = reader->open_next(); !opened) return opened.error();
  return std::unique_ptr<SplitReader>(std::move(reader));
}

}  // namespace weir::tasktracker
