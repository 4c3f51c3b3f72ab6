#include "cli/benched_cluster.h"

#include <fmt/format.h>

#include <fstream>

#include "cli/exit_code.h"
#include "tracker/tasktracker/process_table.h"

namespace weir::cli {
namespace {

constexpr std::int64_t kPollMs = 5;
constexpr std::int64_t kRegisterWithinMs = 30'000;
constexpr std::uint32_t kMostMaps = 100'000;
constexpr std::string_view kLine = "x\n";

std::string settings_for(const BenchedClusterOptions& options) {
  std::string yaml =
      "finished_jobs_at_most: 1000\n"
      "queues: [{name: default, submit: '*', administer: '*', max_jobs: 1000000}]\n";
  // One early heartbeat a second comes later than the regular one.
  if (!options.out_of_band) yaml += "heartbeat: {out_of_band_per_second: 1}\n";
  return yaml;
}

}  // namespace

BenchedCluster::BenchedCluster(const BenchedClusterOptions& options, InterruptScope& interrupt)
    : interrupt_(interrupt), jobtracker_(options.directory, settings_for(options), interrupt) {
  jobtracker_.start();
  {
    std::ofstream input(jobtracker_.file("input"));
    for (std::uint32_t line = 0; line < kMostMaps; ++line) input << kLine;
  }
  tracker_ =
      spawn({"/proc/self/exe",
             "tracker",
             {"tracker", "--jobtracker", fmt::format("127.0.0.1:{}", jobtracker_.ports().client),
              "--name", "bench", "--map-slots", std::to_string(options.slots), "--reduce-slots",
              std::to_string(options.reduce_slots), "--work-dir", jobtracker_.file("work")},
             jobtracker_.file(""),
             jobtracker_.file("tracker.log")},
            interrupt);
  calls_ = client();
  for (std::int64_t waited_ms = 0; waited_ms < kRegisterWithinMs; waited_ms += kPollMs) {
    std::vector<wire::TrackerStatus> trackers;
    calls_->call([&](auto& c) { c.trackers(trackers); });
    if (!trackers.empty() && trackers[0].state == "LIVE") return;
    pause();
  }
  stop_processes({*tracker_}, 1'000);
  throw CliFailure(kExitNotSo, "the tracker did not register");
}

BenchedCluster::~BenchedCluster() {
  if (tracker_) stop_processes({*tracker_}, 20'000);
}

BenchedCluster::Client BenchedCluster::client() const {
  return RpcConnection::create("127.0.0.1", jobtracker_.ports().client)
      ->client<wire::ClientServiceClient>("client");
}

wire::SubmitRequest BenchedCluster::request(const std::string& name, const std::string& command,
                                            std::uint32_t maps) const {
  wire::SubmitRequest request;
  request.caller.user = "bench";
  request.spec.name = name;
  request.spec.queue = "default";
  request.spec.input_files = {jobtracker_.file("input")};
  request.spec.output = output(name);
  request.spec.mapper = command;
  request.spec.__set_reduces(0);
  wire::Split split;
  split.file = 0;
  split.length = static_cast<std::int64_t>(kLine.size());
  request.spec.splits.reserve(maps);
  for (std::uint32_t map = 0; map < maps; ++map) {
    split.offset = split.length * (map % kMostMaps);
    request.spec.splits.push_back(split);
  }
  return request;
}

void BenchedCluster::pause() {
  if (!alive(*tracker_)) throw CliFailure(kExitNotSo, "the tracker " + how_it_ended(*tracker_));
  if (interrupt_.wait_ms(kPollMs)) throw CliFailure(kExitInterrupted, "interrupted");
}

void BenchedCluster::wait_for(std::int64_t job) {
  for (;; pause()) {
    wire::JobStatus status;
    calls_->call([&](auto& c) { c.job_status(status, job, 0); });
    if (status.state == "SUCCEEDED") return;
    if (status.state == "FAILED" || status.state == "KILLED")
      throw CliFailure(kExitNotSo,
                       fmt::format("{} {}: {}", status.job_name, status.state, status.diagnostics));
  }
}

void BenchedCluster::wait_for_processes() {
  constexpr std::size_t kStarter = 1;  // of attempts' processes
  while (tasktracker::children_of(tracker_->pid).size() > kStarter) pause();
}

void BenchedCluster::wait_for_jobs(std::int64_t jobs) {
  for (;; pause()) {
    std::vector<wire::QueueStatus> queues;
    calls_->call([&](auto& c) { c.queues(queues, "default", 0); });
    const wire::QueueStatus& queue = queues.at(0);
    if (queue.jobs_failed + queue.jobs_killed > 0)
      throw CliFailure(kExitNotSo, fmt::format("{} of the jobs did not succeed",
                                               queue.jobs_failed + queue.jobs_killed));
    if (queue.jobs_succeeded >= jobs) return;
  }
}

}  // namespace weir::cli
