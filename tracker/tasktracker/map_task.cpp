// A map attempt: split -> mapper -> sorted, partitioned, checksummed run for the shuffle; or,
// without reduces, split -> mapper -> output file.
#include "tracker/tasktracker/count_lines.h"
#include "tracker/tasktracker/map_pieces.h"
#include "tracker/tasktracker/output_sink.h"
#include "tracker/tasktracker/spill_sorter.h"
#include "tracker/tasktracker/task_context.h"

namespace weir::tasktracker {
namespace {

class MapInput {
 public:
  MapInput(TaskControl& control, std::unique_ptr<SplitReader> reader)
      : control_(control), reader_(std::move(reader)) {}

  Result<std::size_t> read(std::span<char> into) {
    auto n = reader_->read(into);
    if (!n) return n;
    bytes_ += static_cast<std::int64_t>(*n);
    lines_ += count_lines({into.data(), *n});
    if (*n > 0) last_ = into[*n - 1];
    return n;
  }
  // Progress is what the mapper has read, and less than all of it before it has ended.
  void fed(std::size_t unread) {
    if (bytes_ == 0) return;  // the reader has passed what is another split's, the mapper nothing
    const double read = 1 - static_cast<double>(unread) / static_cast<double>(bytes_);
    const auto stored = static_cast<double>(reader_->stored_bytes_read());
    control_.set_progress(static_cast<std::int64_t>(stored * read), reader_->stored_bytes_total(),
                          0, kMostBeforeTheEnd);
  }
  void count() {
    control_.set_counter("MAP_INPUT_BYTES", bytes_);
    control_.set_counter("MAP_INPUT_RECORDS", lines_ + (last_ != '\n' ? 1 : 0));
  }

 private:
  static constexpr std::int32_t kMostBeforeTheEnd = 990'000;
  TaskControl& control_;
  std::unique_ptr<SplitReader> reader_;
  std::int64_t bytes_ = 0, lines_ = 0;
  char last_ = '\n';
};

CommandStreams input_streams(TaskContext& task, MapInput& input) {
  CommandStreams streams;
  streams.source = [&input](std::span<char> into) { return input.read(into); };
  streams.fed = [&input](std::size_t unread) { input.fed(unread); };
  streams.errors = &task.errors;
  streams.moved = [&task] { task.control.moved(); };
  return streams;
}

// The user's combiner as the sorter calls it.
Combine make_combine(TaskContext& task) {
  if (task.spec.combiner.empty()) return {};
  return [&task](LineStream& lines, SpillSorter& out) -> Status {
    LineFeeder feeder(lines);
    CommandStreams streams;
    streams.source = [&feeder](std::span<char> into) { return feeder.fill(into); };
    streams.space = [&out] { return out.space(); };
    streams.commit = [&out](std::size_t bytes) { return out.commit(bytes); };
    streams.errors = &task.errors;
    streams.moved = [&task] { task.control.moved(); };
    auto ran = run_command(task.command("combiner", task.spec.combiner), streams);
    task.control.add_counter(kOwnCounters, "COMBINE_INPUT_RECORDS", feeder.lines_fed());
    return ran;
  };
}

Status run_map_only(TaskContext& task, MapInput& input) {
  auto output = TaskOutput::create(task.spec);
  if (!output) return output.error();
  OutputSink sink(*output);
  CommandStreams streams = input_streams(task, input);
  if (task.control.served_by_caller()) {
    streams.watched = task.control.line();
    streams.watch = [&task] { task.control.serve_now(); };
  }
  streams.space = [&sink]() -> Result<std::span<char>> { return sink.space(); };
  streams.commit = [&sink](std::size_t bytes) { return sink.commit(bytes); };
  if (auto ran = run_command(task.command("mapper", task.spec.mapper), streams); !ran) return ran;
  if (auto flushed = sink.flush(); !flushed) return flushed;
  input.count();
  task.control.set_counter("MAP_OUTPUT_RECORDS", sink.lines());
  task.control.set_counter("MAP_OUTPUT_BYTES", sink.bytes());
  return publish(task.control, *output);
}

Status run_sorted_map(TaskContext& task, MapInput& input) {
  // Before an hour of work, not after it.
  const std::string who = attempt_name(task.spec.id);
  if (auto kept = keep_output_place(output_of(task.spec), who, posix_files()); !kept) return kept;
  SpillSorterOptions options;
  options.prefix = task.spec.attempt_dir + "/";
  options.partitions = task.spec.reduces;
  options.memory_bytes = static_cast<std::size_t>(task.spec.sort_memory_mb) << 20;
  options.max_line_bytes = static_cast<std::size_t>(task.spec.max_line_mb) << 20;
  auto codec = map_output_codec(task.spec.conf, task.spec.settings.map_output_codec);
  if (!codec) return codec.error();
  options.codec = *codec;
  const auto keys = MapOutputKeys::of(task.spec.conf);
  if (!keys) return keys.error();
  options.keys = *keys;
  options.combine = make_combine(task);
  const bool combines = static_cast<bool>(options.combine);
  SpillSorter sorter(std::move(options));
  CommandStreams streams = input_streams(task, input);
  streams.space = [&sorter] { return sorter.space(); };
  streams.commit = [&sorter](std::size_t bytes) { return sorter.commit(bytes); };
  if (auto ran = run_command(task.command("mapper", task.spec.mapper), streams); !ran) return ran;
  input.count();
  task.control.set_phase(TaskPhase::kSort);
  auto run = sorter.finish(task.spec.map_output_dir + "/file.out", true);
  if (!run) return run.error();
  if (auto indexed = write_index(*run, task.spec.map_output_dir + "/file.idx"); !indexed)
    return indexed;
  std::int64_t lines = 0, stored = 0;
  for (const Segment& segment : run->segments) {
    lines += segment.lines;
    stored += segment.bytes;
  }
  task.control.set_counter("MAP_OUTPUT_RECORDS", sorter.lines_in());
  task.control.set_counter("MAP_OUTPUT_BYTES", sorter.bytes_in());
  task.control.set_counter("MAP_OUTPUT_MATERIALIZED_BYTES", stored);
  task.control.set_counter("SPILLED_RECORDS", sorter.lines_spilled());
  if (combines) task.control.set_counter("COMBINE_OUTPUT_RECORDS", lines);
  return Ok{};
}

}  // namespace

Status publish(TaskControl& control, TaskOutput& output) {
  if (auto synced = output.sync(); !synced) return synced;
  for (;;) {
    const std::int64_t until_ms = control.wait_for_commit();
    // A late order may belong to an attempt that the JobTracker has given up: ask again by
    // reporting again.
    if (steady_now_ms() > until_ms) continue;
    auto note = output.commit();
    if (!note) return note.error();
    if (!note->empty()) control.set_status(*note);
    return Ok{};
  }
}

Status run_map(TaskContext& task) {
  task.control.set_phase(TaskPhase::kMap);
  auto reader = open_pieces(task.spec);
  if (!reader) return reader.error();
  MapInput input(task.control, std::move(*reader));
  return task.spec.map_only() ? run_map_only(task, input) : run_sorted_map(task, input);
}

}  // namespace weir::tasktracker
