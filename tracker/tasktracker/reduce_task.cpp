// A reduce attempt: copy a partition of every map, wait for leave to compute, merge by (key, map,
// position) with a bounded number of open files, feed the reducer, publish what it wrote.
#include <fcntl.h>
#include <unistd.h>

#include "tracker/tasktracker/merge.h"
#include "tracker/tasktracker/output_sink.h"
#include "tracker/tasktracker/shuffle_copier.h"
#include "tracker/tasktracker/task_context.h"

namespace weir::tasktracker {
namespace {

constexpr std::int32_t kSortFrom = 333333, kReduceFrom = 666666, kWhole = 1000000;

// The merge of copied pieces, in map order. Counts what it gives: lines, bytes, and groups of equal
// keys.
class PieceMerge : public LineStream {
 public:
  static Result<std::unique_ptr<PieceMerge>> open(std::span<const CopiedPiece> pieces,
                                                  bool count_groups, std::uint32_t key_fields) {
    std::unique_ptr<PieceMerge> merge(new PieceMerge(count_groups));
    merge->buffers_.resize(pieces.size());
    merge->files_.resize(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const CopiedPiece& piece = pieces[i];
      if (piece.bytes == 0) continue;
      merge->bytes_total_ += piece.bytes;
      if (piece.path.empty()) {
        merge->merge_.add(LineCursor(piece.memory, key_fields));
        continue;
      }
      auto fd = open_file(piece.path, O_RDONLY);
      if (!fd) return fd.error();
      merge->files_[i] = std::move(*fd);
      merge->merge_.add(
          LineCursor({merge->files_[i].get(), &piece.path, 0, piece.stored_bytes, piece.in_blocks},
                     &merge->buffers_[i], &merge->blocks_, key_fields));
    }
    merge->merge_.start();
    return merge;
  }

  const Line* next() override {
    const Line* line = merge_.next();
    if (!line) return nullptr;
    bytes_given_ += line->length;
    if (count_groups_ && (groups_ == 0 || line->key() != key_)) {
      ++groups_;
      key_ = line->key();
    }
    return line;
  }
  std::uint32_t partition() const override { return 0; }
  Status status() const override { return merge_.status(); }
  std::int64_t bytes_given() const { return bytes_given_; }
  std::int64_t bytes_total() const { return bytes_total_; }
  std::int64_t groups() const { return groups_; }

 private:
  explicit PieceMerge(bool count_groups) : count_groups_(count_groups) {}

  bool count_groups_;
  std::vector<UniqueFd> files_;
  std::vector<std::vector<char>> buffers_;
  BlockReader blocks_;
  CursorMerge merge_;
  std::string key_;
  std::int64_t groups_ = 0, bytes_given_ = 0, bytes_total_ = 0;
};

Result<CopiedPiece> merge_group(std::span<CopiedPiece> group, const std::string& path,
                                MapOutputCodec codec, std::uint32_t key_fields) {
  auto lines = PieceMerge::open(group, false, key_fields);
  if (!lines) return lines.error();
  auto run = write_run(**lines, path, 1, false, codec);
  if (!run) return run.error();
  for (CopiedPiece& piece : group) {
    if (!piece.path.empty()) ::unlink(piece.path.c_str());
    piece = {};
  }
  const Segment& merged = run->segments[0];
  return CopiedPiece{{}, path, merged.raw_bytes, merged.bytes, merged.in_blocks};
}

// Folds neighbours together until few enough are files; neighbours only, so that map order is kept.
Status merge_to_fan_in(std::vector<CopiedPiece>& pieces, const TaskSpec& spec,
                       std::uint32_t key_fields) {
  const auto codec = map_output_codec(spec.conf, spec.settings.map_output_codec);
  if (!codec) return codec.error();
  int number = 0;
  for (;;) {
    std::size_t files = 0;
    for (const CopiedPiece& piece : pieces) files += piece.path.empty() ? 0 : 1;
    if (files <= kMergeFanIn) return Ok{};
    std::vector<CopiedPiece> merged;
    for (std::size_t first = 0; first < pieces.size();) {
      std::size_t last = first, in_group = 0;
      while (last < pieces.size() &&
             in_group + (pieces[last].path.empty() ? 0 : 1) <= kMergeFanIn) {
        in_group += pieces[last++].path.empty() ? 0 : 1;
      }
      auto piece = merge_group(std::span(pieces).subspan(first, last - first),
                               spec.attempt_dir + "/merged_" + std::to_string(number++), *codec,
                               key_fields);
      if (!piece) return piece.error();
      merged.push_back(std::move(*piece));
      first = last;
    }
    pieces = std::move(merged);
  }
}

Result<std::vector<CopiedPiece>> copy_all(TaskContext& task) {
  task.control.set_phase(TaskPhase::kShuffle);
  task.control.set_waiting(true);
  ShuffleCopier copier(task.spec, task.control);
  task.control.on_output_news([&copier](const OutputNews& news) { copier.news(news); });
  auto pieces = copier.wait_for_all();
  task.control.on_output_news([](const OutputNews&) {});
  if (pieces.ok()) {
    task.control.set_phase(TaskPhase::kSort);  // says that a slot is wanted from now on
    task.control.wait_for_grant();
  }
  task.control.set_waiting(false);
  return pieces;
}

}  // namespace

Status run_reduce(TaskContext& task) {
  const auto keys = MapOutputKeys::of(task.spec.conf);
  if (!keys) return keys.error();
  const std::uint32_t key_fields = keys->stored_fields();
  auto pieces = copy_all(task);
  if (!pieces) return pieces.error();
  task.control.set_progress(0, 1, kSortFrom, kReduceFrom);
  if (auto merged = merge_to_fan_in(*pieces, task.spec, key_fields); !merged) return merged;
  auto lines = PieceMerge::open(*pieces, true, key_fields);
  if (!lines) return lines.error();
  task.control.set_phase(TaskPhase::kReduce);

  auto output = TaskOutput::create(task.spec);
  if (!output) return output.error();
  OutputSink sink(*output);
  LineFeeder feeder(**lines);
  CommandStreams streams;
  streams.source = [&](std::span<char> into) {
    auto n = feeder.fill(into);
    task.control.set_progress((*lines)->bytes_given(), (*lines)->bytes_total(), kReduceFrom,
                              kWhole);
    return n;
  };
  streams.space = [&sink]() -> Result<std::span<char>> { return sink.space(); };
  streams.commit = [&sink](std::size_t bytes) { return sink.commit(bytes); };
  streams.errors = &task.errors;
  streams.moved = [&task] { task.control.moved(); };
  if (auto ran = run_command(task.command("reducer", task.spec.reducer), streams); !ran) return ran;
  if (auto flushed = sink.flush(); !flushed) return flushed;
  task.control.set_counter("REDUCE_INPUT_RECORDS", feeder.lines_fed());
  task.control.set_counter("REDUCE_INPUT_GROUPS", (*lines)->groups());
  task.control.set_counter("REDUCE_OUTPUT_RECORDS", sink.lines());
  task.control.set_counter("REDUCE_OUTPUT_BYTES", sink.bytes());
  return publish(task.control, *output);
}

}  // namespace weir::tasktracker
