#include "lab/faults/virtual_process.h"

#include <utility>

#include "lab/faults/virtual_tasktracker.h"
#include "tracker/tasktracker/attempt_id.h"

namespace weir::faults {
namespace {

constexpr std::int32_t kWhole = 1'000'000;
constexpr int kSteps = 4;

}  // namespace

VirtualProcess::VirtualProcess(World& world, AttemptKey key,
                               std::shared_ptr<const wire::JobDescription> description,
                               bool granted, Outside outside)
    : world_(world),
      key_(key),
      description_(std::move(description)),
      outside_(std::move(outside)),
      granted_(granted),
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
  const bool publishes = key_.task.kind == TaskKind::kReduce || map_only();
  const tasktracker::JobOutput output = tasktracker::output_of(*description_);
  const bool kept = tasktracker::keep_output_place(output, attempt_name(key_), world_.files).ok();
  if (!kept || (publishes && !write_output())) {
    return end(wire::AttemptState::FAILED, "its output cannot be written");
  }
  if (world_.swarm.strikes(Fault::kTaskHung)) return;
  later(world_.dice.between(1, 200), [this] {
    if (key_.task.kind == TaskKind::kReduce) {
      phase_ = wire::TaskPhase::SHUFFLE;
      return copy();
    }
    phase_ = wire::TaskPhase::MAP;
    work(0, kSteps, [this] {
      if (map_only()) return ask_to_commit();
      outside_.keep_output();
      end(wire::AttemptState::SUCCEEDED, "");
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
  output_ = tasktracker::output_of(*description_);
  spec.output = output_.path;
  spec.owner = output_.owner;
  auto made = tasktracker::TaskOutput::create(spec, world_.files);
  if (!made) return false;
  written_ = std::move(*made);
  world_.files.write(written_->path(), attempt_name(key_));
  return true;
}

void VirtualProcess::report(wire::AttemptState::type state, std::int32_t progress, bool waiting) {
  tasktracker::TaskReport made;
  made.status.__set_id(tasktracker::to_wire(key_));
  made.status.__set_state(state);
  made.status.__set_phase(phase_);
  made.status.__set_progress_millionths(progress);
  std::vector<wire::FetchFailure> failures;
  for (const auto& [map, attempt] : failures_) {
    failures.emplace_back();
    failures.back().__set_map_index(map);
    failures.back().__set_map_attempt(attempt);
  }
  if (!failures.empty()) made.status.__set_fetch_failures(failures);
  made.waiting = waiting;
  made.active = true;
  outside_.report(std::move(made));
}

// Some steps of the work, each of which it may fail or hang in.
void VirtualProcess::work(std::int32_t from, int steps, std::function<void()> then) {
  if (steps == 0) return then();
  report(wire::AttemptState::RUNNING, from);
  later(step_ms_, [this, from, steps, then = std::move(then)]() mutable {
    if (world_.swarm.strikes(Fault::kTaskTakesTrackerDown, 3)) return outside_.take_down();
    if (world_.swarm.strikes(Fault::kTaskFailed, 3)) {
      return end(wire::AttemptState::FAILED, "it could not go on (simulated)");
    }
    work(from + (kWhole - from) / (steps + 1), steps - 1, std::move(then));
  });
}

void VirtualProcess::end(wire::AttemptState::type state, const std::string& diagnostics) {
  tasktracker::TaskReport made;
  made.status.__set_id(tasktracker::to_wire(key_));
  made.status.__set_state(state);
  made.status.__set_phase(phase_);
  made.status.__set_progress_millionths(kWhole);
  if (!diagnostics.empty()) made.status.__set_diagnostics(diagnostics);
  outside_.report(std::move(made));
  dying_ = true;
  later(world_.dice.between(0, 30), [this] { outside_.exit("exited"); });
}

void VirtualProcess::kill() {
  if (std::exchange(dying_, true)) return;
  later(world_.dice.between(0, 60), [this] { outside_.exit("was killed"); });
}

// --- Reduces ---

void VirtualProcess::take_outputs(const std::vector<wire::MapOutput>& outputs) {
  for (const wire::MapOutput& output : outputs) {
    const auto known = known_.find(output.map_index);
    if (!output.obsolete) {
      known_[output.map_index] = output;
      failures_.erase(output.map_index);
    } else if (known != known_.end() && known->second.attempt == output.attempt) {
      known_.erase(known);
      failures_.erase(output.map_index);
    }
  }
  if (phase_ == wire::TaskPhase::SHUFFLE && !copying_) copy();
}

// One map's output after the other.
void VirtualProcess::copy() {
  if (dying_) return;
  copying_ = false;
  if (static_cast<std::int32_t>(fetched_.size()) == description_->maps) return copied();
  report(wire::AttemptState::RUNNING,
         description_->maps == 0
             ? 0
             : static_cast<std::int32_t>(static_cast<std::int64_t>(kWhole) / 3 *
                                         static_cast<std::int64_t>(fetched_.size()) /
                                         description_->maps),
         true);
  for (const auto& [map, output] : known_) {
    if (fetched_.contains(map)) continue;
    copying_ = true;
    const bool retried = failures_.contains(map);
    return later(retried ? world_.dice.between(500, 3'000) : world_.dice.between(1, 100),
                 [this, output = output] {
                   const auto server = world_.by_address.find({output.host, output.port});
                   const bool there =
                       server != world_.by_address.end() &&
                       server->second->serves(key_.task.job, output.map_index, output.attempt);
                   if (there) {
                     fetched_.insert(output.map_index);
                     failures_.erase(output.map_index);
                   } else {
                     failures_[output.map_index] = output.attempt;
                   }
                   copy();
                 });
  }
}

void VirtualProcess::copied() {
  phase_ = wire::TaskPhase::SORT;
  report(wire::AttemptState::RUNNING, kWhole / 3, !granted_);
  if (granted_) compute();
}

void VirtualProcess::grant() {
  if (std::exchange(granted_, true) || dying_) return;
  if (phase_ == wire::TaskPhase::SORT) compute();
}

void VirtualProcess::compute() {
  phase_ = wire::TaskPhase::REDUCE;
  work(kWhole / 3 * 2, kSteps, [this] { ask_to_commit(); });
}

// --- Publishing ---

void VirtualProcess::ask_to_commit() {
  phase_ = wire::TaskPhase::COMMIT;
  if (!written_->sync()) return end(wire::AttemptState::FAILED, "its output is gone");
  report(wire::AttemptState::COMMIT_PENDING, kWhole);
}

// A planted error: the newest wins.
void VirtualProcess::publish_over() {
  const std::string part =
      description_->spec.output + "/" + tasktracker::part_name(key_.task.index);
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
      return report(wire::AttemptState::COMMIT_PENDING, kWhole);
    }
    if (world_.plant.is(Planted::kDoubleCommit)) publish_over();
    if (!written_->commit()) return end(wire::AttemptState::FAILED, "its output is gone");
    end(wire::AttemptState::SUCCEEDED, "");
  });
}

}  // namespace weir::faults
