// Strong, dense ids. A JobId is the job's number: given out in order, never repeated, durable. The
// other ids are indexes into the state's vectors, valid in one process only; outside it things are
// known by name.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

template <class Tag>
struct Id {
  std::uint32_t value = UINT32_MAX;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}
  constexpr bool valid() const { return value != UINT32_MAX; }
  constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using JobId = Id<struct JobTag>;
using QueueId = Id<struct QueueTag>;
using TrackerId = Id<struct TrackerTag>;
using RackId = Id<struct RackTag>;
using UserId = Id<struct UserTag>;
using AttemptSlot = Id<struct AttemptTag>;  // place in ClusterState's pool of live attempts; reused

// The two kinds of task of a MapReduce job, and of slot.
enum class TaskKind : std::uint8_t { kMap = 0, kReduce = 1 };
inline constexpr TaskKind kTaskKinds[] = {TaskKind::kMap, TaskKind::kReduce};
inline constexpr std::size_t kTaskKindCount = 2;
constexpr std::size_t index(TaskKind kind) {
  return static_cast<std::size_t>(kind);
}
constexpr const char* name(TaskKind kind) {
  return kind == TaskKind::kMap ? "map" : "reduce";
}

struct TaskKey {
  JobId job;
  TaskKind kind = TaskKind::kMap;
  std::uint32_t index = 0;
  friend auto operator<=>(const TaskKey&, const TaskKey&) = default;
};

struct AttemptKey {
  TaskKey task;
  std::uint32_t attempt = 0;
  friend auto operator<=>(const AttemptKey&, const AttemptKey&) = default;
};

std::string job_name(JobId job);                          // job_0007
std::string task_name(const TaskKey& task);               // task_0007_m_000012
std::string attempt_name(const AttemptKey& attempt);      // attempt_0007_m_000012_0
std::optional<JobId> parse_job_name(std::string_view s);  // "job_0007", "0007" or "7"

}  // namespace weir

template <class Tag>
struct std::hash<weir::Id<Tag>> {
  std::size_t operator()(weir::Id<Tag> id) const noexcept {
    return id.value * 0x9E3779B97F4A7C15ull;
  }
};
