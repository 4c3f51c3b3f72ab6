// Strong, dense ids. A JobId is the job's number: given out in order, never repeated, durable. The
// other ids are indexes into the state's vectors, valid in one process only; outside it things are
// known by name.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
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

// Of what kind a task of a job is: the group that it belongs to. MapReduce has the first two, and
// each of them a kind of slot; the groups of an application are numbered from kFirstGroup on, in
// the order in which it names them.
enum class TaskKind : std::uint8_t { kMap = 0, kReduce = 1, kFirstGroup = 2 };
inline constexpr TaskKind kTaskKinds[] = {TaskKind::kMap, TaskKind::kReduce};  // of MapReduce
inline constexpr std::size_t kTaskKindCount = 2;
inline constexpr std::size_t kGroupsAtMost = 64;  // of an application
constexpr std::size_t index(TaskKind kind) {
  return static_cast<std::size_t>(kind);
}
constexpr const char* name(TaskKind kind) {
  return kind == TaskKind::kMap ? "map" : kind == TaskKind::kReduce ? "reduce" : "task";
}
constexpr bool is_group(TaskKind kind) {
  return kind >= TaskKind::kFirstGroup;
}
constexpr TaskKind group_kind(std::size_t number) {  // 0: the first that an application names
  return static_cast<TaskKind>(index(TaskKind::kFirstGroup) + number);
}
constexpr std::size_t group_number(TaskKind kind) {
  return index(kind) - index(TaskKind::kFirstGroup);
}

// The kinds that the tasks of one job have: a pair of MapReduce, or the groups of an application.
class TaskKinds {
 public:
  constexpr TaskKinds(TaskKind first, std::size_t count) : first_(index(first)), count_(count) {}
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = TaskKind;
    using difference_type = std::ptrdiff_t;
    using pointer = const TaskKind*;
    using reference = TaskKind;
    constexpr explicit Iterator(std::size_t at) : at_(at) {}
    constexpr TaskKind operator*() const { return static_cast<TaskKind>(at_); }
    constexpr Iterator& operator++() { return ++at_, *this; }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::size_t at_;
  };
  constexpr Iterator begin() const { return Iterator(first_); }
  constexpr Iterator end() const { return Iterator(first_ + count_); }
  constexpr std::size_t size() const { return count_; }

 private:
  std::size_t first_, count_;
};

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
// task_0007_m_000012; of the third group of an application task_0007_g2_000012
std::string task_name(const TaskKey& task);
std::string attempt_name(const AttemptKey& attempt);      // attempt_0007_m_000012_0
std::optional<JobId> parse_job_name(std::string_view s);  // "job_0007", "0007" or "7"

}  // namespace weir

template <class Tag>
struct std::hash<weir::Id<Tag>> {
  std::size_t operator()(weir::Id<Tag> id) const noexcept {
    return id.value * 0x9E3779B97F4A7C15ull;
  }
};
