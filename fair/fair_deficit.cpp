// `algorithm: deficit`: a job gains what is due to it and does not run. What has run is counted at
// each change of what runs, so it is exact; the deficit itself, and with it the order, moves at
// updates.
#include <algorithm>
#include <utility>

#include "fair/fair_policy.h"

namespace weir {
namespace {

void count_until(DeficitAccount& account, TimeMs now) {
  account.ran_ms += account.running * (now - account.ran_until);
  account.ran_until = now;
}

void accrue(DeficitAccount& account, TimeMs now) {
  count_until(account, now);
  account.deficit += account.due * (now - account.due_since);
  account.deficit -= account.ran_ms * kFineSlot;
  account.due_since = now;
  account.ran_ms = 0;
}

void open(DeficitAccount& account, std::int64_t running, TimeMs now) {
  account.open = true;
  account.due = 0;
  account.due_since = account.ran_until = now;
  account.running = running;
  account.ran_ms = 0;
}

}  // namespace

DeficitKey FairPolicy::deficit_key(const JobEntry& entry, TaskKind kind) const {
  const JobStand& stand = entry.stand[index(kind)];
  return {
      .guaranteed = reaches(stand.facts.running, entry.guarantee[index(kind)]),
      .deficit = to_rank(memory_.of(stand.job).account[index(kind)].deficit),
      .tie = stand.tie,
      .job = stand.job,
  };
}

void FairPolicy::line_up(JobEntry& entry, TaskKind kind) const {
  std::optional<DeficitKey> key;
  if (entry.stand[index(kind)].facts.pending > 0) key = deficit_key(entry, kind);
  lines_[index(kind)].set(entry.in_line[index(kind)], key);
}

// A pool's minimum share goes to its jobs by weight, up to what each wants.
void FairPolicy::deal_guarantees() {
  for (const TaskKind kind : kTaskKinds) {
    for (const PoolId leaf : guarantees_stale_[index(kind)]) {
      std::vector<Share> dealt;
      standings_[index(kind)].deal_guarantee(leaf, dealt);
      const auto& members = standings_[index(kind)].members(leaf);
      for (std::size_t i = 0; i < members.size(); ++i) {
        JobEntry& entry = *find_entry(members[i]->job);
        entry.guarantee[index(kind)] = dealt[i];
        line_up(entry, kind);
      }
    }
    guarantees_stale_[index(kind)].clear();
  }
}

// --- Accounts, in the state's memory: of jobs that may be scheduled ---

void FairPolicy::open_accounts(JobId id) {
  const JobEntry& entry = *find_entry(id);
  for (const TaskKind kind : kTaskKinds) {
    DeficitAccount& account = memory_.jobs[id].account[index(kind)];
    if (!account.open) open(account, entry.stand[index(kind)].facts.running, state_.now());
  }
}

void FairPolicy::close_accounts(JobId id) {
  JobMemory* memory = memory_.jobs.find(id);
  if (memory == nullptr) return;
  for (DeficitAccount& account : memory->account) {
    if (account.open) accrue(account, state_.now());
    account.open = false;
  }
}

void FairPolicy::count_running(JobId id, TaskKind kind) {
  JobMemory* memory = memory_.jobs.find(id);
  if (memory == nullptr) return;
  DeficitAccount& account = memory->account[index(kind)];
  if (!account.open) return;
  count_until(account, state_.now());
  account.running = find_entry(id)->stand[index(kind)].facts.running;
}

void FairPolicy::update_deficits(TimeMs now) {
  jobs_.each([&](JobId id, JobEntry& entry) {
    if (!entry.runnable) return;
    JobMemory& memory = memory_.jobs[id];
    for (const TaskKind kind : kTaskKinds) {
      DeficitAccount& account = memory.account[index(kind)];
      const JobStand& stand = entry.stand[index(kind)];
      if (!account.open) open(account, stand.facts.running, now);
      accrue(account, now);
      account.due = standings_[index(kind)].fine_job_share(stand);
      line_up(entry, kind);
    }
  });
}

// --- Choosing ---

std::optional<Choice> FairPolicy::ask_in_line(PoolId within, const Slots& slots) {
  const TaskKind kind = slots.kind;
  std::optional<Choice> choice;
  std::vector<std::int64_t> too_wide;  // widths for which no tracker could be reserved
  lines_[index(kind)].visit([&](const DeficitKey& key) {
    const JobEntry& entry = *find_entry(key.job);
    const JobStand& stand = entry.stand[index(kind)];
    if (within != PoolTree::root() && !tree_.contains(within, entry.pool)) return false;
    if (stand.width > pool_room(entry.pool, kind)) return false;
    if (stand.limited.valid() && stand.width > queue_room(stand.limited, kind)) return false;
    if (stand.width <= slots.free) {
      const bool urgent =
          delay_.on() && (slots.urgent || starved(entry.pool, kind, slots.offer.now));
      choice = ask_job(key.job, slots, urgent);
      if (choice) ++rules_[kInDeficitOrder];
    } else if (std::find(too_wide.begin(), too_wide.end(), stand.width) == too_wide.end()) {
      too_wide.push_back(stand.width);
      choice = reserve_tracker(state_, key.job, kind);
      if (choice) ++rules_[kReserved];
    }
    return choice.has_value();
  });
  return choice;
}

}  // namespace weir
