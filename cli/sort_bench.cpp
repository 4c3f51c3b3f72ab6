#include "cli/sort_bench.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "bench/sort/sort_program.h"
#include "bench/sort/sort_records.h"
#include "cli/benched_cluster.h"
#include "cli/exit_code.h"

namespace weir::cli {
namespace {

using Clock = std::chrono::steady_clock;

class SortBench {
 public:
  SortBench(const SortBenchOptions& options, InterruptScope& interrupt)
      : options_(options),
        interrupt_(interrupt),
        cluster_(
            {.directory = options.directory, .slots = options.slots, .reduce_slots = options.slots},
            interrupt),
        input_(cluster_.output("records")) {}

  void generate() {
    expected_ = bench::generate_records(
        input_, static_cast<std::uint64_t>(options_.bytes) / bench::kRecordBytes);
  }

  SortTurn turn(std::uint32_t number) {
    SortTurn turn;
    run_program(turn);
    run_job(number, turn);
    return turn;
  }

 private:
  void run_program(SortTurn& turn) {
    const std::string sorted = cluster_.output("sorted");
    bench::settle_disk(options_.directory);
    const auto times = bench::run_sort_program(
        {input_, sorted, cluster_.output(""), options_.memory_mb, options_.slots},
        [this] { return interrupt_.wait_ms(kPollMs); });
    turn.sort_seconds = times.seconds;
    turn.synced_sort_seconds = times.synced_seconds;
    turn.sort_cpu_seconds = times.cpu_seconds;
    check("sort", bench::sum_of_records(sorted));
    std::filesystem::remove(sorted);
  }

  void run_job(std::uint32_t number, SortTurn& turn) {
    const auto request = job(fmt::format("sort-{}", number));
    bench::settle_disk(options_.directory);
    const double cpu = cluster_.tracker_cpu() + cluster_.jobtracker_cpu();
    const auto start = Clock::now();
    wire::SubmitReply reply;
    cluster_.client().call([&](auto& c) { c.submit(reply, request); });
    cluster_.wait_for(reply.job);
    turn.job_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    turn.job_cpu_seconds = cluster_.tracker_cpu() + cluster_.jobtracker_cpu() - cpu;
    bench::RecordSum sum;
    for (std::uint32_t part = 0; part < options_.reduces; ++part)
      sum.add(bench::sum_of_records(fmt::format("{}/part-{:05}", request.spec.output, part)));
    check("the job", sum);
    std::filesystem::remove_all(request.spec.output);
  }

  wire::SubmitRequest job(const std::string& name) const {
    auto request = cluster_.request(name, "cat", 0);
    wire::JobSpec& spec = request.spec;
    spec.input_files = {input_};
    spec.__set_reducer("cat");
    spec.__set_reduces(static_cast<std::int32_t>(options_.reduces));
    spec.__set_sort_memory_mb(options_.memory_mb / (2 * options_.slots));
    if (!options_.codec.empty()) {
      spec.__set_conf({{"mapreduce.map.output.compress.codec", options_.codec}});
    }
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(input_));
    for (std::int64_t at = 0; at < size; at += options_.split_bytes) {
      wire::Split split;
      split.offset = at;
      split.length = std::min(options_.split_bytes, size - at);
      spec.splits.push_back(split);
    }
    return request;
  }

  void check(const char* who, const bench::RecordSum& sum) const {
    if (sum == expected_) return;
    throw CliFailure(
        kExitNotSo,
        fmt::format("{} sorted wrongly: {} records of {}, {} of them out of order, checksum {}",
                    who, sum.records, expected_.records, sum.unsorted,
                    sum.checksum == expected_.checksum ? "the same" : "another"));
  }

  static constexpr std::int64_t kPollMs = 5;
  const SortBenchOptions& options_;
  InterruptScope& interrupt_;
  BenchedCluster cluster_;
  std::string input_;
  bench::RecordSum expected_;
};

}  // namespace

std::vector<SortTurn> bench_sort(const SortBenchOptions& options, InterruptScope& interrupt,
                                 const std::function<void(const std::string&)>& says) {
  try {
    SortBench bench(options, interrupt);
    says(fmt::format("generating {} records", options.bytes / std::int64_t{bench::kRecordBytes}));
    bench.generate();
    std::vector<SortTurn> turns;
    for (std::uint32_t turn = 0; turn < options.turns; ++turn) {
      says(fmt::format("turn {} of {}", turn + 1, options.turns));
      turns.push_back(bench.turn(turn));
    }
    return turns;
  } catch (const CliFailure&) {
    throw;
  } catch (const wire::WeirError& error) {
    throw CliFailure(kExitNotSo, error.message);
  } catch (const std::exception& error) {
    throw CliFailure(kExitNotSo, error.what());
  }
}

}  // namespace weir::cli
