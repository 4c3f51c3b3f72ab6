#include "thrift/wire_tracker.h"

#include <algorithm>
#include <utility>

#include "jobqueue/model/tracker_name.h"
#include "jobqueue/model/submission_limits.h"
#include "thrift/spec_check.h"
#include "thrift/wire_error.h"
#include "thrift/wire_job.h"

namespace weir {
namespace {

// Not in the middle of a character: clients in other languages refuse text that is no UTF-8.
std::string trimmed(std::string text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text;
}

std::shared_ptr<const Counters> counters_from_wire(const wire::Counters& counters) {
  auto out = std::make_shared<Counters>();
  std::size_t count = 0;
  for (const auto& [group, values] : counters) {
    if (group.size() > ReportLimits::kCounterNameBytes) continue;
    for (const auto& [counter, value] : values) {
      if (counter.size() > ReportLimits::kCounterNameBytes) continue;
      if (++count > ReportLimits::kCounters) return out;
      (*out)[group][counter] = value;
    }
  }
  return out;
}

// A secret, so an error does not repeat it.
Status check_key(const std::string& key) {
  if (key.size() <= SubmissionLimits::kNameBytes) return Ok{};
  return bad_request("key: " + std::to_string(key.size()) + " bytes",
                     "at most " + std::to_string(SubmissionLimits::kNameBytes));
}

// What a tracker offers by name.
Status check_amounts(const std::map<std::string, std::int64_t>& named) {
  if (named.size() > ReportLimits::kNamed) {
    return out_of_range("total.named: number of resources", static_cast<std::int64_t>(named.size()),
                        0, ReportLimits::kNamed);
  }
  for (const auto& [resource, amount] : named) {
    const std::string field = "total.named[" + resource.substr(0, 64) + "]";
    if (Status s = check_text(field, resource, {SubmissionLimits::kNameBytes}); !s) return s;
    if (Status s = check_range(field, amount, 0, TrackerLimits::kSlots); !s) return s;
  }
  return Ok{};
}

Status check_labels(const std::map<std::string, std::string>& labels) {
  if (labels.size() > ReportLimits::kLabels) {
    return out_of_range("labels: number of labels", static_cast<std::int64_t>(labels.size()), 0,
                        ReportLimits::kLabels);
  }
  const TextRule text{SubmissionLimits::kNameBytes};
  for (const auto& [label, value] : labels) {
    if (Status s = check_text("labels", label, text); !s) return s;
    if (Status s = check_text("labels[" + label + "]", value, text); !s) return s;
    if (label == "name" || label == "rack") {
      return bad_request("labels[" + label + "]: every tracker has it",
                         "other labels than name and rack");
    }
  }
  return Ok{};
}

// Granted by the JobTracker, so few; what cannot be is left out.
std::shared_ptr<const Units> units_from_wire(
    const std::map<std::string, std::vector<std::int32_t>>& units) {
  auto out = std::make_shared<Units>();
  for (const auto& [resource, numbers] : units) {
    if (out->size() == ReportLimits::kNamed) break;
    std::vector<std::uint32_t>& read = (*out)[resource.substr(0, SubmissionLimits::kNameBytes)];
    for (const std::int32_t number : numbers) {
      if (number >= 0 && read.size() < ReportLimits::kUnits)
        read.push_back(static_cast<std::uint32_t>(number));
    }
  }
  return out;
}

using Ports = std::vector<std::uint16_t>;

// What is no port is none.
std::shared_ptr<const Ports> ports_from_wire(const std::vector<std::int32_t>& ports) {
  auto out = std::make_shared<Ports>();
  for (const std::int32_t port : ports) {
    if (out->size() == SubmissionLimits::kPortsPerTask) break;
    if (port > 0 && port <= UINT16_MAX) out->push_back(static_cast<std::uint16_t>(port));
  }
  return out;
}

std::map<std::string, std::vector<std::int32_t>> units_to_wire(const Units& units) {
  std::map<std::string, std::vector<std::int32_t>> out;
  for (const auto& [resource, numbers] : units) {
    for (const std::uint32_t number : numbers)
      out[resource].push_back(static_cast<std::int32_t>(number));
  }
  return out;
}

}  // namespace

wire::Grant to_wire(const Grant& grant) {
  wire::Grant out;
  out.container = to_wire(grant.container);
  if (!grant.units.empty()) out.__set_units(units_to_wire(grant.units));
  if (grant.ports > 0) out.__set_ports(static_cast<std::int32_t>(grant.ports));
  if (grant.peers) out.__set_peers(true);
  return out;
}

std::shared_ptr<const Grant> from_wire(const wire::Grant& grant) {
  auto out = std::make_shared<Grant>();
  out->container[Dimension::kMemoryMb] = grant.container.memory_mb;
  out->container[Dimension::kVcores] = grant.container.vcores;
  out->units = *units_from_wire(grant.units);
  out->ports = static_cast<std::uint32_t>(std::max(grant.ports, 0));
  out->peers = grant.__isset.peers && grant.peers;
  return out;
}

Result<AttemptReport> from_wire(const wire::AttemptStatus& status) {
  const auto attempt = from_wire(status.id);
  if (!attempt) return attempt.error();
  // Made only where it is needed: there are many statuses, and hardly ever one that is refused.
  const auto where = [&attempt] { return attempt_name(*attempt); };
  if (status.state < wire::AttemptState::RUNNING || status.state > wire::AttemptState::KILLED) {
    return bad_request(where() + ": state " + std::to_string(status.state) + " is none",
                       "0 (RUNNING) to 4 (KILLED)");
  }
  if (status.phase < wire::TaskPhase::STARTING || status.phase > wire::TaskPhase::COMMIT) {
    return bad_request(where() + ": phase " + std::to_string(status.phase) + " is none",
                       "0 (STARTING) to 5 (COMMIT)");
  }
  AttemptReport out;
  out.attempt = *attempt;
  out.state = static_cast<ReportedState>(status.state);
  out.progress_millionths = std::clamp(status.progress_millionths, 0, 1'000'000);
  out.phase = static_cast<TaskPhase>(status.phase);
  if (status.__isset.age_ms) out.age_ms = std::max<std::int64_t>(0, status.age_ms);
  out.started_at_ms = status.started_at_ms;
  out.finished_at_ms = status.finished_at_ms;
  out.compute_granted = !status.__isset.compute_granted || status.compute_granted;
  out.status = status.status;
  out.diagnostics = status.diagnostics;
  if (status.__isset.counters) out.counters = counters_from_wire(status.counters);
  if (status.__isset.units) out.units = units_from_wire(status.units);
  if (status.__isset.ports) out.ports = ports_from_wire(status.ports);
  out.fetch_failures.reserve(status.fetch_failures.size());
  for (const wire::FetchFailure& failure : status.fetch_failures) {
    if (failure.map_index < 0 || failure.map_attempt < 0) {
      return bad_request(where() + ": fetch_failures: a negative number", "numbers from 0 on");
    }
    out.fetch_failures.push_back({static_cast<std::uint32_t>(failure.map_index),
                                  static_cast<std::uint32_t>(failure.map_attempt)});
  }
  return out;
}

Result<RegisterTracker> from_wire(const wire::Registration& registration) {
  if (Status s = check_tracker_name("name", registration.name); !s) return s.error();
  if (Status s = check_text("host", registration.host, {SubmissionLimits::kNameBytes}); !s) {
    return s.error();
  }
  if (registration.shuffle_port < 0 || registration.shuffle_port > 65535) {
    return bad_request("shuffle_port: " + std::to_string(registration.shuffle_port) + " is none",
                       "0 to 65535");
  }
  const auto total = from_wire(registration.total);
  if (!total) return total.error();
  RegisterTracker out;
  out.name = registration.name;
  out.incarnation = registration.incarnation;
  out.host = registration.host;
  out.shuffle_port = registration.shuffle_port;
  out.total = *total;
  if (!registration.rack.empty()) {
    if (Status s = check_text("rack", registration.rack, {SubmissionLimits::kNameBytes}); !s) {
      return s.error();
    }
    out.rack = registration.rack;
  }
  if (registration.local_paths.size() > ReportLimits::kLocalPaths) {
    return bad_request("local_paths: " + std::to_string(registration.local_paths.size()) + " paths",
                       "at most " + std::to_string(ReportLimits::kLocalPaths));
  }
  for (const std::string& path : registration.local_paths) {
    if (Status s = check_text("local_paths", path, {SubmissionLimits::kPathBytes}); !s)
      return s.error();
  }
  out.local_paths = registration.local_paths;
  // Shown and nothing else: more than there is room for is no reason to refuse a tracker.
  for (const std::string& line : registration.protections) {
    if (out.protections.size() == ReportLimits::kProtections) break;
    out.protections.push_back(line.substr(0, ReportLimits::kProtectionBytes));
  }
  if (!registration.home.empty()) {
    if (Status s = check_text("home", registration.home, {SubmissionLimits::kNameBytes}); !s) {
      return s.error();
    }
    out.home = registration.home;
  }
  if (Status s = check_key(registration.key); !s) return s.error();
  out.key = registration.key;
  out.ended_in_order = registration.__isset.ended_in_order && registration.ended_in_order;
  out.reported = std::max<std::int64_t>(registration.reported, 0);
  out.named = registration.total.named;
  if (Status s = check_amounts(out.named); !s) return s.error();
  if (Status s = check_labels(registration.labels); !s) return s.error();
  out.labels = registration.labels;
  if (Status s = check_range("ports", registration.ports, 0, 65535); !s) return s.error();
  out.port_count = static_cast<std::uint32_t>(registration.ports);
  return out;
}

Result<Heartbeat> from_wire(const wire::Heartbeat& report) {
  if (Status s = check_tracker_name("name", report.name); !s) return s.error();
  if (Status s = check_key(report.key); !s) return s.error();
  Heartbeat out;
  out.name = report.name;
  out.incarnation = report.incarnation;
  out.key = report.key;
  out.sequence = report.sequence;
  out.attempts.reserve(report.attempts.size());
  for (const wire::AttemptStatus& status : report.attempts) {
    auto attempt = from_wire(status);
    if (!attempt) return attempt.error();
    attempt->status = trimmed(std::move(attempt->status), ReportLimits::kStatusBytes);
    attempt->diagnostics =
        trimmed(std::move(attempt->diagnostics), ReportLimits::kDiagnosticsBytes);
    out.attempts.push_back(std::move(*attempt));
  }
  if (report.__isset.total) {
    const auto total = from_wire(report.total);
    if (!total) return total.error();
    out.total = *total;
    if (report.total.__isset.named) {
      if (Status s = check_amounts(report.total.named); !s) return s.error();
      out.named = report.total.named;
    }
  }
  if (report.__isset.free_disk_mb) {
    out.free_disk_mb = std::max<std::int64_t>(report.free_disk_mb, 0);
  }
  out.accepts_tasks = report.accepts_tasks;
  out.low_disk = report.low_disk;
  out.leaving = report.leaving;
  out.load_millionths = std::max(report.load_millionths, 0);
  for (const std::int64_t held : report.held_jobs) {
    const auto job = job_from_wire(held);
    if (!job) return job.error();
    out.held_jobs.push_back(*job);
  }
  for (const wire::DutyReport& duty : report.duties) {
    const auto job = job_from_wire(duty.job);
    if (!job) return job.error();
    out.duties.push_back({*job, duty.ok, trimmed(duty.message, ReportLimits::kDiagnosticsBytes),
                          duty.__isset.succeed ? std::optional(duty.succeed) : std::nullopt,
                          duty.__isset.elsewhere && duty.elsewhere});
  }
  out.health = trimmed(report.health, ReportLimits::kStatusBytes);
  return out;
}

wire::Registration to_wire(const RegisterTracker& registration) {
  wire::Registration out;
  out.name = registration.name;
  out.incarnation = registration.incarnation;
  out.host = registration.host;
  out.shuffle_port = registration.shuffle_port;
  out.total = to_wire(registration.total);
  if (!registration.rack.empty()) out.__set_rack(registration.rack);
  out.__set_local_paths(registration.local_paths);
  out.__set_protections(registration.protections);
  if (!registration.home.empty()) out.__set_home(registration.home);
  if (!registration.key.empty()) out.__set_key(registration.key);
  if (registration.ended_in_order) out.__set_ended_in_order(true);
  if (registration.reported > 0) out.__set_reported(registration.reported);
  if (!registration.named.empty()) out.total.__set_named(registration.named);
  if (!registration.labels.empty()) out.__set_labels(registration.labels);
  if (registration.port_count > 0)
    out.__set_ports(static_cast<std::int32_t>(registration.port_count));
  return out;
}

wire::AttemptStatus to_wire(const AttemptReport& report) {
  wire::AttemptStatus out;
  out.id = to_wire(report.attempt);
  out.state = static_cast<wire::AttemptState::type>(report.state);
  out.progress_millionths = report.progress_millionths;
  out.phase = static_cast<wire::TaskPhase::type>(report.phase);
  if (!report.status.empty()) out.__set_status(report.status);
  if (!report.diagnostics.empty()) out.__set_diagnostics(report.diagnostics);
  if (report.counters) out.__set_counters(*report.counters);
  for (const FetchFailure& failure : report.fetch_failures) {
    wire::FetchFailure& told = out.fetch_failures.emplace_back();
    told.map_index = static_cast<std::int32_t>(failure.map);
    told.map_attempt = static_cast<std::int32_t>(failure.map_attempt);
    out.__isset.fetch_failures = true;
  }
  if (report.started_at_ms != 0) out.__set_started_at_ms(report.started_at_ms);
  if (report.finished_at_ms != 0) out.__set_finished_at_ms(report.finished_at_ms);
  if (!report.compute_granted) out.__set_compute_granted(false);
  out.__set_age_ms(report.age_ms);
  if (report.units) out.__set_units(units_to_wire(*report.units));
  if (report.ports) out.__set_ports({report.ports->begin(), report.ports->end()});
  return out;
}

wire::Heartbeat to_wire(const Heartbeat& report) {
  wire::Heartbeat out;
  out.name = report.name;
  out.incarnation = report.incarnation;
  if (!report.key.empty()) out.__set_key(report.key);
  out.sequence = report.sequence;
  out.attempts.reserve(report.attempts.size());
  for (const AttemptReport& attempt : report.attempts) out.attempts.push_back(to_wire(attempt));
  if (report.total) out.__set_total(to_wire(*report.total));
  if (report.total && report.named) out.total.__set_named(*report.named);
  if (report.free_disk_mb >= 0) out.__set_free_disk_mb(report.free_disk_mb);
  out.__set_accepts_tasks(report.accepts_tasks);
  if (report.low_disk) out.__set_low_disk(true);
  if (report.leaving) out.__set_leaving(true);
  out.__set_load_millionths(report.load_millionths);
  std::vector<std::int64_t> held;
  for (const JobId job : report.held_jobs) held.push_back(job.value);
  out.__set_held_jobs(held);
  std::vector<wire::DutyReport> duties(report.duties.size());
  for (std::size_t i = 0; i < duties.size(); ++i) {
    duties[i].job = report.duties[i].job.value;
    duties[i].ok = report.duties[i].ok;
    if (report.duties[i].elsewhere) duties[i].__set_elsewhere(true);
    if (report.duties[i].succeed) duties[i].__set_succeed(*report.duties[i].succeed);
    if (!report.duties[i].message.empty()) duties[i].__set_message(report.duties[i].message);
  }
  out.__set_duties(duties);
  if (!report.health.empty()) out.__set_health(report.health);
  return out;
}

}  // namespace weir
