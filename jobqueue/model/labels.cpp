#include "jobqueue/model/labels.h"

#include <algorithm>
#include <map>

namespace weir {
namespace {

// One more task of the group on the tracker keeps the difference between the values of the label on
// live trackers that could run the group when they are empty. Costs a look at all trackers and at
// all tasks of the group, for groups that ask for it.
bool spreads(const ClusterState& state, const Job& job, TaskKind kind, const TaskGroupSpec& group,
             const TrackerState& tracker, const std::vector<GangRoom>& planned) {
  const std::string& by = group.spread->by;
  std::map<std::string_view, std::uint32_t> running;
  for (const TrackerState& other : state.trackers()) {
    if (other.live() && meets(other, state, group.require) &&
        other.port_count >= group.ports && state.fits_in(job.need(kind), other, {}))
      running.try_emplace(label_of(other, state, by), 0);
  }
  for (const Task& task : job.tasks(kind).tasks) {
    state.each_attempt(task, [&](AttemptSlot slot) {
      const Attempt& attempt = state.attempt(slot);
      if (!attempt.dying()) ++running[label_of(state.tracker(attempt.tracker), state, by)];
    });
  }
  const auto count = [&](const std::vector<GangRoom>& rooms) {
    for (const GangRoom& room : rooms) {
      if (room.task.kind == kind) ++running[label_of(state.tracker(room.tracker), state, by)];
    }
  };
  count(planned);
  if (const Assembly* assembly = state.assembly_of(job.id)) count(assembly->rooms);
  std::uint32_t least = UINT32_MAX;
  for (const auto& [value, tasks] : running) least = std::min(least, tasks);
  return running[label_of(tracker, state, by)] + 1 - least <= group.spread->max_skew;
}

}  // namespace

std::string_view label_of(const TrackerState& tracker, const ClusterState& state,
                          std::string_view label) {
  if (label == "name") return tracker.name;
  if (label == "rack") return state.rack_name(tracker.rack);
  const auto found = tracker.labels.find(std::string(label));
  return found == tracker.labels.end() ? std::string_view() : std::string_view(found->second);
}

bool meets(const TrackerState& tracker, const ClusterState& state,
           const std::vector<Requirement>& required) {
  return std::all_of(required.begin(), required.end(), [&](const Requirement& asked) {
    const std::string_view has = label_of(tracker, state, asked.label);
    const bool among =
        std::find(asked.values.begin(), asked.values.end(), has) != asked.values.end();
    return among != asked.none_of;
  });
}

bool ClusterState::allows(const Job& job, TaskKind kind, const TrackerState& tracker,
                          const std::vector<GangRoom>& planned) const {
  const TaskGroupSpec& group = job.spec->task_groups[group_number(kind)];
  std::uint32_t ports = group.ports;
  for (const GangRoom& room : planned) {
    if (room.tracker == tracker.id)
      ports += job.spec->task_groups[group_number(room.task.kind)].ports;
  }
  const bool has_ports =
      group.ports == 0 || tracker.port_count >= tracker.ports_used + ports;
  if (!has_ports || !meets(tracker, *this, group.require)) return false;
  return !group.spread || spreads(*this, job, kind, group, tracker, planned);
}

std::string text(const std::vector<Requirement>& required) {
  std::string out;
  for (const Requirement& asked : required) {
    out += (out.empty() ? "" : ", ") + asked.label + (asked.none_of ? " not" : "");
    for (std::size_t i = 0; i < asked.values.size(); ++i)
      out += (i == 0 ? " " : " or ") + asked.values[i];
  }
  return out;
}

}  // namespace weir
