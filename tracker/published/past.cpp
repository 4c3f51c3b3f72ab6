#include "tracker/published/past.h"

#include <algorithm>
#include <utility>

#include "jobqueue/model/cluster_state.h"

namespace weir {
namespace {

void add(const QueueView::SlotTime& from, QueueView::SlotTime& to) {
  to.used_ms += from.used_ms;
  to.lent_ms += from.lent_ms;
  to.borrowed_ms += from.borrowed_ms;
  to.lost_ms += from.lost_ms;
}

void add(const QueuePast::User& from, QueuePast::User& to) {
  to.succeeded += from.succeeded;
  to.failed += from.failed;
  to.killed += from.killed;
  to.used_map_ms += from.used_map_ms;
  to.used_reduce_ms += from.used_reduce_ms;
  to.lost_map_ms += from.lost_map_ms;
  to.lost_reduce_ms += from.lost_reduce_ms;
}

void add(const QueuePast::User& from, QueueView::User& to) {
  const auto sum = [](std::optional<std::int64_t>& total, std::int64_t more) {
    total = total.value_or(0) + more;
  };
  sum(to.jobs_succeeded, from.succeeded);
  sum(to.jobs_failed, from.failed);
  sum(to.jobs_killed, from.killed);
  sum(to.used_map_slot_ms, from.used_map_ms);
  sum(to.used_reduce_slot_ms, from.used_reduce_ms);
  sum(to.lost_map_slot_ms, from.lost_map_ms);
  sum(to.lost_reduce_slot_ms, from.lost_reduce_ms);
}

void add(QueuePast&& from, QueuePast& to) {
  to.since = to.since == 0 ? from.since : std::min(to.since, from.since);
  add(from.maps, to.maps);
  add(from.reduces, to.reduces);
  to.succeeded += from.succeeded;
  to.failed += from.failed;
  to.killed += from.killed;
  for (QueuePast::User& user : from.users) {
    const auto same = std::find_if(to.users.begin(), to.users.end(),
                                   [&](const auto& known) { return known.name == user.name; });
    if (same == to.users.end()) {
      to.users.push_back(std::move(user));
    } else {
      add(user, *same);
    }
  }
  for (QueueView::Kill& kill : from.kills) to.kills.push_back(std::move(kill));
  std::stable_sort(to.kills.begin(), to.kills.end(),
                   [](const auto& a, const auto& b) { return a.at_ms > b.at_ms; });
  if (to.kills.size() > Past::kKillsShown) to.kills.resize(Past::kKillsShown);
}

}  // namespace

bool QueuePast::User::empty() const {
  User nothing;
  nothing.name = name;
  return *this == nothing;
}

QueuePast past_of(const QueueView& queue) {
  QueuePast out;
  out.since = queue.totals_since_ms;
  out.maps = queue.map_time.value_or(QueueView::SlotTime{});
  out.reduces = queue.reduce_time.value_or(QueueView::SlotTime{});
  out.succeeded = queue.jobs_succeeded;
  out.failed = queue.jobs_failed;
  out.killed = queue.jobs_killed;
  for (const QueueView::User& user : queue.users) {
    const QueuePast::User past{user.user,
                               user.jobs_succeeded.value_or(0),
                               user.jobs_failed.value_or(0),
                               user.jobs_killed.value_or(0),
                               user.used_map_slot_ms.value_or(0),
                               user.used_reduce_slot_ms.value_or(0),
                               user.lost_map_slot_ms.value_or(0),
                               user.lost_reduce_slot_ms.value_or(0)};
    if (!past.empty()) out.users.push_back(past);
  }
  out.kills = queue.kills;
  return out;
}

Past::Past(TimeMs started, Queues queues) : started_(started), queues_(std::move(queues)) {}

void Past::follow(const Settings& settings, const QueueTree& tree) {
  std::vector<std::pair<std::string, std::string>> moves;
  for (const auto& [path, past] : queues_) {
    if (tree.find_path(path)) continue;
    const QueueId to = queue_after(settings, tree, path);
    if (to.valid()) moves.emplace_back(path, tree.node(to).path);
  }
  for (const auto& [from, to] : moves) {
    QueuePast gone = std::move(queues_.extract(from).mapped());
    add(std::move(gone), queues_[to]);
  }
}

// What an inner queue has lent and borrowed is its own; the rest is summed up over its leaves.
void Past::add_totals(QueueView& queue) const {
  queue.totals_since_ms = started_;
  const auto found = queues_.find(queue.name);
  if (found == queues_.end()) return;
  const QueuePast& past = found->second;
  queue.totals_since_ms = past.since;
  if (!queue.leaf) {
    for (auto [time, before] : {std::pair{&queue.map_time, &past.maps},
                                std::pair{&queue.reduce_time, &past.reduces}}) {
      if (!*time) continue;
      (*time)->lent_ms += before->lent_ms;
      (*time)->borrowed_ms += before->borrowed_ms;
    }
    return;
  }
  if (queue.map_time) add(past.maps, *queue.map_time);
  if (queue.reduce_time) add(past.reduces, *queue.reduce_time);
  queue.jobs_succeeded += past.succeeded;
  queue.jobs_failed += past.failed;
  queue.jobs_killed += past.killed;
  std::size_t gone = 0;
  for (const QueueView::User& user : queue.users) gone += user.jobs == 0 ? 1 : 0;
  for (const QueuePast::User& user : past.users) {
    const auto same = std::find_if(queue.users.begin(), queue.users.end(),
                                   [&](const auto& shown) { return shown.user == user.name; });
    if (same != queue.users.end()) {
      add(user, *same);
    } else if (gone < kUsersShown) {
      ++gone;
      QueueView::User shown;
      shown.user = user.name;
      shown.jobs_waiting = shown.jobs_running = shown.jobs_pending = 0;
      add(user, shown);
      queue.users.push_back(std::move(shown));
    }
  }
}

void Past::add_kills(QueueView& queue) const {
  const auto found = queues_.find(queue.name);
  if (found == queues_.end()) return;
  for (const QueueView::Kill& kill : found->second.kills) {
    if (queue.kills.size() >= kKillsShown) return;
    queue.kills.push_back(kill);
  }
}

}  // namespace weir
