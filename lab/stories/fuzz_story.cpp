#include "lab/stories/fuzz_story.h"

#include <algorithm>
#include <set>

#include "conf/policies.h"
#include "jobqueue/policy/pools_facet.h"
#include "lab/kit/moves.h"
#include "lab/stories/fuzz_containers.h"
#include "lab/stories/fuzz_pools.h"
#include "lab/stories/fuzz_settings.h"

namespace weir {
namespace {

constexpr std::int64_t kWidest = 4;
constexpr std::int64_t kMostMemory = 1500;  // of one task
constexpr int kEndRounds = 600;
constexpr int kContainersPercent = 30;  // of the stories

}  // namespace

FuzzStory::FuzzStory(std::uint64_t seed, PolicyFactory factory, Counts counts)
    : dice_(seed),
      stragglers_(seed ^ 0x5bd1e995u),
      operators_(seed ^ 0x2545f491u),
      holds_(seed ^ 0x9e3779b9u),
      containers_(seed ^ 0x85ebca6bu),
      cluster_(first_settings(dice_, stragglers_, operators_, containers_, counts),
               std::move(factory)) {
  home_ = cluster_.state().settings().policy;
  counts_containers_ = cluster_.state().space().containers();
  memory_counts_ = dice_.chance(25);
  fail_percent_ = dice_.chance(30) ? static_cast<int>(dice_.between(5, 40)) : 2;
  wide_percent_ = dice_.chance(60) ? static_cast<int>(dice_.between(5, 60)) : 0;
  order_percent_ = operators_.chance(40) ? static_cast<int>(operators_.between(5, 40)) : 0;
  hold_percent_ = holds_.chance(20) ? static_cast<int>(holds_.between(5, 40)) : 0;
}

void FuzzStory::run(const std::function<bool()>& stop) {
  draw_trackers();
  while (cluster_.inputs() < kInputs && !stop()) random_step();
  if (!stop()) drive_to_end(stop);
}

// --- Draws ---

std::shared_ptr<const Settings> FuzzStory::first_settings(Dice& dice, Dice& stragglers,
                                                          Dice& operators, Dice& containers,
                                                          Counts counts) {
  auto settings = draw_settings(dice);
  if (counts == Counts::kContainersToo && containers.chance(kContainersPercent)) {
    draw_containers(containers, *settings);
    if (containers.chance(10)) settings->policy = "fifo";
  }
  draw_speculation(stragglers, *settings);
  draw_faults(operators, *settings);
  return settings;
}

// A few faults soon put a tracker out, and it is soon back.
void FuzzStory::draw_faults(Dice& operators, Settings& settings) {
  if (operators.chance(60)) return;
  settings.tracker_faults = {operators.between(1, 2), operators.between(5, 120) * 1000};
}

Resources FuzzStory::random_offer() {
  Resources total{{dice_.between(1, 5), dice_.between(0, 4), 0, 0}};
  if (memory_counts_) total[Dimension::kMemoryMb] = dice_.between(1, 6) * 1000;
  if (counts_containers_) draw_offer(containers_, total);
  return total;
}

void FuzzStory::add_tracker(const Resources& offer, std::int64_t racks) {
  full_size_.push_back(offer);
  const std::string rack = "r" + std::to_string(dice_.between(1, racks));
  if (!counts_containers_) return void(cluster_.add_tracker(offer, rack));
  cluster_.add_tracker(offer, rack, draw_labels(containers_),
                       static_cast<std::uint32_t>(containers_.below(5)));
}

void FuzzStory::draw_trackers() {
  const std::int64_t count = dice_.between(2, 7);
  for (std::int64_t i = 0; i < count; ++i) add_tracker(random_offer(), 2);
  const SpeculationSettings& speculation = cluster_.state().settings().speculation;
  if (!speculation.on[0] && !speculation.on[1]) return;
  for (FuzzTracker& tracker : cluster_.trackers()) tracker.slow = stragglers_.chance(30);
}

std::string FuzzStory::random_leaf() {
  const QueueTree& tree = cluster_.state().tree();
  return tree.node(dice_.one_of(tree.leaves())).path;
}

std::string FuzzStory::random_pool() {
  return draw_pool_name(dice_, fair_section(cluster_.state().settings()));
}

FuzzTracker& FuzzStory::random_tracker() {
  auto& trackers = cluster_.trackers();
  return trackers[static_cast<std::size_t>(
      dice_.below(static_cast<std::int64_t>(trackers.size())))];
}

const Job* FuzzStory::random_job() {
  std::vector<const Job*> jobs;
  for (const auto& [id, job] : cluster_.state().jobs()) {
    if (!is_over(job->state) || dice_.chance(2)) jobs.push_back(job.get());
  }
  return jobs.empty() ? nullptr : dice_.one_of(jobs);
}

// --- Steps ---

void FuzzStory::random_step() {
  using S = FuzzStory;
  static const Moves<S> moves = {
      {110, &S::submit},      {370, &S::beat_one},       {80, &S::beat_all},
      {170, &S::finish_some}, {130, &S::jump},           {20, &S::churn},
      {50, &S::disturb_job},  {35, &S::disturb_tracker}, {27, &S::disturb_rules},
      {8, &S::disturb_store},
  };
  const auto happens = moves.draw(dice_);
  if (cluster_.state().jobs().empty()) return submit();
  (this->*happens)();
}

void FuzzStory::submit() {
  auto spec = std::make_shared<JobSpec>();
  spec->name = "J" + std::to_string(outputs_ + 1);
  spec->user = "u" + std::to_string(dice_.between(1, 4));
  spec->groups = {"g" + std::to_string(dice_.between(1, 2))};
  spec->queue = random_leaf();
  if (dice_.chance(30)) spec->conf["pool"] = random_pool();
  if (dice_.chance(80)) spec->conf[kTeamProperty] = dice_.chance(50) ? "a" : "p";
  spec->priority = static_cast<Priority>(dice_.below(5));
  spec->input_files = {"/in"};
  const std::int64_t maps = dice_.between(dice_.chance(5) ? 0 : 1, dice_.chance(20) ? 20 : 7);
  for (std::int64_t i = 0; i < maps; ++i) {
    Split split;
    for (std::int64_t replicas = dice_.below(3); replicas > 0; --replicas) {
      split.hosts.push_back(random_tracker().name);
    }
    spec->splits.push_back(split);
  }
  spec->output = "/out" + std::to_string(++outputs_);
  spec->reduces = static_cast<std::uint32_t>(dice_.chance(50) ? dice_.between(1, 5) : 0);
  if (maps == 0) spec->reduces = std::max<std::uint32_t>(spec->reduces, 1);
  spec->slowstart_millionths = dice_.chance(30) ? 0 : dice_.below(1000001);
  spec->max_attempts = static_cast<std::uint32_t>(dice_.between(1, 6));
  for (const TaskKind kind : kTaskKinds) {
    Resources& need = spec->need[index(kind)];
    if (dice_.chance(wide_percent_)) need.slots(kind) = dice_.between(2, kWidest);
    if (memory_counts_ && dice_.chance(40)) {
      need[Dimension::kMemoryMb] = dice_.between(1, kMostMemory);
    }
  }
  for (const std::string_view key : kSpeculativeConf) {
    if (stragglers_.chance(10))
      spec->conf[std::string(key)] = stragglers_.chance(50) ? "true" : "false";
  }
  spec->hold = holds_.chance(hold_percent_);
  if (hold_percent_ > 0 && holds_.chance(15)) spec->time_limit_ms = holds_.between(1, 120'000);
  if (counts_containers_) {
    containers_.chance(65) ? draw_application(containers_, *spec) : draw_sizes(containers_, *spec);
  }
  const Caller caller{spec->user, spec->groups};
  cluster_.step(SubmitJob{caller, std::move(spec)});
}

void FuzzStory::beat_one() {
  FuzzTracker& tracker = random_tracker();
  if (tracker.live) cluster_.heartbeat(tracker, !dice_.chance(8));
}

void FuzzStory::beat_all() {
  for (FuzzTracker& tracker : cluster_.trackers()) {
    if (tracker.live) cluster_.heartbeat(tracker);
  }
}

void FuzzStory::finish_some() {
  FuzzTracker& tracker = random_tracker();
  if (!tracker.live) return;
  const int percent = static_cast<int>(dice_.between(10, 100));
  for (auto& [key, attempt] : tracker.held) {
    attempt.progress_millionths = static_cast<std::int32_t>(dice_.below(1000001));
    if (tracker.slow) attempt.progress_millionths /= 10;
    if (tracker.slow && !stragglers_.chance(20)) continue;
    if (dice_.chance(percent)) cluster_.end(attempt, !dice_.chance(fail_percent_));
  }
  if (dice_.chance(70)) cluster_.heartbeat(tracker, !dice_.chance(30));
}

// Tasks shorter than any kill timer, mostly of a queue that is owed something: they end in a report
// that takes no tasks, often a pass falls between, and only then their slots are offered again.
void FuzzStory::churn() {
  std::set<QueueId> owed;
  for (const TaskKind kind : kTaskKinds) {
    for (const auto& [deadline, queue, id] : cluster_.state().claims().by_deadline(kind)) {
      owed.insert(queue);
    }
  }
  const bool of_all = owed.empty() || dice_.chance(20);
  for (std::int64_t rounds = dice_.between(2, 6); rounds > 0; --rounds) {
    FuzzTracker& tracker = random_tracker();
    if (!tracker.live) continue;
    for (auto& [key, attempt] : tracker.held) {
      const Job* job = cluster_.state().find_job(key.task.job);
      const bool meant = of_all || (job != nullptr && owed.contains(job->queue));
      if (meant && dice_.chance(60)) cluster_.end(attempt, true);
    }
    for (int report = 0; report < 2; ++report) cluster_.heartbeat(tracker, false);
    if (dice_.chance(60)) cluster_.advance(dice_.below(3) * 1000);
    if (tracker.live && dice_.chance(80)) cluster_.heartbeat(tracker);
  }
}

void FuzzStory::jump() {
  cluster_.advance(dice_.chance(60) ? dice_.between(1, 3) * 1000 : dice_.between(1, 20000));
}

void FuzzStory::release(const Job& job) {
  cluster_.step(ReleaseJob{{job.spec->user, job.spec->groups}, job.id});
}

void FuzzStory::disturb_job() {
  const Job* job = random_job();
  if (job == nullptr) return;
  const Caller owner{job->spec->user, job->spec->groups};
  if (holds_.chance(job->held ? 60 : hold_percent_ / 4)) return release(*job);
  switch (dice_.below(4)) {
    case 0:
      cluster_.step(KillJob{owner, job->id});
      return;
    case 1:
      cluster_.step(SetPriority{owner, job->id, static_cast<Priority>(dice_.below(5))});
      return;
    default: {
      const bool pools = cluster_.engine().policy().pools() != nullptr;
      cluster_.step(MoveJob{owner, job->id, pools ? random_pool() : random_leaf()});
    }
  }
}

// An administrator's word about a tracker or two; more often than not the last one is taken back.
void FuzzStory::order_trackers() {
  std::vector<std::string> names;
  for (std::int64_t i = operators_.between(1, 2); i > 0; --i) {
    const auto& trackers = cluster_.trackers();
    names.push_back(trackers[static_cast<std::size_t>(
                                 operators_.below(static_cast<std::int64_t>(trackers.size())))]
                        .name);
  }
  const auto order =
      static_cast<TrackerOrder>(operators_.chance(45) ? 0 : operators_.between(1, 3));
  cluster_.step(OrderTrackers{{"root", {}}, std::move(names), order});
  if (operators_.chance(50)) beat_all();
}

void FuzzStory::disturb_tracker() {
  if (operators_.chance(order_percent_)) return order_trackers();
  FuzzTracker& tracker = random_tracker();
  const auto number = static_cast<std::size_t>(&tracker - cluster_.trackers().data());
  if (!tracker.live) return cluster_.connect(tracker, dice_.chance(70));
  switch (dice_.below(5)) {
    case 0:
      cluster_.connect(tracker, true);  // restarted: what ran there is gone
      return;
    case 1: {  // silent until it has expired; the others go on
      tracker.live = false;
      for (int i = 0; i < 4; ++i) {
        cluster_.advance(cluster_.state().settings().heartbeat.expiry_ms / 3);
        beat_all();
      }
      return;
    }
    case 2:
      tracker.total = dice_.chance(50) ? full_size_[number] : random_offer();
      return cluster_.heartbeat(tracker);
    case 3:
      tracker.draining = !tracker.draining;
      return cluster_.heartbeat(tracker);
    default:
      if (cluster_.trackers().size() >= 9) return;
      add_tracker(random_offer(), 3);
  }
}

// Refused while anything runs.
void FuzzStory::change_what_counts() {
  auto settings = std::make_shared<Settings>(cluster_.state().settings());
  count_slots(*settings, cluster_.state().space().containers());
  cluster_.step(ApplySettings{{"root", {}}, std::move(settings)});
}

void FuzzStory::disturb_rules() {
  const Caller root{"root", {}};
  if (counts_containers_ && containers_.chance(20)) return change_what_counts();
  switch (dice_.below(4)) {
    case 0: {
      std::vector<std::string> others;
      for (const std::string& other : policy_names()) {
        if (cluster_.engine().policy().name() != other) others.push_back(other);
      }
      const bool away = cluster_.engine().policy().name() == home_;
      cluster_.step(SetPolicy{root, away ? dice_.one_of(others) : home_});
      if (away && dice_.chance(50)) {
        beat_all();
        jump();
        beat_all();
      }
      if (away && dice_.chance(80)) cluster_.step(SetPolicy{root, home_});
      return;
    }
    case 1:
      cluster_.step(SetQueueState{root, random_leaf(), dice_.chance(40)});
      return;
    default:
      auto settings = redraw_settings(dice_, cluster_.state().settings());
      if (counts_containers_) {
        const bool slots = !cluster_.state().space().containers();
        draw_containers(containers_, *settings);
        count_slots(*settings, slots);
      }
      if (stragglers_.chance(30)) draw_speculation(stragglers_, *settings);
      settings->tracker_faults = cluster_.state().settings().tracker_faults;
      if (operators_.chance(20)) draw_faults(operators_, *settings);
      cluster_.step(ApplySettings{root, std::move(settings)});
  }
}

// For a while nothing becomes durable; then all of it does, or the commands are lost.
void FuzzStory::disturb_store() {
  using S = FuzzStory;
  static const Moves<S> meanwhile = {
      {2, &S::submit}, {4, &S::beat_one}, {2, &S::finish_some}, {1, &S::disturb_job}, {1, &S::jump},
  };
  cluster_.set_lagging(true);
  const std::uint64_t until = cluster_.inputs() + static_cast<std::uint64_t>(dice_.between(2, 15));
  for (int i = 0; i < 30 && cluster_.inputs() < until; ++i) (this->*meanwhile.draw(dice_))();
  cluster_.set_lagging(false);
  cluster_.catch_up(dice_.chance(40));
}

// --- The end ---

bool FuzzStory::all_over() const {
  const auto& jobs = cluster_.state().jobs();
  return std::all_of(jobs.begin(), jobs.end(),
                     [](const auto& job) { return is_over(job.second->state); });
}

// Every tracker is there in full size, one is wide enough for everything, no maximum is too narrow
// for a task: whatever is left must end.
void FuzzStory::drive_to_end(const std::function<bool()>& stop) {
  const Caller root{"root", {}};
  auto settings = without_maximums(cluster_.state().settings());
  if (counts_containers_) lift_container_maximums(*settings);
  cluster_.step(ApplySettings{root, std::move(settings)});
  if (cluster_.engine().policy().name() != home_) cluster_.step(SetPolicy{root, home_});
  Resources largest{{kWidest, kWidest, memory_counts_ ? 8 * kMostMemory : 0, 0}};
  if (counts_containers_) largest += largest_offer();
  cluster_.add_tracker(largest, "r1", all_labels(), 100);
  full_size_.push_back(largest);
  OrderTrackers resume{root, {}, TrackerOrder::kNone};
  for (const FuzzTracker& tracker : cluster_.trackers()) resume.trackers.push_back(tracker.name);
  cluster_.step(std::move(resume));
  for (std::size_t i = 0; i < full_size_.size(); ++i) {
    FuzzTracker& tracker = cluster_.trackers()[i];
    tracker.total = full_size_[i];
    tracker.draining = false;
    if (!tracker.live) cluster_.connect(tracker, true);
  }
  std::vector<const Job*> held;
  for (const auto& [id, job] : cluster_.state().jobs()) {
    if (job->held && !is_over(job->state)) held.push_back(job.get());
  }
  for (const Job* job : held) release(*job);
  std::vector<const Job*> services;
  for (const auto& [id, job] : cluster_.state().jobs()) {
    if (job->spec->service && !is_over(job->state)) services.push_back(job.get());
  }
  for (const Job* job : services)
    cluster_.step(KillJob{{job->spec->user, job->spec->groups}, job->id});
  for (int round = 0; round < kEndRounds && !all_over() && !stop(); ++round) {
    for (FuzzTracker& tracker : cluster_.trackers()) {
      if (stop()) return;
      cluster_.heartbeat(tracker);
      for (auto& [key, attempt] : tracker.held) cluster_.end(attempt, true);
    }
    cluster_.advance(1000);
    // Applications wait while slots count.
    if (counts_containers_ && !cluster_.state().space().containers()) change_what_counts();
  }
}

}  // namespace weir
