// The JobTracker as commands see it: a method for each question and each command, over one
// connection that is made at the first. Answers are views; a command's is the version that shows
// its effect. What the JobTracker refuses comes out as Refused, an unreachable one as
// RpcUnreachable; run_cli turns both into a line and an exit code (unreachable() has the line). One
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/exit_code.h"
#include "jobqueue/model/terms.h"
#include "tracker/rpc/client.h"
#include "views/asked_view.h"
#include "views/attempt_view.h"
#include "views/job_view.h"
#include "views/policy_view.h"
#include "views/queue_view.h"
#include "views/server_view.h"
#include "views/settings_view.h"
#include "views/tracker_view.h"

namespace weir::cli {

// Which jobs to list; what is empty does not matter, what is there must all be so.
struct JobsWanted {
  std::string queue;  // and all below it
  std::string user;
  std::string name;                 // a pattern
  std::vector<std::string> states;  // any of these
  bool unfinished_only = true;
  std::int32_t limit = 0;  // 0: 1,000
};

// Likewise of those that are over.
struct HistoryWanted {
  std::string queue;
  std::string user;
  std::string name;                       // a pattern
  std::vector<std::string> states;        // any of these
  std::optional<std::int64_t> since_ms;   // ended then or later
  std::optional<std::int64_t> before_ms;  // ended earlier than that
  std::int32_t limit = 0;
};

// Settings, by name (for messages) and text.
struct NamedSettings {
  std::string name;
  std::string text;
  std::optional<std::int64_t> replaces = std::nullopt;  // applied only while those are in force
};

class Calls;  // the connection itself (calls.h)

class JobTracker {
 public:
  using Version = std::int64_t;

  explicit JobTracker(const Context& context) : JobTracker(jobtracker_address(context)) {}
  explicit JobTracker(const std::string& address);  // refused (exit code 2) if it is no HOST:PORT
  ~JobTracker();
  JobTracker(const JobTracker&) = delete;
  JobTracker& operator=(const JobTracker&) = delete;

  const std::string& address() const { return address_; }
  Calls& calls() { return *calls_; }

  // --- Questions. Lists are asked for page by page, where they may be longer than a frame. ---
  JobView job(std::int64_t job, Version at_least = 0);
  // Whole for its user alone; UNKNOWN_JOB also where it is not kept any more.
  AskedView asked(const std::string& user, std::int64_t job);
  ExplanationView explain(std::int64_t job);
  std::vector<AttemptView> attempts(std::int64_t job);
  std::vector<JobView> unfinished_jobs();  // the newest 1,000
  std::vector<JobView> jobs(const JobsWanted& wanted);
  std::vector<JobView> history(const HistoryWanted& wanted);
  std::vector<QueueView> queues();
  std::vector<QueueView> queue(const std::string& name);
  std::vector<TrackerView> trackers();
  PolicyView policy();
  ServerView server();
  SettingsDiffView diff(const NamedSettings& settings);
  std::string settings_text();
  std::string settings_of(std::int64_t number);
  std::vector<SettingsRecordView> settings_history();
  SettingsFileView followed_file();
  std::vector<SettingView> settings_in_force();

  // --- Commands, with who asks ---
  Version kill_job(const Caller& who, std::int64_t job);
  Version set_priority(const Caller& who, std::int64_t job, const std::string& priority);
  Version move_job(const Caller& who, std::int64_t job, const std::string& queue);
  Version release_job(const Caller& who, std::int64_t job);
  Version set_queue_state(const Caller& who, const std::string& queue, bool running);
  Version order_trackers(const Caller& who, const std::vector<std::string>& trackers,
                         TrackerOrder order, const std::string& reason);
  Version lose_trackers(const Caller& who, const std::vector<std::string>& trackers,
                        const std::string& reason);
  Version forget_trackers(const Caller& who, const std::vector<std::string>& trackers);
  Version set_policy(const Caller& who, const std::string& policy);
  Version apply(const Caller& who, const NamedSettings& settings);

 private:
  std::string address_;
  std::unique_ptr<Calls> calls_;
};

CliFailure unreachable(const std::string& address, const RpcUnreachable& error);

}  // namespace weir::cli
