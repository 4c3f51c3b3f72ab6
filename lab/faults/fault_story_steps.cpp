// What happens in a seed of the fault simulation: jobs and commands of clients, and the strikes of
// its swarm.
#include <utility>

#include "conf/policies.h"
#include "lab/faults/fault_story.h"
#include "lab/kit/moves.h"
#include "lab/stories/fuzz_settings.h"

namespace weir::faults {
namespace {

const Caller kRoot{"root", {}};
constexpr int kMostJobs = 12;

bool always() {
  return true;
}

}  // namespace

void FaultStory::disturb() {
  if (wrong_ || world_.swarm.is_calm()) return;
  disturb_jobtracker();
  disturb_tracker();
  command();
  if (world_.dice.chance(10)) check_disk();
}

void FaultStory::disturb_jobtracker() {
  using Death = VirtualJobTracker::Death;
  if (jobtracker_->up() && world_.swarm.strikes(Fault::kJobTrackerKilled)) {
    kill_jobtracker(Death::kProcess);
  }
  if (jobtracker_->up() && world_.swarm.strikes(Fault::kJobTrackerUnplugged)) {
    kill_jobtracker(Death::kMachine);
  }
  if (world_.swarm.strikes(Fault::kPowerLost)) lose_power();
  if (jobtracker_->up()) return;  // it may have died in a commit, too
  if (killed_at_ < world_.agenda.now() && believed_.empty()) mark_running();
  if (world_.dice.chance(40)) start_jobtracker();
}

void FaultStory::disturb_tracker() {
  Dice& dice = world_.dice;
  if (world_.swarm.strikes(Fault::kReportForged)) forge_report();
  VirtualTaskTracker& tracker =
      *trackers_[static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(trackers_.size())))];
  if (!tracker.up()) {
    if (dice.chance(30)) tracker.start();
    return;
  }
  Swarm& swarm = world_.swarm;
  if (swarm.strikes(Fault::kTrackerStalled)) tracker.stall(dice.between(500, 30'000));
  if (swarm.strikes(Fault::kTrackerCutOff)) tracker.cut_off(dice.between(500, 40'000));
  if (swarm.strikes(Fault::kClockJumped)) tracker.jump_clock(dice.between(-9'000'000, 9'000'000));
  if (swarm.strikes(Fault::kDiskFull)) {
    tracker.fill_disk(true);
    world_.agenda.after(dice.between(1'000, 30'000), [&tracker] { tracker.fill_disk(false); });
  }
  if (swarm.strikes(Fault::kOutputGone)) tracker.lose_an_output();
  if (swarm.strikes(Fault::kTrackerKilled)) tracker.kill();
}

// A stranger registers, and reports attempts of somebody's job that nobody gave to it, with numbers
// of this start.
void FaultStory::forge_report() {
  const auto id = some_job();
  if (!id || !jobtracker_->up()) return;
  const Engine& engine = jobtracker_->engine();
  const Job* job = engine.state().find_job(*id);
  if (job == nullptr) return;
  Dice& dice = world_.dice;
  RegisterTracker stranger;
  stranger.name = "stranger";
  stranger.incarnation = ++forged_;
  Heartbeat report;
  report.name = stranger.name;
  report.incarnation = stranger.incarnation;
  report.sequence = 1;
  const std::uint32_t first = (std::max(engine.state().epoch(), 1u) - 1) * kAttemptsPerEpoch;
  for (const TaskKind kind : job->spec->kinds()) {
    const auto tasks = static_cast<std::int64_t>(job->spec->tasks(kind));
    if (tasks == 0) continue;
    AttemptReport forged;
    forged.attempt.task = {*id, kind, static_cast<std::uint32_t>(dice.below(tasks))};
    forged.attempt.attempt = first + static_cast<std::uint32_t>(dice.below(3));
    forged.state = dice.one_of<ReportedState>({ReportedState::kRunning,
                                               ReportedState::kCommitPending,
                                               ReportedState::kSucceeded});
    report.attempts.push_back(std::move(forged));
  }
  const AttemptKey claimed = report.attempts.empty() ? AttemptKey() : report.attempts[0].attempt;
  jobtracker_->handle(std::move(stranger), [](const auto&) {});
  if (!jobtracker_->up()) return;
  jobtracker_->handle(std::move(report), [this, claimed](const auto& reply) {
    const auto* told = std::get_if<HeartbeatReply>(&reply);
    if (told == nullptr) return;
    const auto& commit = told->commit;
    if (std::find(commit.begin(), commit.end(), claimed) != commit.end())
      wrong(attempt_name(claimed) + " may publish on a tracker that it was never given to");
  });
}

// --- Clients ---

void FaultStory::command() {
  using S = FaultStory;
  static const Moves<S> moves = {
      {30, &S::submit_another},
      {6, &S::kill_some_job},
      {8, &S::reprioritise},
      {4, &S::order_some_tracker},
      {12, &S::let_be},
      {6, &S::move_some_job},
      {4, &S::stop_or_start_some_queue},
      {30, &S::let_be},
  };
  (this->*moves.draw(world_.dice))();
  if (world_.swarm.strikes(Fault::kPolicySwitched)) {
    set_policy(world_.dice.one_of(policy_names()));
  }
  if (world_.swarm.strikes(Fault::kSettingsChanged)) apply(redraw_settings(world_.dice, *drawn_));
}

std::string FaultStory::some_leaf() {
  if (!jobtracker_->up()) return "a";
  const QueueTree& tree = jobtracker_->engine().state().tree();
  return tree.node(world_.dice.one_of(tree.leaves())).path;
}

std::optional<JobId> FaultStory::some_job() {
  std::vector<JobId> ids;
  for (const auto& [id, submission] : promises_.jobs()) ids.push_back(id);
  if (ids.empty()) return std::nullopt;
  return world_.dice.one_of(ids);
}

void FaultStory::submit_another() {
  if (outputs_ == kMostJobs) return;
  Dice& dice = world_.dice;
  auto spec = std::make_shared<JobSpec>();
  spec->name = "J" + std::to_string(++outputs_);
  spec->user = "u" + std::to_string(dice.between(1, 3));
  spec->queue = some_leaf();
  spec->priority = static_cast<Priority>(dice.below(5));
  spec->submission = "/out" + std::to_string(outputs_);
  containers_ && dice.chance(60) ? describe_application(*spec) : describe_mapreduce(*spec);
  spec->task_timeout_ms = dice.between(20, 120) * 1'000;
  ask_to_submit(spec);
}

void FaultStory::describe_mapreduce(JobSpec& spec) {
  Dice& dice = world_.dice;
  spec.input_files = {"/in"};
  spec.splits.resize(static_cast<std::size_t>(dice.between(1, 6)));
  spec.output = spec.submission;
  spec.mapper = "map";
  spec.reducer = "reduce";
  spec.reduces = static_cast<std::uint32_t>(dice.chance(70) ? dice.between(1, 4) : 0);
  spec.slowstart_millionths = dice.chance(50) ? 0 : dice.below(1'000'001);
}

// What it requires the last tracker has, if none other does.
void FaultStory::describe_application(JobSpec& spec) {
  Dice& dice = world_.dice;
  spec.service = dice.chance(20);
  const std::int64_t groups = dice.between(1, 3);
  for (std::int64_t i = 0; i < groups; ++i) {
    TaskGroupSpec& group = spec.task_groups.emplace_back();
    group.name = "g" + std::to_string(i);
    group.count = static_cast<std::uint32_t>(dice.between(1, 4));
    group.command = "work";
    group.asked.memory_mb = dice.between(1, 30) * 100;
    group.asked.vcores = dice.below(3);
    if (dice.chance(40)) group.asked.named["gpu"] = dice.between(1, 2);
    if (dice.chance(20)) group.require.push_back({"disk", {"ssd"}, false});
    if (dice.chance(10)) group.require.push_back({"rack", {"r2"}, true});
    if (dice.chance(15))
      group.spread = Spread{"name", static_cast<std::uint32_t>(dice.between(2, 4))};
    if (dice.chance(20)) group.ports = static_cast<std::uint32_t>(dice.between(1, 2));
    if (!spec.service && dice.chance(15)) group.time_limit_ms = dice.between(2, 40) * 1'000;
    group.retries = static_cast<std::uint32_t>(dice.below(4));
  }
  describe_gang(spec);
}

// By dice of its own: stories without gangs stay what they were.
void FaultStory::describe_gang(JobSpec& spec) {
  std::uint64_t seed = 0;
  for (const char c : spec.submission) seed = seed * 31 + static_cast<unsigned char>(c);
  Dice dice(seed);
  if (!dice.chance(30)) return;
  for (TaskGroupSpec& group : spec.task_groups) {
    if (!dice.chance(70)) continue;
    group.gang = static_cast<std::uint32_t>(dice.between(1, group.count));
    group.replace = dice.chance(20);
  }
}

// Who hears nothing asks again, as `weir submit` does; some give up.
void FaultStory::ask_to_submit(const std::shared_ptr<const JobSpec>& sent) {
  world_.ask(SubmitJob{{sent->user, {}}, sent}, always,
             [this, sent](const std::optional<VirtualJobTracker::ReplyBody>& reply) {
               if (!reply && !world_.swarm.is_calm() && world_.dice.chance(80)) {
                 world_.agenda.after(world_.dice.between(100, 5'000),
                                     [this, sent] { ask_to_submit(sent); });
               }
               const auto* done = reply ? std::get_if<Submitted>(&*reply) : nullptr;
               if (done == nullptr) return;
               const auto promised = promises_.of(done->job);
               if (promised == sent) return;
               if (promised != nullptr) {
                 wrong("job " + std::to_string(done->job.value) + " was promised to two");
               }
               promises_.submitted(done->job, sent);
               promises_.sent(priority_of(done->job),
                              std::to_string(static_cast<int>(sent->priority)), 0);
             });
}

void FaultStory::kill_some_job() {
  if (const auto job = some_job()) kill(*job);
}

void FaultStory::kill(JobId job) {
  promises_.kill_sent(job);
  world_.ask(KillJob{kRoot, job}, always,
             [this, job](const std::optional<VirtualJobTracker::ReplyBody>& reply) {
               if (reply && std::holds_alternative<Done>(*reply)) promises_.kill_answered(job);
             });
}

void FaultStory::reprioritise() {
  const auto job = some_job();
  if (!job) return;
  const auto priority = static_cast<Priority>(world_.dice.below(5));
  const std::string what = priority_of(*job);
  const std::string value = std::to_string(static_cast<int>(priority));
  // Whoever knows of no answer yet may not say what it is from now on.
  promises_.sent(what, value, world_.agenda.now());
  world_.ask(SetPriority{kRoot, *job, priority}, always,
             [this, what, value](const std::optional<VirtualJobTracker::ReplyBody>& reply) {
               promises_.answered(what, value, reply && std::holds_alternative<Done>(*reply),
                                  world_.agenda.now());
             });
}

// Where it goes is held against the disk, before and after each death (kill_jobtracker).
void FaultStory::move_some_job() {
  if (const auto job = some_job()) world_.ask(MoveJob{kRoot, *job, some_leaf()}, always, nullptr);
}

void FaultStory::stop_or_start_some_queue() {
  world_.ask(SetQueueState{kRoot, some_leaf(), world_.dice.chance(40)}, always, nullptr);
}

// A stop ends by itself when the tracker has left; a drain from before it goes on.
void FaultStory::order_some_tracker() {
  Dice& dice = world_.dice;
  const std::string& tracker = dice.one_of(trackers_)->name();
  const auto order = static_cast<TrackerOrder>(dice.chance(40) ? 0 : dice.between(1, 3));
  const std::string what = order_of(tracker), value = name(order);
  const auto may_be = [this, what](const std::string& possible) {
    promises_.sent(what, possible, world_.agenda.now());
  };
  const auto may_end = [may_be, order] {
    if (order < TrackerOrder::kStop) return;
    may_be(name(TrackerOrder::kNone));
    may_be(name(TrackerOrder::kDrain));
  };
  may_be(value);
  may_end();
  world_.ask(
      OrderTrackers{kRoot, {tracker}, order}, always,
      [this, what, value, may_end](const std::optional<VirtualJobTracker::ReplyBody>& reply) {
        promises_.answered(what, value, reply && std::holds_alternative<Done>(*reply),
                           world_.agenda.now());
        may_end();
      });
}

void FaultStory::set_policy(const std::string& policy) {
  promises_.sent(kPolicyValue, policy, world_.agenda.now());
  world_.ask(SetPolicy{kRoot, policy}, always,
             [this, policy](const std::optional<VirtualJobTracker::ReplyBody>& reply) {
               promises_.answered(kPolicyValue, policy,
                                  reply && std::holds_alternative<Done>(*reply),
                                  world_.agenda.now());
             });
}

void FaultStory::apply(std::shared_ptr<Settings> settings) {
  settings->text = "settings " + std::to_string(settings_.size());
  drawn_ = settings_[settings->text] = settings;
  const std::string text = settings->text;
  promises_.sent(kSettingsValue, text, world_.agenda.now());
  world_.ask(ApplySettings{kRoot, settings}, always,
             [this, text](const std::optional<VirtualJobTracker::ReplyBody>& reply) {
               promises_.answered(kSettingsValue, text,
                                  reply && std::holds_alternative<Done>(*reply),
                                  world_.agenda.now());
             });
}

}  // namespace weir::faults
