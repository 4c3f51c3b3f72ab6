// A JobTracker and one TaskTracker of this very binary, to run real jobs on: made in a directory of
// its own with an input file of short lines, and gone with the object. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ClientService.h"
#include "cli/benched_jobtracker.h"
#include "tracker/rpc/client.h"

namespace weir::cli {

struct BenchedClusterOptions {
  std::string directory;  // existing
  std::uint32_t slots = 64, reduce_slots = 0;
  bool out_of_band = true;  // heartbeats as soon as a task has ended
};

class BenchedCluster {
 public:
  // Returns once the tracker has registered.
  BenchedCluster(const BenchedClusterOptions& options, InterruptScope& interrupt);
  ~BenchedCluster();
  BenchedCluster(const BenchedCluster&) = delete;
  BenchedCluster& operator=(const BenchedCluster&) = delete;

  using Client = RpcClient<wire::ClientServiceClient>;
  Client client() const;
  // Map-only, every map with a line of the input.
  wire::SubmitRequest request(const std::string& name, const std::string& command,
                              std::uint32_t maps) const;
  std::string output(const std::string& name) const { return jobtracker_.file(name); }
  // Until it has SUCCEEDED; throws CliFailure if it has not.
  void wait_for(std::int64_t job);
  // Until so many have; likewise.
  void wait_for_jobs(std::int64_t jobs);

  double jobtracker_cpu() const { return jobtracker_.cpu_seconds(); }
  // With that of attempts' processes that have ended.
  double tracker_cpu() const { return cpu_seconds_of(tracker_->pid, true); }
  // Until all have, which is a moment after their job.
  void wait_for_processes();

 private:
  void pause();  // throws CliFailure when interrupted, or when the tracker is gone

  InterruptScope& interrupt_;
  BenchedJobTracker jobtracker_;
  std::optional<LocalProcess> tracker_;
  std::optional<Client> calls_;
};

}  // namespace weir::cli
