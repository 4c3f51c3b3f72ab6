#include "jobqueue/model/claims.h"

#include <algorithm>

#include "jobqueue/model/check.h"
#include "jobqueue/model/life_cycles.h"

namespace weir {

const char* name(ClaimBlock block) {
  switch (block) {
    case ClaimBlock::kNone:
      return "none";
    case ClaimBlock::kUnservable:
      return "unservable";
    case ClaimBlock::kOverBudget:
      return "over_budget";
    case ClaimBlock::kPreemptionOff:
      return "preemption_off";
    case ClaimBlock::kLogOnly:
      return "log_only";
    case ClaimBlock::kRepeating:
      return "repeating";
    case ClaimBlock::kFragmented:
      return "fragmented";
  }
  return "?";
}

const char* name(KillRecord::Outcome outcome) {
  switch (outcome) {
    case KillRecord::Outcome::kPending:
      return "pending";
    case KillRecord::Outcome::kUsed:
      return "used";
    case KillRecord::Outcome::kWasted:
      return "wasted";
    case KillRecord::Outcome::kLoggedOnly:
      return "logged_only";
  }
  return "?";
}

const char* outcome_of(const KillRecord& record) {
  return record.finished_first ? "finished_first" : name(record.outcome);
}

ClaimBook::ClaimBook(std::size_t queues, std::size_t dimensions)
    : dimensions_(dimensions), accounts_(queues * dimensions), owed_(queues * dimensions, 0) {}

// --- Reading ---

const std::vector<Claim>& ClaimBook::claims(QueueId queue, Dimension d) const {
  return account(queue, d).claims;
}

const Claim* ClaimBook::find(QueueId queue, Dimension d, ClaimId id) const {
  for (const Claim& claim : account(queue, d).claims) {
    if (claim.id == id) return &claim;
  }
  return nullptr;
}

const ClaimBook::Lending& ClaimBook::lending(QueueId queue, Dimension d) const {
  return account(queue, d).lending;
}

std::int64_t ClaimBook::running_seen(QueueId queue, Dimension d) const {
  return account(queue, d).running_seen;
}

std::int64_t ClaimBook::counted_free(QueueId queue, Dimension d) const {
  return account(queue, d).counted_free;
}

// --- Claims ---

ClaimStage ClaimBook::stage_of(const Claim& claim) const {
  if (paused_at_) return ClaimStage::kPaused;
  return claim.block == ClaimBlock::kNone ? ClaimStage::kOpen : ClaimStage::kBlocked;
}

const Claim& ClaimBook::open(QueueId queue, Dimension d, std::int64_t slots, TimeMs born,
                             DurationMs reclaim_after_ms) {
  WEIR_CHECK(slots > 0, "a claim is for something");
  ++version_;
  auto& claims = account(queue, d).claims;
  const TimeMs deadline = later(born, reclaim_after_ms);
  claims.push_back({.id = next_id_++,
                    .queue = queue,
                    .dimension = d,
                    .slots = slots,
                    .born = born,
                    .deadline = deadline,
                    .kills_from = deadline});
  life::kClaim.check(life::kOutside, stage_of(claims.back()));
  by_deadline_[d.place()].emplace(deadline, queue, claims.back().id);
  add_owed(queue, d, slots);
  return claims.back();
}

void ClaimBook::restore(const Claim& claim) {
  ++version_;
  auto& claims = account(claim.queue, claim.dimension).claims;
  const auto after = [](const Claim& a, const Claim& b) {
    return std::tuple(a.born, a.id) < std::tuple(b.born, b.id);
  };
  life::kClaim.check(life::kOutside, stage_of(claim));
  claims.insert(std::upper_bound(claims.begin(), claims.end(), claim, after), claim);
  by_deadline_[claim.dimension.place()].emplace(claim.deadline, claim.queue, claim.id);
  add_owed(claim.queue, claim.dimension, claim.slots);
  next_id_ = std::max(next_id_, claim.id + 1);
}

Claim ClaimBook::reduce(QueueId queue, Dimension d, std::int64_t slots, bool earliest,
                        std::int64_t& taken) {
  auto& claims = account(queue, d).claims;
  WEIR_CHECK(!claims.empty() && slots > 0, "only what is claimed is met or dropped");
  ++version_;
  const auto which = earliest ? claims.begin() : std::prev(claims.end());
  taken = std::min(slots, which->slots);
  which->slots -= taken;
  add_owed(queue, d, -taken);
  const Claim now = *which;
  if (now.slots == 0) {
    life::kClaim.check(stage_of(now), earliest ? ClaimStage::kMet : ClaimStage::kDropped);
    by_deadline_[d.place()].erase({now.deadline, queue, now.id});
    claims.erase(which);
  }
  return now;
}

void ClaimBook::set_block(QueueId queue, Dimension d, ClaimId id, ClaimBlock block,
                          std::int64_t width) {
  for (Claim& claim : account(queue, d).claims) {
    if (claim.id != id) continue;
    const ClaimStage before = stage_of(claim);
    claim.block = block;
    life::kClaim.check(before, stage_of(claim));
    claim.width = width;
  }
}

void ClaimBook::set_deadlines(QueueId queue, Dimension d, DurationMs reclaim_after_ms) {
  for (Claim& claim : account(queue, d).claims) {
    const TimeMs deadline = later(claim.born, reclaim_after_ms);
    // What was only told has freed nothing: if it may be done now, it is done at once.
    if (claim.block == ClaimBlock::kLogOnly) claim.kills_from = claim.deadline;
    if (deadline == claim.deadline) continue;
    ++version_;
    by_deadline_[d.place()].erase({claim.deadline, queue, claim.id});
    if (claim.kills_from == claim.deadline) claim.kills_from = deadline;
    claim.deadline = deadline;
    claim.kills_from = std::max(claim.kills_from, deadline);
    by_deadline_[d.place()].emplace(deadline, queue, claim.id);
  }
}

void ClaimBook::pause(TimeMs at) {
  for (const Account& account : accounts_) {
    for (const Claim& claim : account.claims) {
      life::kClaim.check(stage_of(claim), ClaimStage::kPaused);
    }
  }
  paused_at_ = at;
}

void ClaimBook::resume(TimeMs now) {
  WEIR_CHECK(paused_at_, "only paused claims are resumed");
  const DurationMs by = now - *paused_at_;
  paused_at_.reset();
  ++version_;
  for (Account& account : accounts_) {
    for (Claim& claim : account.claims) {
      life::kClaim.check(ClaimStage::kPaused, stage_of(claim));
      claim.born += by;
      claim.deadline = later(claim.deadline, by);
      claim.kills_from = later(claim.kills_from, by);
    }
  }
  index_claims();
}

void ClaimBook::postpone(QueueId queue, Dimension d, ClaimId id, TimeMs kills_from) {
  for (Claim& claim : account(queue, d).claims) {
    if (claim.id == id) claim.kills_from = std::max(claim.deadline, kills_from);
  }
}

void ClaimBook::set_running_seen(QueueId queue, Dimension d, std::int64_t slots) {
  account(queue, d).running_seen = slots;
}

void ClaimBook::set_counted_free(QueueId queue, Dimension d, std::int64_t slots) {
  account(queue, d).counted_free = slots;
}

ClaimBook::Lending& ClaimBook::mutable_lending(QueueId queue, Dimension d) {
  return account(queue, d).lending;
}

void ClaimBook::index_claims() {
  for (auto& due : by_deadline_) due.clear();
  for (const Account& account : accounts_) {
    for (const Claim& claim : account.claims) {
      by_deadline_[claim.dimension.place()].emplace(claim.deadline, claim.queue, claim.id);
    }
  }
}

// --- Records ---

std::int64_t ClaimBook::held_on(TrackerId tracker, TaskKind kind) const {
  std::int64_t slots = 0;
  for (const Hold& hold : holds_) {
    if (hold.tracker == tracker && hold.kind == kind) slots += hold.kept();
  }
  return slots;
}

void ClaimBook::add_record(const KillRecord& record) {
  records_.push_back(record);
  if (records_.size() > kRecordsKept) records_.pop_front();
}

void ClaimBook::add_owed(QueueId queue, Dimension d, std::int64_t slots) {
  owed_[place(queue, d)] += slots;
  owed_in_all_[d.place()] += slots;
}

void ClaimBook::forget_freed(TrackerId tracker) {
  std::erase_if(freed_, [&](const FreedSlots& freed) { return freed.tracker == tracker; });
}

void ClaimBook::settle_records(HoldId hold, KillRecord::Outcome outcome) {
  // Holds are numbered as their kills are recorded, and settled soon afterwards.
  for (auto record = records_.rbegin(); record != records_.rend(); ++record) {
    if (record->hold != 0 && record->hold < hold) return;
    if (record->hold == hold && record->outcome == KillRecord::Outcome::kPending) {
      record->outcome = outcome;
    }
  }
}

namespace {

// The newest: what has just died was ordered to a moment ago.
template <class Records>
auto* newest_of(Records& records, const AttemptKey& attempt) {
  const auto record = std::find_if(records.rbegin(), records.rend(),
                                   [&](const KillRecord& r) { return r.attempt == attempt; });
  return record == records.rend() ? nullptr : &*record;
}

}  // namespace

const KillRecord* ClaimBook::record_of(const AttemptKey& attempt) const {
  return newest_of(records_, attempt);
}

const KillRecord* ClaimBook::set_finished_first(const AttemptKey& attempt) {
  KillRecord* record = newest_of(records_, attempt);
  if (record != nullptr) record->finished_first = true;
  return record;
}

void ClaimBook::clear(std::size_t dimensions) {
  ClaimBook empty(accounts_.size() / dimensions_, dimensions);
  empty.records_ = std::move(records_);
  empty.losses_ = std::move(losses_);
  empty.paused_at_ = paused_at_;
  empty.next_id_ = next_id_;
  empty.next_hold_ = next_hold_;
  *this = std::move(empty);
}

void ClaimBook::renumber(const std::vector<QueueId>& new_id, const std::vector<QueueId>& by_name,
                         std::size_t queues) {
  std::vector<Account> accounts(queues * dimensions_);
  owed_.assign(queues * dimensions_, 0);
  for (std::int64_t& all : owed_in_all_) all = 0;
  for (std::size_t old = 0; old < new_id.size(); ++old) {
    if (!new_id[old].valid()) continue;
    for (std::size_t i = 0; i < dimensions_; ++i) {
      Account& moved = accounts[new_id[old].index() * dimensions_ + i];
      moved = std::move(accounts_[old * dimensions_ + i]);
      for (Claim& claim : moved.claims) {
        claim.queue = new_id[old];
        add_owed(claim.queue, claim.dimension, claim.slots);
      }
    }
  }
  accounts_ = std::move(accounts);
  index_claims();
  const auto in = [](const std::vector<QueueId>& ids, QueueId old) {
    return old.valid() && old.index() < ids.size() ? ids[old.index()] : QueueId{};
  };
  const auto renumbered = [&](QueueId old) { return in(new_id, old); };
  for (Hold& hold : holds_) {
    if (!hold.pool.empty()) continue;
    hold.queue = renumbered(hold.queue);
    if (!hold.queue.valid()) settle_records(hold.id, KillRecord::Outcome::kWasted);
  }
  std::erase_if(holds_, [](const Hold& h) { return h.pool.empty() && !h.queue.valid(); });
  for (FreedSlots& freed : freed_) freed.queue = renumbered(freed.queue);
  std::erase_if(freed_, [](const FreedSlots& f) { return !f.queue.valid(); });
  for (KillRecord& record : records_) {
    record.claimant = in(by_name, record.claimant);
    record.victim = in(by_name, record.victim);
  }
}

}  // namespace weir
