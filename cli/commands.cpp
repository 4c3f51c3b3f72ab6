// What the JobTracker is told to do.
#include "cli/calls.h"
#include "cli/connection.h"
#include "thrift/wire_job.h"

namespace weir::cli {

using Version = JobTracker::Version;

Version JobTracker::kill_job(const Caller& who, std::int64_t job) {
  wire::Done done;
  calls_->client([&](auto& client) { client.kill_job(done, to_wire(who), job); });
  return done.version;
}

Version JobTracker::set_priority(const Caller& who, std::int64_t job,
                                 const std::string& priority) {
  wire::Done done;
  calls_->client([&](auto& client) { client.set_priority(done, to_wire(who), job, priority); });
  return done.version;
}

Version JobTracker::move_job(const Caller& who, std::int64_t job, const std::string& queue) {
  wire::Done done;
  calls_->client([&](auto& client) { client.move_job(done, to_wire(who), job, queue); });
  return done.version;
}

Version JobTracker::release_job(const Caller& who, std::int64_t job) {
  wire::Done done;
  calls_->client([&](auto& client) { client.release_job(done, to_wire(who), job); });
  return done.version;
}

Version JobTracker::set_queue_state(const Caller& who, const std::string& queue, bool running) {
  wire::Done done;
  calls_->admin([&](auto& admin) { admin.set_queue_state(done, to_wire(who), queue, running); });
  return done.version;
}

Version JobTracker::order_trackers(const Caller& who, const std::vector<std::string>& trackers,
                                   TrackerOrder order, const std::string& reason) {
  wire::Done done;
  const auto wanted = static_cast<wire::TrackerOrder::type>(order);  // the same numbers
  calls_->admin([&](auto& admin) {
    admin.order_trackers(done, to_wire(who), trackers, wanted, reason);
  });
  return done.version;
}

Version JobTracker::lose_trackers(const Caller& who, const std::vector<std::string>& trackers,
                                  const std::string& reason) {
  wire::Done done;
  calls_->admin([&](auto& admin) { admin.lose_trackers(done, to_wire(who), trackers, reason); });
  return done.version;
}

Version JobTracker::forget_trackers(const Caller& who, const std::vector<std::string>& trackers) {
  wire::Done done;
  calls_->admin([&](auto& admin) { admin.forget_trackers(done, to_wire(who), trackers); });
  return done.version;
}

Version JobTracker::set_policy(const Caller& who, const std::string& policy) {
  wire::Done done;
  calls_->admin([&](auto& admin) { admin.set_policy(done, to_wire(who), policy); });
  return done.version;
}

Version JobTracker::apply(const Caller& who, const NamedSettings& settings) {
  wire::SettingsFile file;
  file.name = settings.name;
  file.text = settings.text;
  if (settings.replaces) file.__set_replaces(*settings.replaces);
  wire::Done done;
  calls_->admin([&](auto& admin) { admin.apply_settings(done, to_wire(who), file); });
  return done.version;
}

}  // namespace weir::cli
