#include "sim/checker/claim_moves.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::check {
namespace {

struct MoveReader {
  const Step& step;
  ClaimMemory& memory;
  MovesByLeaf& moves;
  std::set<std::string> lost{};  // trackers, in this step; they may be back already

  std::int64_t width(const AttemptKey& attempt) const {
    const Job* job = step.state.find_job(attempt.task.job);
    return job == nullptr ? 0 : job->width(attempt.task.kind);
  }
  ClaimMoves& of(QueueId queue, const AttemptKey& attempt) {
    return moves[{queue, attempt.task.kind}];
  }
  void launched(QueueId queue, const AttemptKey& attempt, TrackerId tracker) {
    if (was_reported(step.heartbeat, attempt)) return;  // it ran before
    ClaimMoves& leaf = of(queue, attempt);
    leaf.launched[tracker] += width(attempt);
    leaf.all_launched += width(attempt);
  }
  void read(const AttemptLaunched& launch) {
    if (launch.to_copy) {
      memory.out_of_run.insert(launch.attempt);
    } else {
      launched(launch.queue, launch.attempt, launch.tracker);
    }
  }
  void read(const ComputeGranted& granted) {
    memory.out_of_run.erase(granted.attempt);
    launched(granted.queue, granted.attempt, granted.tracker);
  }
  void read(const KillOrdered& kill) {
    if (memory.out_of_run.insert(kill.attempt).second) {
      of(kill.queue, kill.attempt).ordered += width(kill.attempt);
    }
  }
  void read(const AttemptEnded& end) {
    ClaimMoves& leaf = of(end.queue, end.attempt);
    const bool ran = memory.out_of_run.erase(end.attempt) == 0;
    const TrackerState& tracker = step.state.tracker(end.tracker);
    const bool usable = in_pool(tracker) && !lost.contains(tracker.name);
    const std::int64_t slots = width(end.attempt);
    if (!ran) {
      leaf.died += slots;
    } else if (usable) {
      leaf.left[end.tracker] += slots;
      leaf.all_left += slots;
    } else {
      leaf.away += slots;
    }
  }
  template <class Other>
  void read(const Other&) {}
};

std::string claims_text(const std::vector<Claim>& claims) {
  std::string all;
  for (const Claim& claim : claims) {
    all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", claim.id, claim.slots);
  }
  return "[" + all + "]";
}

}  // namespace

MovesByLeaf read_moves(const Step& step, ClaimMemory& memory) {
  MovesByLeaf moves;
  MoveReader reader{step, memory, moves};
  for (const Event& event : step.output.events) {
    if (const auto* lost = fact_as<TrackerLost>(event.fact)) reader.lost.insert(lost->tracker);
  }
  for (const Event& event : step.output.events) {
    visit_fact([&](const auto& fact) { reader.read(fact); }, event.fact);
  }
  return moves;
}

void ClaimLedger::follow() {
  for (const Event& event : step_.output.events) {
    visit_fact([&](const auto& fact) { read(fact); }, event.fact);
  }
}

// What counts may have changed in this step: claims on containers, which end with it, are no matter
// of slots (checks_container_claims.cpp).
void ClaimLedger::read(const ClaimOpened& opened) {
  if (!opened.dimension.is_slots()) return;
  ClaimAccount* account = find(opened.queue, opened.dimension.kind(), opened.claim);
  if (account == nullptr) return;
  auto& claims = account->claims;
  if (!opened.again) {
    claims.push_back({.id = opened.claim, .dimension = opened.dimension, .slots = opened.slots});
    moves(opened.queue, opened.dimension.kind()).opened += opened.slots;
    return;
  }
  resumed_.insert(opened.claim);
  const auto known = std::find_if(claims.begin(), claims.end(),
                                  [&](const Claim& c) { return c.id == opened.claim; });
  if (known == claims.end() || known->slots != opened.slots) {
    wrong(opened.queue, opened.claim, "is resumed, but was not open with as many slots");
  }
}

void ClaimLedger::read(const ClaimMet& met) {
  if (!met.dimension.is_slots()) return;
  take(met, true);
  moves(met.queue, met.dimension.kind()).met += met.slots;
}

void ClaimLedger::read(const ClaimDropped& dropped) {
  if (!dropped.dimension.is_slots()) return;
  take(dropped, false);
  moves(dropped.queue, dropped.dimension.kind()).dropped += dropped.slots;
}

void ClaimLedger::compare(bool returned) {
  for (const auto& [key, account] : memory_.accounts) {
    const auto queue = step_.state.tree().find_path(key.first);
    if (!queue || !step_.state.tree().leaf(*queue)) continue;  // removed, and its claims with it
    const auto& book = step_.state.claims().claims(*queue, key.second);
    const auto same = [](const Claim& a, const Claim& b) {
      return a.id == b.id && a.slots == b.slots;
    };
    if (!std::equal(book.begin(), book.end(), account.claims.begin(), account.claims.end(),
                    same)) {
      verdict_.breach("claim-book",
                      fmt::format("queue {} has the {} claims {}, but by what was told of them "
                                  "they should be {}",
                                  key.first, name(key.second), claims_text(book),
                                  claims_text(account.claims)));
    }
    for (const Claim& claim : book) {
      const bool known = step_.memory.born.contains(claim.id);
      if (!returned || !known || resumed_.contains(claim.id)) continue;
      verdict_.breach("claim-resumed",
                      fmt::format("claim {} of queue {} is due at {} ms now that its policy is "
                                  "back, and nothing tells of it",
                                  claim.id, key.first, claim.deadline));
    }
  }
}

ClaimAccount* ClaimLedger::find(const std::string& path, TaskKind kind, ClaimId claim) {
  const auto queue = step_.state.tree().find_path(path);
  if (queue && step_.state.tree().leaf(*queue)) return &memory_.accounts[{path, kind}];
  const auto before = memory_.accounts.find({path, kind});  // it is removed in this very step
  if (before != memory_.accounts.end()) return &before->second;
  wrong(path, claim, "is of no leaf queue");
  return nullptr;
}

ClaimMoves& ClaimLedger::moves(const std::string& path, TaskKind kind) {
  const auto queue = step_.state.tree().find_path(path);
  return moves_[{queue ? *queue : QueueId{}, kind}];
}

template <class Change>
void ClaimLedger::take(const Change& change, bool met) {
  ClaimAccount* account = find(change.queue, change.dimension.kind(), change.claim);
  if (account == nullptr) return;
  auto& claims = account->claims;
  if (claims.empty()) return wrong(change.queue, change.claim, "changes, but was not open");
  const auto which = met ? claims.begin() : std::prev(claims.end());
  if (which->id != change.claim) {
    return verdict_.breach(
        met ? "claim-met" : "claim-dropped",
        fmt::format("claim {} of queue {} is {}, but {} is the {}", change.claim, change.queue,
                    met ? "met" : "dropped", which->id, met ? "earliest" : "latest"));
  }
  which->slots -= change.slots;
  if (change.slots <= 0 || which->slots != change.left) {
    wrong(change.queue, change.claim,
          fmt::format("loses {} slots and then owes {}, not {}", change.slots, change.left,
                      which->slots));
  }
  if (which->slots <= 0) claims.erase(which);
}

void ClaimLedger::wrong(const std::string& queue, ClaimId claim, const std::string& what) {
  verdict_.breach("claim-book", fmt::format("claim {} of queue {} {}", claim, queue, what));
}

}  // namespace weir::check
