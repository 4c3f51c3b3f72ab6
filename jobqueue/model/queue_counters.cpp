#include "jobqueue/model/queue_counters.h"

#include <algorithm>
#include <vector>

#include "jobqueue/model/space.h"

namespace weir {

void SlotTime::rename(const Space& from, const Space& to) {
  if (!from.containers() || !to.containers()) return;
  const PerDimension<std::int64_t> before = containers_;
  for (const Dimension d : kContainerDimensions)
    if (d.is_named() && before[d] != 0) containers_[d] = 0;
  for (const Dimension d : from.dimensions()) {
    const auto now = d.is_named() && before[d] != 0 ? to.find(from.name(d)) : std::nullopt;
    if (now) containers_[*now] = before[d];
  }
}

UserCounters& QueueCounters::user(UserId id, TimeMs now) {
  const bool known = users.contains(id);
  if (!known && users.size() >= kUsersKept) {  // half goes, so that it is seldom done
    std::vector<TimeMs> times;
    for (const auto& [user, counters] : users) times.push_back(counters.touched_at);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    auto kept = users.extract_sequence();
    const auto unseen = [&](const auto& entry) { return entry.second.touched_at <= *middle; };
    kept.erase(std::remove_if(kept.begin(), kept.end(), unseen), kept.end());
    users.adopt_sequence(boost::container::ordered_unique_range, std::move(kept));
  }
  UserCounters& found = users[id];
  found.touched_at = std::max(found.touched_at, now);
  return found;
}

void QueueCounters::add(const QueueCounters& other) {
  ended += other.ended;
  used_ms += other.used_ms;
  lent_ms += other.lent_ms;
  borrowed_ms += other.borrowed_ms;
  lost_ms += other.lost_ms;
  for (const auto& [id, theirs] : other.users) {
    UserCounters& ours = user(id, theirs.touched_at);
    ours.ended += theirs.ended;
    ours.used_ms += theirs.used_ms;
    ours.lost_ms += theirs.lost_ms;
  }
}

void QueueCounters::rename(const Space& from, const Space& to) {
  for (SlotTime* time : {&used_ms, &lent_ms, &borrowed_ms, &lost_ms}) time->rename(from, to);
  for (auto& [id, user] : users) {
    user.used_ms.rename(from, to);
    user.lost_ms.rename(from, to);
  }
}

}  // namespace weir
