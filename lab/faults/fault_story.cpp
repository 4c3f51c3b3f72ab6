#include "lab/faults/fault_story.h"

#include <algorithm>
#include <utility>

#include "lab/stories/fuzz_settings.h"

namespace weir::faults {
namespace {

constexpr DurationMs kMinute = 60'000;
constexpr DurationMs kRestMs = 120 * kMinute;  // by then everything must have ended
constexpr std::uint64_t kOfContainersOneIn = 5;  // seeds

// Wide enough for everything that is drawn.
RegisterTracker last_offer(bool containers) {
  RegisterTracker offer;
  offer.name = "last";
  offer.rack = "r1";
  offer.total = Resources{{4, 4, 0, 0}};
  if (!containers) return offer;
  offer.total = Resources{{0, 0, 65'536, 64}};
  offer.named = {{"gpu", 16}};
  offer.labels = {{"disk", "ssd"}};
  offer.port_count = 64;
  return offer;
}

}  // namespace

FaultStory::FaultStory(const FaultStoryOptions& options, PolicyFactory factory)
    : world_(options.seed, options.planted),
      containers_(options.seed % kOfContainersOneIn == 0) {
  on_sqlite_ = world_.dice.chance(25) && options.sqlite;
  disk_ =
      on_sqlite_ ? make_sqlite_disk(world_.plant, options.seed)
                 : make_memory_disk(world_.plant);
  if (world_.dice.chance(20)) check_mode_ = check::CheckMode::kFull;
  jobtracker_ = std::make_unique<VirtualJobTracker>(
      world_.agenda, world_.dice, world_.swarm, world_.plant, *disk_,
      [this](const std::string& text) { return settings_.at(text); }, std::move(factory));
  if (options.events != nullptr) {
    log_ = std::make_unique<EventLog>(*options.events, names_);
    jobtracker_->watch(names_);
    jobtracker_->watch(*log_);
  }
  jobtracker_->watch(*this);
  world_.jobtracker = jobtracker_.get();
  world_.on_reported = [this](const Heartbeat& report) { check_believed(report); };
  world_.on_wrong = [this](const std::string& what) { wrong(what); };
  disk_->on_wrong = world_.on_wrong;
  world_.files.on_published = [this](const std::string& path, const std::string& by) {
    check_published(path, by);
  };
}

FaultStory::~FaultStory() = default;

void FaultStory::wrong(const std::string& what) {
  if (!wrong_) wrong_ = "at " + std::to_string(world_.agenda.now()) + " ms: " + what;
}

std::optional<std::string> FaultStory::run() {
  make_cluster();
  start_jobtracker();
  for (auto& tracker : trackers_) tracker->start();
  const TimeMs calm_at = world_.agenda.now() + world_.dice.between(20, 150) * 1'000;
  for (TimeMs at = world_.agenda.now(); at < calm_at; at += world_.dice.between(50, 4'000)) {
    world_.agenda.at(at, [this] { disturb(); });
  }
  go_on_until(calm_at);
  if (!wrong_) come_to_rest();
  return wrong_;
}

void FaultStory::go_on_until(TimeMs end) {
  while (!wrong_ && !world_.agenda.empty() && world_.agenda.next() < end) world_.agenda.go_on();
}

void FaultStory::make_cluster() {
  auto first = draw_settings(world_.dice);
  first->heartbeat.interval_ms = world_.dice.between(500, 3'000);
  first->heartbeat.expiry_ms = world_.dice.between(6'000, 20'000);
  first->text = "settings 0";
  if (containers_) {
    first->resources.mode = ResourceSettings::Mode::kContainers;
    first->resources.named = {"gpu"};
  }
  drawn_ = first;
  settings_[""] = settings_[first->text] = first;
  promises_.sent(kSettingsValue, first->text, 0);
  promises_.sent(kPolicyValue, first->policy, 0);
  const std::int64_t count = world_.dice.between(2, 5);
  for (std::int64_t i = 1; i <= count; ++i) {
    trackers_.push_back(
        std::make_unique<VirtualTaskTracker>(world_, draw_offer("tt" + std::to_string(i))));
    promises_.sent(order_of(trackers_.back()->name()), name(TrackerOrder::kNone), 0);
  }
}

RegisterTracker FaultStory::draw_offer(const std::string& name) {
  Dice& dice = world_.dice;
  RegisterTracker offer;
  offer.name = name;
  offer.total = Resources{{dice.between(1, 4), dice.between(1, 3), 0, 0}};
  offer.rack = "r" + std::to_string(dice.between(1, 2));
  if (!containers_) return offer;
  offer.total = Resources{{0, 0, dice.between(2, 8) * 1024, dice.between(1, 6)}};
  offer.named = {{"gpu", dice.below(4)}};
  offer.labels = {{"disk", dice.chance(50) ? "ssd" : "hdd"}};
  offer.port_count = static_cast<std::uint32_t>(dice.below(6));
  return offer;
}

// --- Lives of the JobTracker ---

void FaultStory::start_jobtracker() {
  if (check_mode_ == check::CheckMode::kFull && jobtracker_->starts() > 0) {
    check_mode_ = check::CheckMode::kEach;  // what came before is not known
  }
  checker_.emplace(check_mode_);
  if (const Status started = jobtracker_->start(); !started) {
    return wrong("the JobTracker cannot start again: " + started.error().message);
  }
  check_disk();
  if (auto broken = promises_.broken(jobtracker_->engine())) wrong(*broken);
  check_dropped();
}

void FaultStory::kill_jobtracker(VirtualJobTracker::Death death) {
  check_disk();
  if (jobtracker_->up()) jobtracker_->kill(death);
}

// Everything that runs is gone, and of what was not synced what chance does not leave.
void FaultStory::lose_power() {
  kill_jobtracker(VirtualJobTracker::Death::kMachine);
  for (auto& tracker : trackers_) {
    if (tracker->up()) tracker->kill();
  }
  const int kept = static_cast<int>(world_.dice.between(0, 3) * 30);
  world_.files.lose_power([&] { return world_.dice.chance(kept); });
}

// Called when it has died, however that came: trackers go on with what they run.
void FaultStory::mark_running() {
  killed_at_ = world_.agenda.now();
  believed_.clear();
  for (auto& tracker : trackers_) {
    for (const auto& [key, process] : tracker->processes()) believed_[key] = tracker.get();
  }
}

// --- The end ---

bool FaultStory::all_over() const {
  const auto& jobs = jobtracker_->engine().state().jobs();
  return std::all_of(jobs.begin(), jobs.end(),
                     [](const auto& job) { return is_over(job.second->state); });
}

// No fault any more, everybody is there, and one tracker is wide enough for everything.
void FaultStory::come_to_rest() {
  world_.swarm.calm();
  if (!jobtracker_->up()) start_jobtracker();
  trackers_.push_back(std::make_unique<VirtualTaskTracker>(world_, last_offer(containers_)));
  for (auto& tracker : trackers_) {
    if (!tracker->up()) tracker->start();
    tracker->fill_disk(false);
  }
  go_on_until(world_.agenda.now() + kMinute);  // what is late still comes
  if (wrong_) return;
  apply(without_maximums(jobtracker_->engine().state().settings()));
  std::vector<JobId> services;  // which have no end of their own
  for (const auto& [id, job] : jobtracker_->engine().state().jobs()) {
    if (job->spec->service && !is_over(job->state)) services.push_back(id);
  }
  for (const JobId id : services) kill(id);
  const TimeMs end = world_.agenda.now() + kRestMs;
  while (!wrong_ && world_.agenda.now() < end && !all_over()) {
    go_on_until(world_.agenda.now() + kMinute);
  }
  if (wrong_) return;
  if (all_over()) go_on_until(world_.agenda.now() + kMinute);  // duties, and what is to be dropped
  if (wrong_) return;
  check_disk();
  if (auto broken = promises_.broken(jobtracker_->engine())) wrong(*broken);
  check_ends();
}

}  // namespace weir::faults
