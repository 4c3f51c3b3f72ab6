#include "tracker/published/past.h"

#include <algorithm>
#include <map>
#include <string_view>
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

void take_away(const QueueView::SlotTime& of, QueueView::SlotTime& from) {
  from.used_ms -= of.used_ms;
  from.lost_ms -= of.lost_ms;
}

// What a queue has lent and borrowed is left behind.
QueueView::SlotTime without_lent(const QueueView::SlotTime& time) {
  return {time.used_ms, 0, 0, time.lost_ms};
}

void add(const QueuePast::User& from, QueuePast::User& to) {
  to.succeeded += from.succeeded;
  to.failed += from.failed;
  to.killed += from.killed;
  to.used_map_ms += from.used_map_ms;
  to.used_reduce_ms += from.used_reduce_ms;
  to.lost_map_ms += from.lost_map_ms;
  to.lost_reduce_ms += from.lost_reduce_ms;
  for (const auto& [dimension, had] : from.amounts) {
    to.amounts[dimension].used_ms += had.used_ms;
    to.amounts[dimension].lost_ms += had.lost_ms;
  }
}

// Of a queue where `shown` counts, or slots do.
void add(const QueuePast::User& from, const std::vector<QueueView::Amounts>& shown,
         QueueView::User& to) {
  const auto sum = [](std::optional<std::int64_t>& total, std::int64_t more) {
    total = total.value_or(0) + more;
  };
  sum(to.jobs_succeeded, from.succeeded);
  sum(to.jobs_failed, from.failed);
  sum(to.jobs_killed, from.killed);
  if (!shown.empty()) {
    to.amounts.resize(shown.size());
    for (std::size_t i = 0; i < shown.size(); ++i) {
      to.amounts[i].dimension = shown[i].dimension;
      const auto had = from.amounts.find(shown[i].dimension);
      if (had == from.amounts.end()) continue;
      to.amounts[i].used_ms += had->second.used_ms;
      to.amounts[i].lost_ms += had->second.lost_ms;
    }
    return;
  }
  sum(to.used_map_slot_ms, from.used_map_ms);
  sum(to.used_reduce_slot_ms, from.used_reduce_ms);
  sum(to.lost_map_slot_ms, from.lost_map_ms);
  sum(to.lost_reduce_slot_ms, from.lost_reduce_ms);
}

void add_lent(const QueueView::SlotTime& from, QueueView::SlotTime& to) {
  to.lent_ms += from.lent_ms;
  to.borrowed_ms += from.borrowed_ms;
}

void add_lent(const QueuePast& from, QueuePast& to) {
  add_lent(from.maps, to.maps);
  add_lent(from.reduces, to.reduces);
  for (const auto& [dimension, time] : from.amounts) add_lent(time, to.amounts[dimension]);
}

void add_without_lent(QueuePast&& from, QueuePast& to) {
  to.since = to.since == 0 ? from.since : std::min(to.since, from.since);
  add(without_lent(from.maps), to.maps);
  add(without_lent(from.reduces), to.reduces);
  for (const auto& [dimension, time] : from.amounts)
    add(without_lent(time), to.amounts[dimension]);
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

namespace {

QueuePast::User past_of(const QueueView::User& user, const QueuePast::User& before) {
  QueuePast::User out{user.user,
                      user.jobs_succeeded.value_or(0),
                      user.jobs_failed.value_or(0),
                      user.jobs_killed.value_or(0),
                      user.used_map_slot_ms.value_or(before.used_map_ms),
                      user.used_reduce_slot_ms.value_or(before.used_reduce_ms),
                      user.lost_map_slot_ms.value_or(before.lost_map_ms),
                      user.lost_reduce_slot_ms.value_or(before.lost_reduce_ms),
                      before.amounts};
  for (const QueueView::UserAmounts& each : user.amounts) {
    if (each.used_ms != 0 || each.lost_ms != 0)
      out.amounts[each.dimension] = {each.used_ms, each.lost_ms};
  }
  return out;
}

}  // namespace

QueuePast past_of(const QueueView& queue, const QueuePast& before) {
  QueuePast out;
  out.since = queue.totals_since_ms;
  out.inner = !queue.leaf;
  out.maps = queue.map_time.value_or(before.maps);
  out.reduces = queue.reduce_time.value_or(before.reduces);
  out.amounts = before.amounts;
  for (const QueueView::Amounts& each : queue.amounts) out.amounts[each.dimension] = each.time;
  out.succeeded = queue.jobs_succeeded;
  out.failed = queue.jobs_failed;
  out.killed = queue.jobs_killed;
  out.kills = queue.kills;
  if (out.inner) {  // the view tells of no users
    out.users = before.users;
    return out;
  }
  std::map<std::string_view, const QueuePast::User*> known;
  for (const QueuePast::User& user : before.users) known.emplace(user.name, &user);
  for (const QueueView::User& user : queue.users) {
    const auto found = known.find(user.user);
    const auto past = past_of(user, found == known.end() ? QueuePast::User{} : *found->second);
    if (!past.empty()) out.users.push_back(past);
  }
  return out;
}

namespace {

void take_away(const QueueView& child, QueuePast& parent) {
  if (child.map_time) take_away(*child.map_time, parent.maps);
  if (child.reduce_time) take_away(*child.reduce_time, parent.reduces);
  for (const QueueView::Amounts& each : child.amounts)
    take_away(each.time, parent.amounts[each.dimension]);
  parent.succeeded -= child.jobs_succeeded;
  parent.failed -= child.jobs_failed;
  parent.killed -= child.jobs_killed;
}

bool has_no_use(const QueuePast& past) {
  const auto none = [](const QueueView::SlotTime& time) {
    return time.used_ms == 0 && time.lost_ms == 0;
  };
  return past.succeeded == 0 && past.failed == 0 && past.killed == 0 && none(past.maps) &&
         none(past.reduces) &&
         std::all_of(past.amounts.begin(), past.amounts.end(),
                     [&](const auto& entry) { return none(entry.second); });
}

}  // namespace

Past::Queues pasts_of(const std::vector<QueueView>& queues, const Past::Queues& before) {
  Past::Queues out;
  for (const QueueView& queue : queues) {
    const auto known = before.find(queue.name);
    out[queue.name] = past_of(queue, known == before.end() ? QueuePast{} : known->second);
  }
  for (const QueueView& queue : queues) {
    const std::size_t dot = queue.name.rfind('.');
    if (dot != std::string::npos) take_away(queue, out[queue.name.substr(0, dot)]);
  }
  for (auto& [path, past] : out) {
    if (past.inner && has_no_use(past)) past.users.clear();
  }
  return out;
}

Past::Past(TimeMs started, Queues queues) : started_(started), queues_(std::move(queues)) {}

void Past::follow(const Settings& settings, const QueueTree& tree) {
  Queues after;
  std::vector<Queues::value_type*> go;
  for (Queues::value_type& entry : queues_) {
    auto& [path, past] = entry;
    const QueueId to = totals_after(settings, tree, path, !past.inner).to;
    if (!to.valid() || tree.node(to).path == path) {  // if it is gone it may come back
      after[path] = std::move(past);
    } else {
      go.push_back(&entry);
    }
  }
  for (Queues::value_type* entry : go) {  // behind those that stay
    auto& [path, past] = *entry;
    const TotalsAfter to = totals_after(settings, tree, path, !past.inner);
    if (to.lent_to.valid()) add_lent(past, after[tree.node(to.lent_to).path]);
    if (tree.find_path(path)) {
      QueuePast stays;
      stays.since = past.since;
      stays.kills = std::exchange(past.kills, {});
      add_without_lent(std::move(stays), after[path]);
    }
    add_without_lent(std::move(past), after[tree.node(to.to).path]);
  }
  for (auto& [path, past] : after) {
    if (const auto same = tree.find_path(path)) past.inner = !tree.leaf(*same);
  }
  queues_ = std::move(after);
}

void Past::add_totals(QueueView& queue) const {
  queue.totals_since_ms = started_;
  const auto found = queues_.find(queue.name);
  if (found == queues_.end()) return;
  const QueuePast& past = found->second;
  queue.totals_since_ms = past.since;
  for (QueueView::Amounts& each : queue.amounts) {
    const auto before = past.amounts.find(each.dimension);
    if (before != past.amounts.end()) add(before->second, each.time);
  }
  if (queue.map_time) add(past.maps, *queue.map_time);
  if (queue.reduce_time) add(past.reduces, *queue.reduce_time);
  queue.jobs_succeeded += past.succeeded;
  queue.jobs_failed += past.failed;
  queue.jobs_killed += past.killed;
  if (!queue.leaf) return;
  std::size_t gone = 0;
  for (const QueueView::User& user : queue.users) gone += user.jobs == 0 ? 1 : 0;
  for (const QueuePast::User& user : past.users) {
    const auto same = std::find_if(queue.users.begin(), queue.users.end(),
                                   [&](const auto& shown) { return shown.user == user.name; });
    if (same != queue.users.end()) {
      add(user, queue.amounts, *same);
    } else if (gone < kUsersShown) {
      ++gone;
      QueueView::User shown;
      shown.user = user.name;
      shown.jobs_waiting = shown.jobs_running = shown.jobs_pending = 0;
      add(user, queue.amounts, shown);
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
