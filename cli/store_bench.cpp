#include "cli/store_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ClientService.h"
#include "TrackerService.h"
#include "cli/benched_jobtracker.h"
#include "cli/exit_code.h"
#include "jobqueue/store/sqlite_store.h"
#include "report/percentile.h"
#include "thrift/convert.h"
#include "thrift/spec_codec.h"
#include "tracker/rpc/client.h"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kTrackers = 100;
constexpr std::int64_t kStartWithinMs = 300'000;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

wire::SubmitRequest a_small_job(std::uint32_t client, std::uint64_t number) {
  wire::SubmitRequest request;
  request.caller.user = fmt::format("user{}", client);
  request.spec.name = "bench";
  request.spec.queue = "default";
  request.spec.input_files = {"/data/in"};
  wire::Split split;
  split.file = 0;
  split.offset = 0;
  split.length = 1;
  request.spec.splits = {split};
  request.spec.output = fmt::format("/out/{}/{}", client, number);
  request.spec.mapper = "cat";
  request.spec.__set_reduces(0);
  return request;
}

struct Submitting {
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::vector<double> latencies_ms;
  std::string refusal;
};

void submit_in_a_loop(std::uint16_t port, std::uint32_t client, Submitting& shared) {
  std::vector<double> latencies;
  std::string refusal;
  try {
    auto calls =
        RpcConnection::create("127.0.0.1", port)->client<wire::ClientServiceClient>("client");
    for (std::uint64_t number = 0; !shared.stop; ++number) {
      const wire::SubmitRequest request = a_small_job(client, number);
      const auto start = Clock::now();
      calls.call([&](auto& c) {
        wire::SubmitReply reply;
        c.submit(reply, request);
      });
      latencies.push_back(1e3 * seconds_since(start));
    }
  } catch (const wire::WeirError& error) {
    refusal = error.message;
  } catch (const std::exception& error) {
    refusal = error.what();
  }
  const std::lock_guard lock(shared.mutex);
  shared.latencies_ms.insert(shared.latencies_ms.end(), latencies.begin(), latencies.end());
  if (!refusal.empty()) shared.refusal = refusal;
}

// Jobs that run, each with its part of the finished tasks and as many still to do.
void fill(Store& store, const StoreBenchOptions& options) {
  std::vector<Event> events;
  std::uint64_t seq = 0;
  const auto flush = [&] {
    if (const Status done = store.append(events); !done)
      throw CliFailure(kExitNotSo, done.error().message);
    events.clear();
  };
  const auto add = [&](Fact fact) {
    ++seq;
    events.push_back({seq, static_cast<TimeMs>(1'700'000'000'000 + seq), std::move(fact)});
    if (events.size() >= 20'000) flush();
  };
  const auto tracker = [](std::uint32_t i) { return fmt::format("tracker{:03}", i % kTrackers); };
  for (std::uint32_t i = 0; i < kTrackers; ++i)
    add(TrackerTotal{tracker(i), Resources{{8, 4, 0, 0}}});
  const auto counters = std::make_shared<const Counters>(
      Counters{{"weir", {{"input_bytes", 1'048'576}, {"output_bytes", 524'288}}}});
  std::uint64_t tasks = 0;
  for (std::uint32_t j = 1; j <= options.unfinished_jobs; ++j) {
    const std::uint64_t until =
        std::uint64_t{options.finished_tasks} * j / std::max(1u, options.unfinished_jobs);
    const auto done = static_cast<std::uint32_t>(until - tasks);
    tasks = until;
    auto spec = std::make_shared<JobSpec>();
    spec->name = fmt::format("bench {}", j);
    spec->user = fmt::format("user{}", j % 5);
    spec->queue = "default";
    spec->input_files = {"/data/in"};
    for (std::uint32_t t = 0; t < 2 * done + 1; ++t) spec->splits.push_back({0, t * 64, 64, {}});
    spec->output = fmt::format("/out/{}", j);
    spec->mapper = "cat";
    spec->reduces = 0;
    add(JobSubmitted{JobId(j), spec, "default"});
    add(JobStateChanged{JobId(j), JobState::kRunning, ""});
    for (std::uint32_t t = 0; t < done; ++t) {
      add(TaskSucceeded{{{JobId(j), TaskKind::kMap, t}, 0}, tracker(j + t), 1, 0, counters});
    }
  }
  flush();
}

// Registers and reports as every tracker there is, until one is given a task.
void report_until_launched(const BenchedJobTracker& jobtracker, Clock::time_point start,
                           RestartFigures* figures) {
  auto calls = RpcConnection::create("127.0.0.1", jobtracker.ports().tracker)
                   ->client<wire::TrackerServiceClient>();
  for (std::int64_t sequence = 1;; ++sequence) {
    for (std::uint32_t i = 0; i < kTrackers; ++i) {
      wire::Registration registration;
      registration.name = fmt::format("tracker{:03}", i);
      registration.incarnation = 1;
      registration.host = "127.0.0.1";
      registration.shuffle_port = 1;
      registration.total.__set_map_slots(8);
      registration.total.__set_reduce_slots(4);
      wire::Heartbeat report;
      report.name = registration.name;
      report.incarnation = 1;
      report.sequence = sequence;
      wire::HeartbeatReply reply;
      calls.call([&](auto& c) {
        wire::RegistrationReply registered;
        if (sequence == 1) c.register_tracker(registered, registration);
        c.heartbeat(reply, report);
      });
      if (sequence == 1 && i == 0) figures->heartbeat_seconds = seconds_since(start);
      if (reply.launch.empty()) continue;
      figures->launch_seconds = seconds_since(start);
      return;
    }
    if (seconds_since(start) > 1e-3 * kStartWithinMs)
      throw CliFailure(kExitNotSo, "no task was launched after the restart");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

SubmissionFigures bench_submissions(const StoreBenchOptions& options, InterruptScope& interrupt) {
  BenchedJobTracker jobtracker(options.directory, "", interrupt);
  jobtracker.start();
  Submitting shared;
  const auto start = Clock::now();
  std::vector<std::jthread> clients;
  for (std::uint32_t i = 0; i < options.clients; ++i) {
    clients.emplace_back([&, i] { submit_in_a_loop(jobtracker.ports().client, i, shared); });
  }
  const bool interrupted = interrupt.wait_ms(static_cast<std::int64_t>(1e3 * options.seconds));
  shared.stop = true;
  clients.clear();
  SubmissionFigures figures;
  figures.seconds = seconds_since(start);
  if (interrupted) throw CliFailure(kExitInterrupted, "interrupted");
  if (!shared.refusal.empty())
    throw CliFailure(kExitNotSo, "a submission was refused: " + shared.refusal);
  std::sort(shared.latencies_ms.begin(), shared.latencies_ms.end());
  figures.acknowledged = shared.latencies_ms.size();
  figures.per_second = static_cast<double>(figures.acknowledged) / figures.seconds;
  figures.p50_ms = report::percentile(shared.latencies_ms, 50);
  figures.p99_ms = report::percentile(shared.latencies_ms, 99);
  return figures;
}

RestartFigures bench_restart(const StoreBenchOptions& options, InterruptScope& interrupt) {
  BenchedJobTracker jobtracker(options.directory, "", interrupt);
  {
    auto store = open_sqlite_store(jobtracker.store(), {encode_job_spec, decode_job_spec});
    if (!store) throw CliFailure(kExitNotSo, store.error().message);
    if (auto epoch = (*store)->load(); !epoch) throw CliFailure(kExitNotSo, epoch.error().message);
    fill(**store, options);
  }
  RestartFigures figures;
  figures.store_mb = static_cast<double>(fs::file_size(jobtracker.store())) / 1e6;
  const auto start = Clock::now();
  jobtracker.start();
  report_until_launched(jobtracker, start, &figures);
  figures.resident_mb = jobtracker.resident_mb();
  return figures;
}

}  // namespace weir::cli
