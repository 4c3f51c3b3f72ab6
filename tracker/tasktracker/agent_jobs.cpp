// What AgentCore knows of jobs: their descriptions, fetched once, and where the outputs of their
// maps are, asked for while a reduce of the job copies and passed on to its reduces piece by piece.
#include <algorithm>
#include <utility>

#include "tracker/tasktracker/agent_core.h"

namespace weir::tasktracker {

void AgentCore::on_job(const JobDescription& description, Now now) {
  const JobId id = description.job;
  const auto job = jobs_.find(id);
  if (job == jobs_.end()) return;
  job->second.fetching = false;
  job->second.description = description;
  for (auto& [key, attempt] : attempts_) {
    if (key.task.job == id && attempt.stage == Stage::kWaitsForJob)
      start(attempt, job->second, now);
  }
}

void AgentCore::on_job_failed(JobId id, bool refused, const std::string& message, Now now) {
  const auto job = jobs_.find(id);
  if (job == jobs_.end()) return;
  Job& known = job->second;
  known.fetching = false;
  known.fetch_retry_ms =
      std::clamp(known.fetch_retry_ms * 2, limits_.first_retry_ms, limits_.longest_retry_ms);
  known.next_fetch_ms = now.steady_ms + known.fetch_retry_ms;
  if (!refused) return;
  for (auto& [key, attempt] : attempts_) {
    if (key.task.job == id && attempt.stage == Stage::kWaitsForJob) {
      end(attempt, ReportedState::kFailed,
          "the JobTracker does not describe the job: " + message, now);
    }
  }
}

bool AgentCore::copies(const Attempt& attempt) const {
  return attempt.launch.attempt.task.kind == TaskKind::kReduce && attempt.stage == Stage::kRuns &&
         attempt.kill == KillCause::kNone && attempt.status.phase <= TaskPhase::kShuffle;
}

// Of the job that `at` stands at, which goes on to the next one's.
AgentCore::Due AgentCore::next_due(Attempts::const_iterator& at) const {
  const JobId id = at->first.task.job;
  bool unstarted = false, copying = false, gathering = false;
  for (; at != attempts_.end() && at->first.task.job == id; ++at) {
    unstarted |= at->second.stage == Stage::kWaitsForJob;
    copying |= copies(at->second);
    gathering |= at->second.stage == Stage::kWaitsForPeers;
  }
  Due due;
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return due;  // dropped, and its last end not acknowledged yet
  const Job& job = found->second;
  if (unstarted && !job.description && !job.fetching) due.description_ms = job.next_fetch_ms;
  if (copying && job.description && !job.polling) due.outputs_ms = job.next_poll_ms;
  if (gathering && !job.fetching_peers) due.peers_ms = job.next_peers_ms;
  return due;
}

void AgentCore::ask_about(JobId id, Due due, Now now) {
  Job& job = jobs_.at(id);
  if (due.description_ms <= now.steady_ms) {
    job.fetching = true;
    actions_.push_back(action::FetchJob{id});
  }
  if (due.outputs_ms <= now.steady_ms) {
    job.polling = true;
    actions_.push_back(action::FetchOutputs{id, job.next_output});
  }
  if (due.peers_ms <= now.steady_ms) {
    job.fetching_peers = true;
    job.other_peers = false;
    actions_.push_back(action::FetchPeers{id, job.next_peer});
  }
}

void AgentCore::push_outputs(Job& job, Attempt& attempt) {
  if (!copies(attempt) || attempt.outputs_pushed >= job.outputs.size()) return;
  action::PushOutputs push{attempt.launch.attempt, {}};
  push.outputs.assign(job.outputs.begin() + static_cast<std::ptrdiff_t>(attempt.outputs_pushed),
                      job.outputs.end());
  attempt.outputs_pushed = job.outputs.size();
  actions_.push_back(std::move(push));
}

void AgentCore::on_outputs(JobId id, const MapOutputs& outputs, Now now) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  job.polling = false;
  job.poll_retry_ms = 0;
  if (outputs.list_id != 0 && outputs.list_id != job.output_list) {
    // The JobTracker has restarted and made its list anew: a place in the old one means nothing.
    const bool from_start = job.next_output == 0;
    job.output_list = outputs.list_id;
    job.outputs.clear();
    for (auto& [key, attempt] : attempts_) {
      if (key.task.job == id) attempt.outputs_pushed = 0;
    }
    job.next_output = 0;
    job.next_poll_ms = now.steady_ms;
    if (!from_start) return;
  }
  job.outputs.insert(job.outputs.end(), outputs.outputs.begin(), outputs.outputs.end());
  job.next_output = outputs.next;
  const bool all_known = job.outputs.size() >= outputs.maps;
  job.next_poll_ms = now.steady_ms + (!outputs.outputs.empty() && !all_known ? 0
                                      : all_known ? limits_.outputs_idle_poll_ms
                                                  : limits_.outputs_poll_ms);
  if (!outputs.outputs.empty() && !all_known && outputs.outputs.size() < 2000) {
    job.next_poll_ms = now.steady_ms + limits_.outputs_poll_ms;  // a short list was all there is
  }
  for (auto& [key, attempt] : attempts_) {
    if (key.task.job == id) push_outputs(job, attempt);
  }
}

void AgentCore::on_outputs_failed(JobId id, Now now) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  job.polling = false;
  job.poll_retry_ms =
      std::clamp(job.poll_retry_ms * 2, limits_.first_retry_ms, limits_.longest_retry_ms);
  job.next_poll_ms = now.steady_ms + job.poll_retry_ms;
}

}  // namespace weir::tasktracker
