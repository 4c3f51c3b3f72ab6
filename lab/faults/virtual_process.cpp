#include "lab/faults/virtual_process.h"

#include <utility>

#include "lab/faults/virtual_tasktracker.h"

namespace weir::faults {
namespace {

constexpr std::int32_t kWhole = 1'000'000;
constexpr int kSteps = 4;

}  // namespace

VirtualProcess::VirtualProcess(World& world, const Launch& launch, JobDescription description,
                               Outside outside)
    : world_(world),
      key_(launch.attempt),
      units_(launch.grant == nullptr ? Units() : launch.grant->units),
      description_(std::move(description)),
      outside_(std::move(outside)),
      granted_(launch.compute_granted),
      began_at_(world.agenda.now()) {
  step_ms_ =
      world_.dice.chance(85) ? world_.dice.between(10, 1'500) : world_.dice.between(1'000, 15'000);
}

void VirtualProcess::later(DurationMs wait, std::function<void()> deed) {
  world_.agenda.after(wait, [alive = alive_, deed = std::move(deed)] {
    if (*alive) deed();
  });
}

void VirtualProcess::begin() {
  if (is_group(key_.task.kind)) return run_command();
  const bool publishes = key_.task.kind == TaskKind::kReduce || map_only();
  const tasktracker::JobOutput output = tasktracker::output_of(description_);
  const bool kept = tasktracker::keep_output_place(output, attempt_name(key_), world_.files).ok();
  if (!kept || (publishes && !write_output())) {
    return end(ReportedState::kFailed, "its output cannot be written");
  }
  if (world_.swarm.strikes(Fault::kTaskHung)) return;
  later(world_.dice.between(1, 200), [this] {
    if (key_.task.kind == TaskKind::kReduce) {
      phase_ = TaskPhase::kShuffle;
      return copy();
    }
    phase_ = TaskPhase::kMap;
    work(0, kSteps, [this] {
      if (map_only()) return ask_to_commit();
      outside_.keep_output();
      end(ReportedState::kSucceeded, "");
    });
  });
}

std::string VirtualProcess::aside() const {
  if (output_.path.empty()) return "";
  return output_.path + "/" + tasktracker::kAside + "/" + attempt_name(key_);
}

bool VirtualProcess::write_output() {
  tasktracker::TaskSpec spec;
  spec.id = key_;
  output_ = tasktracker::output_of(description_);
  spec.output = output_.path;
  spec.owner = output_.owner;
  auto made = tasktracker::TaskOutput::create(spec, world_.files);
  if (!made) return false;
  written_ = std::move(*made);
  world_.files.write(written_->path(), attempt_name(key_));
  return true;
}

void VirtualProcess::report(ReportedState state, std::int32_t progress, bool waiting) {
  tasktracker::TaskReport made;
  made.status.attempt = key_;
  made.status.state = state;
  made.status.phase = phase_;
  made.status.progress_millionths = progress;
  for (const auto& [map, attempt] : failures_) made.status.fetch_failures.push_back({map, attempt});
  made.waiting = waiting;
  made.active = true;
  outside_.report(std::move(made));
}

// Some steps of the work, each of which it may fail or hang in.
void VirtualProcess::work(std::int32_t from, int steps, std::function<void()> then) {
  if (steps == 0) return then();
  report(ReportedState::kRunning, from);
  later(step_ms_, [this, from, steps, then = std::move(then)]() mutable {
    if (world_.swarm.strikes(Fault::kTaskTakesTrackerDown, 3)) return outside_.take_down();
    if (world_.swarm.strikes(Fault::kTaskFailed, 3)) {
      return end(ReportedState::kFailed, "it could not go on (simulated)");
    }
    work(from + (kWhole - from) / (steps + 1), steps - 1, std::move(then));
  });
}

void VirtualProcess::end(ReportedState state, const std::string& diagnostics) {
  tasktracker::TaskReport made;
  made.status.attempt = key_;
  made.status.state = state;
  made.status.phase = phase_;
  made.status.progress_millionths = kWhole;
  made.status.diagnostics = diagnostics;
  outside_.report(std::move(made));
  dying_ = true;
  later(world_.dice.between(0, 30), [this] { outside_.exit("exited"); });
}

void VirtualProcess::kill() {
  if (std::exchange(dying_, true)) return;
  later(world_.dice.between(0, 60), [this] { outside_.exit("was killed"); });
}

// --- Applications ---

void VirtualProcess::run_command() {
  if (world_.swarm.strikes(Fault::kTaskHung)) return;
  later(world_.dice.between(1, 200), [this] {
    work(0, kSteps, [this] { end(ReportedState::kSucceeded, ""); });
  });
}

// --- Reduces ---

void VirtualProcess::take_outputs(const std::vector<MapOutput>& outputs) {
  for (const MapOutput& output : outputs) {
    const auto known = known_.find(output.map);
    if (!output.obsolete) {
      known_[output.map] = output;
      failures_.erase(output.map);
    } else if (known != known_.end() && known->second.attempt == output.attempt) {
      known_.erase(known);
      failures_.erase(output.map);
    }
  }
  if (phase_ == TaskPhase::kShuffle && !copying_) copy();
}

// One map's output after the other.
void VirtualProcess::copy() {
  if (dying_) return;
  copying_ = false;
  const std::size_t maps = description_.spec->tasks(TaskKind::kMap);
  if (fetched_.size() == maps) return copied();
  const std::size_t progress = maps == 0 ? 0 : kWhole / 3 * fetched_.size() / maps;
  report(ReportedState::kRunning, static_cast<std::int32_t>(progress), true);
  for (const auto& [map, output] : known_) {
    if (fetched_.contains(map)) continue;
    copying_ = true;
    const bool retried = failures_.contains(map);
    return later(retried ? world_.dice.between(500, 3'000) : world_.dice.between(1, 100),
                 [this, output = output] {
                   const auto server = world_.by_address.find({output.host, output.port});
                   const bool there =
                       server != world_.by_address.end() &&
                       server->second->serves(key_.task.job, output.map, output.attempt);
                   if (there) {
                     fetched_.insert(output.map);
                     failures_.erase(output.map);
                   } else {
                     failures_[output.map] = output.attempt;
                   }
                   copy();
                 });
  }
}

void VirtualProcess::copied() {
  phase_ = TaskPhase::kSort;
  report(ReportedState::kRunning, kWhole / 3, !granted_);
  if (granted_) compute();
}

void VirtualProcess::grant() {
  if (std::exchange(granted_, true) || dying_) return;
  if (phase_ == TaskPhase::kSort) compute();
}

void VirtualProcess::compute() {
  phase_ = TaskPhase::kReduce;
  work(kWhole / 3 * 2, kSteps, [this] { ask_to_commit(); });
}

// --- Publishing ---

void VirtualProcess::ask_to_commit() {
  phase_ = TaskPhase::kCommit;
  if (!written_->sync()) return end(ReportedState::kFailed, "its output is gone");
  report(ReportedState::kCommitPending, kWhole);
}

// A planted error: the newest wins.
void VirtualProcess::publish_over() {
  const std::string part =
      description_.spec->output + "/" + tasktracker::part_name(key_.task.index);
  const std::string there = world_.files.read(part);
  if (!there.empty() && there != attempt_name(key_)) world_.on_wrong(part + " was published twice");
  if (auto output = world_.files.open(output_.path); output && *output != nullptr)
    (void)(*output)->remove_file(tasktracker::part_name(key_.task.index)).ok();
}

void VirtualProcess::commit(std::int64_t until_ms) {
  const bool slow = world_.dice.chance(10) || world_.plant.is(Planted::kLateCommit);
  later(slow ? world_.dice.between(100, 30'000) : world_.dice.between(0, 40), [this, until_ms] {
    if (dying_) return;
    const bool fresh = world_.agenda.now() <= until_ms;
    if (!fresh && !world_.plant.is(Planted::kLateCommit)) {
      return report(ReportedState::kCommitPending, kWhole);
    }
    if (world_.plant.is(Planted::kDoubleCommit)) publish_over();
    if (!written_->commit()) return end(ReportedState::kFailed, "its output is gone");
    end(ReportedState::kSucceeded, "");
  });
}

}  // namespace weir::faults
