// What the JobTracker answers its trackers, there and back. It is taken as it is; an order for what
// no tracker can hold is left out.
#include <algorithm>
#include <utility>

#include "thrift/wire_error.h"
#include "thrift/wire_job.h"
#include "thrift/wire_tracker.h"

namespace weir {
namespace {

std::vector<AttemptKey> attempts_from_wire(const std::vector<wire::AttemptId>& ids) {
  std::vector<AttemptKey> out;
  out.reserve(ids.size());
  for (const wire::AttemptId& id : ids) {
    if (const auto attempt = from_wire(id)) out.push_back(*attempt);
  }
  return out;
}

std::uint32_t count_from_wire(std::int32_t count) {
  return static_cast<std::uint32_t>(std::max(count, 0));
}

}  // namespace

wire::RegistrationReply to_wire(const Registered& reply) {
  wire::RegistrationReply out;
  out.interval_ms = reply.interval_ms;
  return out;
}

wire::HeartbeatReply to_wire(const HeartbeatReply& reply) {
  wire::HeartbeatReply out;
  out.interval_ms = reply.interval_ms;
  out.launch.resize(reply.launch.size());
  for (std::size_t i = 0; i < reply.launch.size(); ++i) {
    const Launch& launch = reply.launch[i];
    out.launch[i].id = to_wire(launch.attempt);
    // Without hosts: the tracker reads files by their paths.
    if (launch.split) out.launch[i].__set_split(to_wire_without_hosts(*launch.split));
    out.launch[i].__set_compute_granted(launch.compute_granted);
    if (launch.grant) out.launch[i].__set_grant(to_wire(*launch.grant));
  }
  const auto copy = [](const std::vector<AttemptKey>& from, std::vector<wire::AttemptId>* to) {
    to->reserve(from.size());
    for (const AttemptKey& attempt : from) to->push_back(to_wire(attempt));
  };
  copy(reply.kill, &out.kill);
  copy(reply.commit, &out.commit);
  copy(reply.acknowledged, &out.acknowledged);
  if (!reply.compute_granted.empty()) {
    copy(reply.compute_granted, &out.compute_granted);
    out.__isset.compute_granted = true;
  }
  for (const JobId job : reply.drop_jobs) out.drop_jobs.push_back(job.value);
  out.duties.resize(reply.duties.size());
  for (std::size_t i = 0; i < reply.duties.size(); ++i) {
    out.duties[i].job = reply.duties[i].job.value;
    out.duties[i].succeed = reply.duties[i].succeed;
    out.duties[i].output = reply.duties[i].output;
    out.duties[i].__set_owner(reply.duties[i].owner);
    out.duties[i].__set_parts(reply.duties[i].parts);
    out.duties[i].__set_user(reply.duties[i].user);
  }
  out.__set_out_of_band_gap_ms(reply.out_of_band_gap_ms);
  if (!reply.leave.empty()) out.__set_leave(reply.leave);
  return out;
}

wire::JobDescription to_wire(const JobDescription& reply) {
  wire::JobDescription out;
  out.job = reply.job.value;
  out.job_name = job_name(reply.job);
  out.user = reply.spec->user;
  out.spec = to_wire_without_splits(*reply.spec);
  out.maps = static_cast<std::int32_t>(reply.spec->tasks(TaskKind::kMap));
  out.__set_owner(reply.owner);
  return out;
}

wire::Peers to_wire(const GangPeers& reply) {
  wire::Peers out;
  out.complete = reply.complete;
  out.next_from = static_cast<std::int32_t>(reply.next);
  out.members = static_cast<std::int32_t>(reply.members);
  for (const GangPeer& peer : reply.peers) {
    wire::Peer& told = out.peers.emplace_back();
    told.group = peer.group;
    told.index = static_cast<std::int32_t>(peer.index);
    told.host = peer.host;
    told.ports = {peer.ports.begin(), peer.ports.end()};
  }
  return out;
}

wire::MapOutputs to_wire(const MapOutputs& reply) {
  wire::MapOutputs out;
  out.__set_list_id(reply.list_id);
  out.outputs.resize(reply.outputs.size());
  for (std::size_t i = 0; i < reply.outputs.size(); ++i) {
    const MapOutput& from = reply.outputs[i];
    wire::MapOutput& to = out.outputs[i];
    to.map_index = static_cast<std::int32_t>(from.map);
    to.attempt = static_cast<std::int32_t>(from.attempt);
    to.obsolete = from.obsolete;
    to.host = from.host;
    to.port = from.port;
  }
  out.next_from = static_cast<std::int32_t>(reply.next);
  out.maps = static_cast<std::int32_t>(reply.maps);
  return out;
}

Registered from_wire(const wire::RegistrationReply& reply) {
  return {reply.interval_ms};
}

HeartbeatReply from_wire(const wire::HeartbeatReply& reply) {
  HeartbeatReply out;
  out.interval_ms = reply.interval_ms;
  out.out_of_band_gap_ms = reply.out_of_band_gap_ms;
  for (const wire::Launch& launch : reply.launch) {
    const auto attempt = from_wire(launch.id);
    if (!attempt) continue;
    Launch& order = out.launch.emplace_back(Launch{*attempt, {}, true});
    if (launch.__isset.split) order.split = LaunchSplit(from_wire(launch.split));
    order.compute_granted = !launch.__isset.compute_granted || launch.compute_granted;
    if (launch.__isset.grant) order.grant = from_wire(launch.grant);
  }
  out.kill = attempts_from_wire(reply.kill);
  out.commit = attempts_from_wire(reply.commit);
  out.acknowledged = attempts_from_wire(reply.acknowledged);
  out.compute_granted = attempts_from_wire(reply.compute_granted);
  for (const std::int64_t number : reply.drop_jobs) {
    if (const auto job = job_from_wire(number)) out.drop_jobs.push_back(*job);
  }
  for (const wire::Duty& duty : reply.duties) {
    if (const auto job = job_from_wire(duty.job))
      out.duties.push_back({*job, duty.succeed, duty.output, duty.owner, duty.parts, duty.user});
  }
  out.leave = reply.leave;
  return out;
}

Result<JobDescription> from_wire(const wire::JobDescription& reply) {
  const auto job = job_from_wire(reply.job);
  if (!job) return job.error();
  if (reply.maps < 0 || reply.spec.reduces < 0) {
    return bad_request(job_name(*job) + ": " + std::to_string(reply.maps) + " maps and " +
                           std::to_string(reply.spec.reduces) + " reduces",
                       "numbers from 0 on");
  }
  JobSpec spec = from_wire_without_splits(reply.spec);
  spec.user = reply.user;
  spec.maps_were = static_cast<std::uint32_t>(reply.maps);
  return JobDescription{*job, std::make_shared<const JobSpec>(std::move(spec)), reply.owner};
}

GangPeers from_wire(const wire::Peers& reply) {
  GangPeers out;
  out.complete = reply.complete;
  out.next = static_cast<std::uint32_t>(std::max(reply.next_from, 0));
  out.members = static_cast<std::uint32_t>(std::max(reply.members, 0));
  for (const wire::Peer& peer : reply.peers) {
    GangPeer& read = out.peers.emplace_back();
    read.group = peer.group;
    read.index = static_cast<std::uint32_t>(std::max(peer.index, 0));
    read.host = peer.host;
    for (const std::int32_t port : peer.ports)
      read.ports.push_back(static_cast<std::uint16_t>(port));
  }
  return out;
}

MapOutputs from_wire(const wire::MapOutputs& reply) {
  MapOutputs out;
  out.outputs.reserve(reply.outputs.size());
  for (const wire::MapOutput& output : reply.outputs) {
    if (output.map_index < 0 || output.attempt < 0) continue;
    out.outputs.push_back({count_from_wire(output.map_index), count_from_wire(output.attempt),
                           output.obsolete, output.host, output.port});
  }
  out.list_id = static_cast<std::uint32_t>(reply.list_id);
  out.next = count_from_wire(reply.next_from);
  out.maps = count_from_wire(reply.maps);
  return out;
}

}  // namespace weir
