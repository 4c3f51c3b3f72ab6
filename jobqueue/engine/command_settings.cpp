// New settings: whether they fit the live state, and their taking effect.
#include <algorithm>

#include "jobqueue/engine/parts.h"
#include "jobqueue/model/access_rights.h"
#include "jobqueue/model/check.h"
#include "jobqueue/model/containers.h"
#include "jobqueue/model/counted.h"
#include "jobqueue/policy/pools_facet.h"

namespace weir {

// New settings against the live state. Structure (no job is left without a queue) must hold until
// they are applied; limits are looked at when they come in.
Status Administration::check_settings(const Settings& settings) const {
  auto tree = QueueTree::build(settings.queues);
  if (!tree) return tree.error();
  std::vector<std::string> findings = structure_findings(settings, *tree, true);
  if (auto same = check_space(settings); !same) findings.push_back(same.error().message);
  if (auto finding = unnamed_finding(settings)) findings.push_back(*finding);
  for (std::string& finding : manager_.removal_findings(settings, *tree))
    findings.push_back(std::move(finding));
  if (const Pools* pools = policy_->pools()) {
    for (std::string& finding : pools->settings_findings(settings))
      findings.push_back(std::move(finding));
  }
  if (findings.empty()) return Ok{};
  const std::string source = settings.source.empty() ? "settings" : settings.source;
  for (std::string& finding : findings) finding = source + ": " + finding;
  return Error{ErrorCode::kSettingsRefused,
               findings.size() == 1 ? findings.front()
                                    : source + ": " + std::to_string(findings.size()) +
                                          " errors, the settings are refused",
               "nothing was changed", findings};
}

// Where the jobs of that leaf are once the settings that are being written are in force.
std::string Administration::path_to_come(std::string path) const {
  for (const SettingsChanged* change : parts_.promises.pending_settings()) {
    const auto tree = QueueTree::build(change->settings->queues);
    const QueueId to = queue_after(*change->settings, *tree, path);
    if (to.valid()) path = tree->node(to).path;
  }
  return path;
}

std::vector<std::string> Administration::structure_findings(const Settings& settings,
                                                            const QueueTree& tree,
                                                            bool to_come) const {
  std::vector<std::string> findings;
  const auto gone = [&](const std::string& path) {
    return tree.find_path(path) ? "would no longer be a leaf" : "would be gone";
  };
  for (const QueueId leaf : state_.tree().leaves()) {
    const std::size_t jobs = state_.queue(leaf).unfinished.size();
    if (jobs == 0) continue;
    const std::string& now = state_.tree().node(leaf).path;
    const std::string path = to_come ? path_to_come(now) : now;
    if (queue_after(settings, tree, path).valid()) continue;
    findings.push_back("queue " + path + " has " + std::to_string(jobs) + " unfinished job" +
                       (jobs == 1 ? "" : "s") + " and " + gone(path) +
                       ", allowed: an empty queue, or `removed_queues: [{queue: " + path +
                       ", move_to: QUEUE}]`");
  }
  for (const PendingCommand& command : parts_.promises.pending()) {
    const auto* move = std::get_if<JobMoved>(&command.command);
    if (move == nullptr) continue;
    const std::string path = to_come ? path_to_come(move->queue) : move->queue;
    if (queue_after(settings, tree, path).valid()) continue;
    findings.push_back("queue " + path + " " + gone(path) + ", and " +
                       job_name(move->job) + " is just being moved there; try again");
  }
  return findings;
}

// Between slots and containers nothing may run, or be about to die.
Status Administration::check_space(const Settings& settings) const {
  using Mode = ResourceSettings::Mode;
  const bool containers = settings.resources.mode == Mode::kContainers;
  const auto refuse = [](const std::string& why) {
    return Error{ErrorCode::kSettingsRefused, why, ""};
  };
  if (settings.policy != state_.settings().policy && make_policy(settings.policy) == nullptr)
    return refuse("there is no policy '" + settings.policy + "' where containers count");
  if (containers == state_.space().containers()) return Ok{};
  const bool named = settings.policy != state_.settings().policy;
  if (const auto next = named ? make_policy(settings.policy) : nullptr;
      containers && !(next == nullptr ? policy_->knows_containers() : next->knows_containers())) {
    return refuse("resources: containers: policy " + std::string((next ? *next : *policy_).name()) +
                  " knows slots alone: switch to another one first");
  }
  std::int64_t running = 0;
  for (const TrackerState& tracker : state_.trackers())
    running += static_cast<std::int64_t>(tracker.attempts.size());
  if (running == 0) return Ok{};
  return refuse("resources: " + std::string(containers ? "containers" : "slots") + ": " +
                counted(running, "task") + (running == 1 ? " runs" : " run") +
                ": drain first (weir tracker drain)");
}

// What a job was promised stays countable as long as it is there.
std::optional<std::string> Administration::unnamed_finding(const Settings& settings) const {
  const Space next(settings.resources);
  if (!next.containers()) return std::nullopt;
  for (const auto& [id, job] : state_.jobs()) {
    if (is_over(job->state)) continue;
    const auto unnamed = unnamed_resource(*job->spec, next);
    if (!unnamed) continue;
    return "containers.resources: " + *unnamed + " is not among them, and " + job_name(id) +
           " asks for it; allowed: as long as no unfinished job does";
  }
  return std::nullopt;
}

// Settings that are being written already count for what comes in.
Status Administration::check_stays(QueueId queue) const {
  const std::string& path = state_.tree().node(queue).path;
  for (const SettingsChanged* change : parts_.promises.pending_settings()) {
    const auto tree = QueueTree::build(change->settings->queues);
    const auto kept = tree->find_path(path);
    if (kept && tree->leaf(*kept)) continue;
    return Error{ErrorCode::kUnknownQueue,
                 "queue " + path + " is just being removed by new settings",
                 "see `weir queue list`"};
  }
  return Ok{};
}

Status Administration::check_stays_named(const JobSpec& spec) const {
  for (const SettingsChanged* change : parts_.promises.pending_settings()) {
    const Space next(change->settings->resources);
    const auto unnamed = next.containers() ? unnamed_resource(spec, next) : std::nullopt;
    if (!unnamed) continue;
    return Error{ErrorCode::kBadRequest,
                 "resource " + *unnamed + " is just being removed by new settings",
                 "see `weir conf show`"};
  }
  return Ok{};
}

std::vector<std::pair<std::string, std::string>> Administration::moves_of(
    const Settings& settings) const {
  const auto tree = QueueTree::build(settings.queues);
  std::vector<std::pair<std::string, std::string>> moves;
  for (const QueueId leaf : state_.tree().leaves()) {
    const std::string path = path_to_come(state_.tree().node(leaf).path);
    const QueueId to = queue_after(settings, *tree, path);
    if (to.valid() && tree->node(to).path != path) moves.emplace_back(path, tree->node(to).path);
  }
  return moves;
}

// Whoever changed a copy of the settings must not undo what somebody else has changed meanwhile.
// Settings that are being written count as in force.
Status Administration::check_replaces(std::uint64_t expected) const {
  SettingsStamp current = core_.settings_stamp;
  for (const SettingsChanged* change : parts_.promises.pending_settings())
    current = {change->number, change->at, change->by};
  if (current.number == expected) return Ok{};
  std::string message =
      "settings number " + std::to_string(expected) + " are not in force: number " +
      std::to_string(current.number) +
      (current.by.empty() ? " came from the settings file" : " were applied by " + current.by);
  if (current.at > 0) message += " " + short_duration(now_ - current.at) + " ago";
  if (current.number == 0)
    message = "settings number " + std::to_string(expected) + " are not in force: nor are others";
  return Error{ErrorCode::kSettingsChanged,
               message,
               "nothing was changed; read the settings again, see what differs, and apply yours "
               "to those",
               {}};
}

void Administration::on(const ApplySettings& input, Token token) {
  if (const auto may = check_cluster_administrator(state_, input.caller); !may) {
    return refuse(token, "settings", may.error());
  }
  if (input.expected) {
    if (const auto same = check_replaces(*input.expected); !same)
      return refuse(token, "settings", same.error());
  }
  if (const auto fits = check_settings(*input.settings); !fits)
    return refuse(token, "settings", fits.error());
  // Settings that name another policy than those before switch to it, whatever was switched by
  // command.
  const Settings* before = &state_.settings();
  for (const SettingsChanged* change : parts_.promises.pending_settings())
    before = change->settings.get();
  if (input.settings->policy != before->policy) {
    const auto next = make_policy(input.settings->policy);
    parts_.promises.promise(
        0, PolicyChanged{input.settings->policy, parts_.claims.claims_owner(*next), ""});
  }
  const bool followed = !input.settings->file_hash.empty();
  parts_.promises.promise(token, SettingsChanged{input.settings, moves_of(*input.settings),
                                                 followed ? "" : input.caller.user,
                                                 ++core_.last_settings_number, now_});
}

ReplyBody Administration::apply(const SettingsChanged& change) {
  auto tree = QueueTree::build(change.settings->queues);
  WEIR_CHECK(tree.ok(), "settings are validated before they are promised");
  WEIR_CHECK(structure_findings(*change.settings, *tree, false).empty(),
             "nothing enters a queue that is about to go");
  for (const auto& [from, to] : change.moves) {  // seen by logs and traces; stored as one step
    const auto leaf = state_.tree().find_path(from);
    if (!leaf) continue;
    for (const JobId id : state_.queue(*leaf).unfinished)
      tell(JobMoved{id, to, state_.job(id).pool});
  }
  const bool others_count = !(Space(change.settings->resources) == state_.space());
  for (const QueueId leaf : state_.tree().leaves()) {  // what a queue is owed goes with it
    const auto same = tree->find_path(state_.tree().node(leaf).path);
    if (same && tree->leaf(*same) && !others_count) continue;
    for (const Dimension d : state_.space().dimensions()) {
      const std::int64_t owed = state_.claims().owed(leaf, d);
      if (owed > 0) parts_.claims.enter({ClaimStep::What::kDrop, leaf, d, owed});
    }
  }
  for (std::size_t q = 0; q < state_.tree().size(); ++q) {
    const std::string& path = state_.tree().nodes()[q].path;
    if (state_.queue(QueueId(q)).stopped_by_command && !tree->find_path(path)) forget_stop(path);
  }
  parts_.gangs.release(JobId{}, "settings");
  state_.replace_settings(change.settings, std::move(tree).value());
  core_.settings_stamp = {change.number, change.at, change.by};
  for (std::size_t q = 0; q < state_.tree().size(); ++q) {
    const QueueTree::Node& node = state_.tree().nodes()[q];
    for (const Dimension d : state_.space().dimensions()) {
      ClaimBook& book = state_.mutable_claims();
      if (node.leaf())
        book.set_deadlines(QueueId(q), d, reclaim_after_ms(state_.tree(), QueueId(q), d));
      // Nobody watches a queue that lends at once: a lend_after to come counts from its own days.
      if (node.settings.lend_after_ms == 0) book.mutable_lending(QueueId(q), d) = {};
    }
  }
  if (others_count) size_jobs();
  switch_policy(std::string(policy_->name()));  // anew, under the new settings
  if (others_count) open_what_waited();
  parts_.faults.judge_all();
  parts_.jobs.admit_everywhere();
  for (const auto& [id, job] : state_.jobs()) changes_.jobs.insert(id);
  parts_.jobs.note_pools();
  return Done{};
}

// Settings are being written that bring containers, or slots back: until they are in force nothing
// starts.
bool Administration::changes_mode() const {
  if (!parts_.promises.any_settings()) return false;  // asked at every heartbeat
  const auto changes = parts_.promises.pending_settings();
  return std::any_of(changes.begin(), changes.end(), [this](const SettingsChanged* change) {
    return change->settings->resources.mode != state_.settings().resources.mode;
  });
}

// What counts has changed: stamps are of what counted before.
void Administration::size_jobs() {
  memory_.policy_changed(now_);
  bring_containers();
}

// Applications that waited while slots count, or reduces for maps while containers did, may start.
void Administration::open_what_waited() {
  if (!state_.space().containers()) return parts_.own_maps.end_all();
  std::vector<JobId> waiting;
  for (const auto& [id, job] : state_.jobs()) {
    if (job->type->needs_containers() && !is_over(job->state)) waiting.push_back(id);
  }
  for (const JobId id : waiting) parts_.jobs.after_progress(state_.mutable_job(id));
}

// Jobs that were accepted where slots count become such of containers.
void Administration::bring_containers() {
  if (!state_.space().containers()) return;
  for (const auto& [id, known] : state_.jobs()) {
    Job& job = state_.mutable_job(id);
    if (is_over(job.state) || !job.containers.empty()) continue;
    std::vector<Resources> containers =
        containers_of(*job.spec, state_.settings().resources, state_.space());
    if (job.durable) emit(JobSized{id, containers});
    state_.set_containers(job, std::move(containers));
  }
}

}  // namespace weir
