// What the command line takes the JobTracker takes; one more of anything is refused by both, with
// the same words, but for numbers that have an option's name.
#include "jobqueue/model/submission_limits.h"

#include <gtest/gtest.h>

#include <functional>

#include "cli/exit_code.h"
#include "cli/shipped_files.h"
#include "cli/submit_command.h"
#include "cli/temporary_directory.h"
#include "thrift/spec_check.h"
#include "thrift/wire_error.h"
#include "tracker/splits/splits.h"

namespace weir::cli {
namespace {

using Limits = SubmissionLimits;

SubmitOptions good_options() {
  SubmitOptions options;
  options.queue = "research";
  options.output = "/out";
  options.mapper = "cat";
  options.reducer = "cat";
  return options;
}

wire::JobSpec good_spec() {
  wire::JobSpec spec = job_spec_of(good_options());
  spec.input_files = {"/in"};
  spec.splits.resize(1);
  return spec;
}

std::string by_the_command_line(const std::function<void()>& submit) {
  try {
    submit();
  } catch (const CliFailure& failure) {
    EXPECT_EQ(failure.exit_code(), kExitRefused);
    return failure.what();
  }
  return "taken";
}

std::string by_the_jobtracker(const wire::JobSpec& spec) {
  const Status checked = check_spec(spec);
  return checked ? "taken" : CliFailure::of(checked.error()).what();
}

struct Bound {
  std::int64_t most;
  const char* refusal;  // begins so
  std::function<void(SubmitOptions&, std::int64_t)> ask;
  std::function<void(wire::JobSpec&, std::int64_t)> send;
  const char* typed = nullptr;  // the command line's own refusal, which names its option
};

std::string ms(std::int64_t number) {
  return std::to_string(number) + "ms";
}

std::string text(std::int64_t bytes) {
  return std::string(static_cast<std::size_t>(bytes), 'x');
}

std::vector<std::string> settings(std::int64_t number) {
  std::vector<std::string> all;
  for (std::int64_t i = 0; i < number; ++i) all.push_back("k" + std::to_string(i) + "=");
  return all;
}

std::map<std::string, std::string> entries(std::int64_t number) {
  std::map<std::string, std::string> all;
  for (std::int64_t i = 0; i < number; ++i) all["k" + std::to_string(i)] = "";
  return all;
}

TEST(SubmissionLimits, HoldOnBothSides) {
  const Bound bounds[] = {
      {Limits::kReduces, "reduces: 100001", [](auto& o, auto n) { o.reduces = n; },
       [](auto& s, auto n) { s.reduces = static_cast<std::int32_t>(n); },
       "--reduces 100001: write 0 to 100000"},
      {Limits::kAttemptsPerTask, "max_attempts: 101", [](auto& o, auto n) { o.max_attempts = n; },
       [](auto& s, auto n) { s.max_attempts = static_cast<std::int32_t>(n); },
       "--max-attempts 101: write 1 to 100"},
      {Limits::kTaskMemoryMb, "map_memory_mb: 16777217",
       [](auto& o, auto n) { o.map_memory = std::to_string(n); },
       [](auto& s, auto n) { s.map_memory_mb = n; },
       "--map-memory '16777217': write 0M to 16777216M"},
      {Limits::kTaskMemoryMb, "reduce_memory_mb: 16777217",
       [](auto& o, auto n) { o.reduce_memory = std::to_string(n); },
       [](auto& s, auto n) { s.reduce_memory_mb = n; },
       "--reduce-memory '16777217': write 0M to 16777216M"},
      {Limits::kVcoresPerTask, "map_vcores: 10001", [](auto& o, auto n) { o.map_vcores = n; },
       [](auto& s, auto n) { s.map_vcores = n; },
       "--map-vcores 10001: write 0 to 10000"},
      {Limits::kVcoresPerTask, "reduce_vcores: 10001",
       [](auto& o, auto n) { o.reduce_vcores = n; }, [](auto& s, auto n) { s.reduce_vcores = n; },
       "--reduce-vcores 10001: write 0 to 10000"},
      {Limits::kSortMemoryMb, "sort_memory_mb: 65537",
       [](auto& o, auto n) { o.sort_memory = std::to_string(n); },
       [](auto& s, auto n) { s.sort_memory_mb = n; },
       "--sort-memory '65537': write 1M to 65536M"},
      {Limits::kSlotsPerTask, "slots_per_map: 10001",
       [](auto& o, auto n) { o.slots_per_map = n; }, [](auto& s, auto n) { s.slots_per_map = n; },
       "--map-slots-per-task 10001: write 1 to 10000"},
      {Limits::kSlotsPerTask, "slots_per_reduce: 10001",
       [](auto& o, auto n) { o.slots_per_reduce = n; },
       [](auto& s, auto n) { s.slots_per_reduce = n; },
       "--reduce-slots-per-task 10001: write 1 to 10000"},
      {Limits::kTaskTimeoutMs, "task_timeout_ms: 31536000001",
       [](auto& o, auto n) { o.task_timeout = ms(n); },
       [](auto& s, auto n) { s.task_timeout_ms = n; },
       "--task-timeout '31536000001ms': write a duration like 90s, 30m, 2h, "
       "from 0ms to 8760h, or never"},
      {Limits::kTimeLimitMs, "time_limit_ms: 316224000001",
       [](auto& o, auto n) { o.time_limit = ms(n); },
       [](auto& s, auto n) { s.time_limit_ms = n; },
       "--time-limit '316224000001ms': write a duration like 90s, 30m, 2h, "
       "from 1ms to 87840h, or never"},
      {Limits::kNameBytes, "name: is 257 bytes", [](auto& o, auto n) { o.name = text(n); },
       [](auto& s, auto n) { s.name = text(n); }},
      {Limits::kPathBytes, "queue: is 4097 bytes", [](auto& o, auto n) { o.queue = text(n); },
       [](auto& s, auto n) { s.queue = text(n); }},
      {Limits::kCommandBytes, "mapper: is 131073 bytes",
       [](auto& o, auto n) { o.mapper = text(n); }, [](auto& s, auto n) { s.mapper = text(n); }},
      {Limits::kMapEntries, "conf: number of entries: 1001",
       [](auto& o, auto n) { o.conf = settings(n); }, [](auto& s, auto n) { s.conf = entries(n); }},
      {Limits::kMapBytes, "environment: 131073 bytes",
       [](auto& o, auto n) { o.environment = {"k=" + text(n - 1)}; },
       [](auto& s, auto n) { s.environment = {{"k", text(n - 1)}}; }},
  };
  for (const Bound& bound : bounds) {
    const auto both = [&](std::int64_t value) {
      SubmitOptions options = good_options();
      bound.ask(options, value);
      wire::JobSpec spec = good_spec();
      bound.send(spec, value);
      const std::string refusal = by_the_jobtracker(spec);
      const bool own = refusal != "taken" && bound.typed != nullptr;
      EXPECT_EQ(by_the_command_line([&] { job_spec_of(options); }), own ? bound.typed : refusal);
      return refusal;
    };
    EXPECT_EQ(both(bound.most), "taken") << bound.refusal;
    EXPECT_TRUE(both(bound.most + 1).starts_with(bound.refusal)) << bound.refusal;
  }
}

// A number that the wire's 32 bits cannot hold is refused as it was typed.
TEST(SubmissionLimits, NothingIsCutOff) {
  SubmitOptions options = good_options();
  options.reduces = (std::int64_t{1} << 32) + 1;
  EXPECT_EQ(by_the_command_line([&] { job_spec_of(options); }),
            "--reduces 4294967297: write 0 to 100000");
}

TEST(SubmissionLimits, OfInput) {
  const auto both = [](std::size_t files, std::size_t path_bytes, std::int64_t splits) {
    std::vector<InputFile> input;
    wire::JobSpec spec = good_spec();
    spec.input_files.clear();
    for (std::size_t i = 0; i < files; ++i) {
      const std::string path = "/" + std::string(path_bytes - 1, 'p');
      input.push_back({path, i == 0 ? splits - static_cast<std::int64_t>(files) + 1 : 1});
      spec.input_files.push_back(path);
    }
    spec.splits.resize(static_cast<std::size_t>(splits));
    const std::string refusal = by_the_jobtracker(spec);
    EXPECT_EQ(by_the_command_line([&] { require(compute_splits(input, 1)); }), refusal);
    return refusal;
  };
  EXPECT_EQ(both(Limits::kInputFiles, 80, Limits::kPieces), "taken");
  EXPECT_EQ(both(Limits::kInputFiles + 1, 2, Limits::kInputFiles + 1),
            "input_files: number of files: 100001 is out of range; 1 to 100000; join small files "
            "first");
  EXPECT_EQ(both(2048, Limits::kPathBytes, 2048), "taken");  // 8 MiB
  EXPECT_EQ(both(2049, Limits::kPathBytes, 2049),
            "input_files: 8392704 bytes of paths; at most 8388608 in all; join small files first");
  EXPECT_EQ(both(1, Limits::kPathBytes + 1, 1),
            "input_files[0]: is 4097 bytes long; at most 4096 bytes");
  EXPECT_EQ(both(1, 2, Limits::kPieces + 1),
            "splits: number of splits: 1000001 is out of range; 1 to 1000000; use larger splits");
}

TEST(SubmissionLimits, OfShippedFiles) {
  TemporaryDirectory dir;
  const auto both = [&](std::size_t files, std::size_t bytes) {
    SubmitOptions options = good_options();
    wire::JobSpec spec = good_spec();
    for (std::size_t i = 0; i < files; ++i) {
      wire::JobFile& file = spec.files.emplace_back();
      file.name = "f" + std::to_string(i);
      file.content.assign(bytes, 'x');
      options.files.push_back(dir.write(file.name, file.content));
    }
    const std::string refusal = by_the_jobtracker(spec);
    EXPECT_EQ(by_the_command_line([&] { job_spec_of(options); }), refusal);
    return refusal;
  };
  EXPECT_EQ(both(Limits::kFiles, 1), "taken");
  EXPECT_EQ(both(Limits::kFiles + 1, 1),
            "files: number of files: 101 is out of range; 0 to 100; ship an archive of them");
  EXPECT_EQ(both(4, Limits::kFileBytes), "taken");
  EXPECT_EQ(both(1, Limits::kFileBytes + 1),
            "files[0]: 'f0' has 1048577 bytes; at most 1048576 a file; put it where the trackers "
            "see it");
  EXPECT_EQ(both(5, Limits::kFileBytes),
            "files: have 5242880 bytes; at most 4194304 in all; put large ones where the trackers "
            "see them");
}

}  // namespace
}  // namespace weir::cli
