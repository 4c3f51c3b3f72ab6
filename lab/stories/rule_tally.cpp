#include "lab/stories/rule_tally.h"

#include <algorithm>
#include <iterator>

namespace weir {

namespace {

constexpr std::pair<std::string_view, std::string_view> kRules[] = {
    {"claim_opened", "a queue is short of what it is guaranteed and wants"},
    {"claim_met", "launches paid a claim"},
    {"claim_dropped", "less is wanted or guaranteed"},
    {"claim_resumed", "the capacity policy came back to open claims"},
    {"claim_overdue", "a claim came due"},
    {"unservable", "no tracker can free what a due claim needs"},
    {"over_budget", "a due claim waits: victims' kill_budget is spent"},
    {"repeating", "a due claim waits: its last kill brought no launch"},
    {"preemption_off", "a due claim under preemption: off"},
    {"log_only", "a kill that was recorded and not done"},
    {"kill", "an attempt was preempted"},
    {"wide_kill", "slots were freed for a task of several"},
    {"several_victims", "more than one attempt died for one task"},
    {"kill_used", "the claimant started on what a kill freed"},
    {"kill_wasted", "a kill brought no launch"},
    {"reservation", "a tracker was reserved for a wide task"},
    {"lend_wait", "an idle queue did not lend yet"},
    {"turns_taken", "queues under one slot took turns"},
    {"hard_limit_held", "a hard user limit held somebody back"},
    {"soft_limit_passed", "a soft user limit gave way"},
    {"wide_passed", "a wide task found no room and was passed"},
    {"served_claim", "a slot went to a queue with a claim"},
    {"served_overdue_claim", "a slot went to a queue with an overdue claim"},
    {"served_hold", "held slots were taken"},
    {"dealt_free_slots", "free slots were shared out before claims arose"},
    {"served_needy", "a slot went to a pool below its minimum share"},
    {"load_capped", "a tracker was full enough for the load manager"},
    {"passed_for_locality", "a job was passed over to wait for a slot near its input"},
    {"dealt_shares", "fair shares were dealt anew"},
    {"reserved", "a pool's wide task asked for a reservation"},
    {"min_share_kill", "a kill for a pool below its minimum share"},
    {"fair_share_kill", "a kill for a pool below half its fair share"},
    {"pool_kill_used", "the pool started on what a kill freed"},
    {"pool_kill_wasted", "a kill for a pool brought no launch"},
    {"pool_log_only", "a kill for a pool that was recorded and not done"},
    {"pool_over_budget", "a victim was spared: its pool's kill_budget is spent"},
    {"pool_limit_held", "a job waited while its pool had a limit on running jobs"},
    {"user_limit_held", "a job waited while its user had a limit on running jobs"},
    {"place_taken", "a running job lost its place to a more urgent one"},
    {"place_kept", "a job with running reduces and maps left kept its place"},
    {"pool_at_maximum", "a pool ran its max_share"},
    {"fifo_pool", "jobs stood in line in a FIFO pool"},
    {"minimums_scaled", "minimum shares added up to more than the cluster has"},
    {"minimums_scaled_within", "or to more than the share of the pool around them"},
    {"booster_ended", "a new job was new no more"},
    {"deficit_order", "a slot went to the job that was owed most"},
    {"pool_appeared", "a pool came to be with its first job"},
    {"pool_disappeared", "an on-demand pool went with its last job"},
    {"job_killed", "a job was killed"},
    {"job_failed", "a job failed"},
    {"speculative_map", "a second attempt of a map was launched"},
    {"speculative_reduce", "and of a reduce"},
    {"speculative_won", "a second attempt was done first"},
    {"loser_killed", "an attempt was killed because another of its task was done"},
    {"job_moved", "a job was moved"},
    {"priority_changed", "a job's priority was changed"},
    {"map_reopened", "a finished map ran again, its output lost"},
    {"queue_stopped", "a queue was stopped or started"},
    {"settings_changed", "new settings were applied"},
    {"settings_refused", "new settings were refused"},
    {"policy_changed", "another policy took over"},
    {"submission_refused", "a job was not taken"},
    {"tracker_lost", "a tracker was lost"},
    {"tracker_back", "a lost tracker came back"},
    {"tracker_drains", "a tracker left the pool, its tasks ran on"},
    {"drain_ordered", "an administrator let a tracker drain"},
    {"stop_ordered", "or stop"},
    {"tracker_stopped", "a tracker that was to stop left"},
    {"stopped_attempt", "an attempt was killed because its tracker was stopped at once"},
    {"tracker_resumed", "a drain or stop was taken back"},
    {"tracker_faulty", "a tracker left the pool for its faults"},
    {"tracker_healed", "enough of them were forgotten"},
    {"store_failed", "the store lost commands"},
};

}  // namespace

const std::vector<std::pair<std::string_view, std::string_view>>& RuleTally::rules() {
  static const std::vector<std::pair<std::string_view, std::string_view>> all(std::begin(kRules),
                                                                              std::end(kRules));
  return all;
}

void RuleTally::begin_run() {
  blocks_.clear();
  outcomes_.clear();
  last_hold_ = 0;
  reservations_ = 0;
  waits_to_lend_.clear();
  policy_counts_.clear();
  on_demand_.clear();
  boosted_until_ = 0;
}

std::uint64_t RuleTally::count(std::string_view rule) const {
  const auto found = counts_.find(rule);
  return found == counts_.end() ? 0 : found->second;
}

void RuleTally::hit(std::string_view rule, std::uint64_t times) {
  counts_.try_emplace(std::string(rule), 0).first->second += times;
}

void RuleTally::on_step(const Engine& engine, const Input& input, const Output& output) {
  ++steps_;
  count_events(output);
  if (std::holds_alternative<Tick>(input.body)) {
    count_claims(engine);
    count_pools(engine);
  }
  count_records(engine.state().claims());
  count_policy(engine);
  if (const auto* beat = std::get_if<Heartbeat>(&input.body)) {
    if (!beat->accepts_tasks && !beat->attempts.empty()) hit("tracker_drains");
  }
  if (std::holds_alternative<StoreFailed>(input.body)) hit("store_failed");
}

void RuleTally::count_events(const Output& output) {
  for (const Event& event : output.events) {
    const Fact& fact = event.fact;
    if (const auto* opened = fact_as<ClaimOpened>(fact)) {
      hit(opened->again ? "claim_resumed" : "claim_opened");
    } else if (fact_as<ClaimMet>(fact) != nullptr) {
      hit("claim_met");
    } else if (fact_as<ClaimDropped>(fact) != nullptr) {
      hit("claim_dropped");
    } else if (const auto* kill = fact_as<KillOrdered>(fact)) {
      if (kill->reason == KillReason::kReclaim) hit("kill");
      if (kill->reason == KillReason::kMinShare) hit("min_share_kill");
      if (kill->reason == KillReason::kFairShare) hit("fair_share_kill");
      if (kill->reason == KillReason::kSpeculative) hit("loser_killed");
      if (kill->reason == KillReason::kTrackerStopped) hit("stopped_attempt");
    } else if (const auto* launch = fact_as<AttemptLaunched>(fact)) {
      if (!launch->speculative) continue;
      const bool map = launch->attempt.task.kind == TaskKind::kMap;
      hit(map ? "speculative_map" : "speculative_reduce");
    } else if (const auto* ended = fact_as<AttemptEnded>(fact)) {
      const bool won = ended->speculative && ended->how == AttemptEnded::How::kSucceeded;
      if (won) hit("speculative_won");
    } else if (const auto* job = fact_as<JobStateChanged>(fact)) {
      if (job->state == JobState::kKilled) hit("job_killed");
      if (job->state == JobState::kFailed) hit("job_failed");
      if (job->state == JobState::kWaiting) hit("place_taken");
    } else if (const auto* tracker = fact_as<TrackerChanged>(fact)) {
      if (tracker->how == TrackerChanged::How::kLost) hit("tracker_lost");
      if (tracker->how == TrackerChanged::How::kBack) hit("tracker_back");
      if (tracker->how == TrackerChanged::How::kDraining) hit("drain_ordered");
      if (tracker->how == TrackerChanged::How::kStopping) hit("stop_ordered");
      if (tracker->how == TrackerChanged::How::kStopped) hit("tracker_stopped");
      if (tracker->how == TrackerChanged::How::kResumed) hit("tracker_resumed");
      if (tracker->how == TrackerChanged::How::kFaulty) hit("tracker_faulty");
      if (tracker->how == TrackerChanged::How::kHealed) hit("tracker_healed");
    } else if (const auto* refused = fact_as<Refused>(fact)) {
      if (refused->what == "settings") hit("settings_refused");
      if (refused->what == "submit") hit("submission_refused");
    }
    if (fact_as<JobMoved>(fact) != nullptr) hit("job_moved");
    if (fact_as<PriorityChanged>(fact) != nullptr) hit("priority_changed");
    if (fact_as<TaskReopened>(fact) != nullptr) hit("map_reopened");
    if (fact_as<QueueStateChanged>(fact) != nullptr) hit("queue_stopped");
    if (fact_as<SettingsChanged>(fact) != nullptr) hit("settings_changed");
    if (fact_as<PolicyChanged>(fact) != nullptr) hit("policy_changed");
  }
}

// After each pass: what due claims wait for, and which idle queues keep what they do not use.
void RuleTally::count_claims(const Engine& engine) {
  const ClusterState& state = engine.state();
  std::map<ClaimId, ClaimBlock> blocks;
  for (const TaskKind kind : kTaskKinds) {
    for (const auto& [deadline, queue, id] : state.claims().by_deadline(kind)) {
      const Claim* claim = state.claims().find(queue, kind, id);
      if (claim == nullptr || deadline > engine.now()) continue;
      const auto before = blocks_.find(id);
      if (before == blocks_.end()) hit("claim_overdue");
      blocks[id] = claim->block;
      if (before != blocks_.end() && before->second == claim->block) continue;
      if (claim->block == ClaimBlock::kUnservable) hit("unservable");
      if (claim->block == ClaimBlock::kOverBudget) hit("over_budget");
      if (claim->block == ClaimBlock::kRepeating) hit("repeating");
      if (claim->block == ClaimBlock::kPreemptionOff) hit("preemption_off");
    }
    for (std::size_t q = 1; q < state.tree().size(); ++q) {
      const QueueTree::Node& node = state.tree().nodes()[q];
      const ClaimBook::Lending& lending = state.claims().lending(QueueId(q), kind);
      const bool waits = node.settings.lend_after_ms > 0 && lending.idle && !lending.lends;
      bool& before = waits_to_lend_[{node.path, kind}];
      if (waits && !before) hit("lend_wait");
      before = waits;
    }
  }
  blocks_ = std::move(blocks);
}

void RuleTally::count_records(const ClaimBook& book) {
  std::map<HoldId, int> victims;
  for (const KillRecord& record : book.records()) {
    const auto [known, added] =
        outcomes_.try_emplace({record.hold, record.attempt}, KillRecord::Outcome::kPending);
    const bool pool = !record.for_pool.empty();
    if (added && record.outcome == KillRecord::Outcome::kLoggedOnly) {
      hit(pool ? "pool_log_only" : "log_only");
    }
    if (record.hold > last_hold_ && ++victims[record.hold] == 2) hit("several_victims");
    if (known->second == record.outcome) continue;
    known->second = record.outcome;
    if (record.outcome == KillRecord::Outcome::kUsed) hit(pool ? "pool_kill_used" : "kill_used");
    if (record.outcome == KillRecord::Outcome::kWasted) {
      hit(pool ? "pool_kill_wasted" : "kill_wasted");
    }
  }
  for (const Hold& hold : book.holds()) {
    if (hold.id > last_hold_ && hold.slots > 1) hit("wide_kill");
  }
  for (const Hold& hold : book.holds()) last_hold_ = std::max(last_hold_, hold.id);
  const std::size_t reservations = book.reservations().size();
  if (reservations > reservations_) hit("reservation", reservations - reservations_);
  reservations_ = reservations;
}

// A policy counts from its making; another one is made at each change of settings or policy.
void RuleTally::count_policy(const Engine& engine) {
  for (const auto& [rule, times] : engine.policy().rule_counts()) {
    std::uint64_t& before = policy_counts_.try_emplace(std::string(rule), 0).first->second;
    if (times > before) hit(rule, times - before);
    before = times;
  }
}

}  // namespace weir
