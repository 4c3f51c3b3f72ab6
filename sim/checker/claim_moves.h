// What one step did to the slots and the claims of each leaf, as its events tell it: slots that its
// tasks took and left, where, and claims that arose, were met and were dropped. And the claims that
// follow from it: those of the last step, the earliest met first, the latest dropped first, must be
// those of now. Both use up what they read in the memory. Plain values, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/checker/claim_memory.h"
#include "sim/checker/step.h"

namespace weir::check {

struct ClaimMoves {
  std::map<TrackerId, std::int64_t> launched;  // slots, where
  std::map<TrackerId, std::int64_t> left;      // by ends of tasks in RUN; their slots are free
  std::int64_t all_launched = 0;
  std::int64_t all_left = 0;
  std::int64_t ordered = 0;  // left RUN by an order to die
  std::int64_t died = 0;     // their slots are free now
  std::int64_t away = 0;     // left RUN where slots are nobody's to have
  std::int64_t opened = 0, met = 0, dropped = 0;
};
using MovesByLeaf = std::map<std::pair<QueueId, TaskKind>, ClaimMoves>;

// Slots taken and left; attempts out of RUN are followed in the memory.
MovesByLeaf read_moves(const Step& step, ClaimMemory& memory);

class ClaimLedger {
 public:
  ClaimLedger(const Step& step, ClaimMemory& memory, MovesByLeaf& moves, Verdict& verdict)
      : step_(step), memory_(memory), moves_(moves), verdict_(verdict) {}

  // Brings the memory's claims up to date by the events of the step.
  void follow();
  // The book says the same; where their policy has `returned`, all were told again.
  void compare(bool returned);

 private:
  void read(const ClaimOpened& opened);
  void read(const ClaimMet& met);
  void read(const ClaimDropped& dropped);
  template <class Other>
  void read(const Other&) {}
  template <class Change>
  void take(const Change& change, bool met);
  ClaimAccount* find(const std::string& path, TaskKind kind, ClaimId claim);
  ClaimMoves& moves(const std::string& path, TaskKind kind);
  void wrong(const std::string& queue, ClaimId claim, const std::string& what);

  const Step& step_;
  ClaimMemory& memory_;
  MovesByLeaf& moves_;
  Verdict& verdict_;
  std::set<ClaimId> resumed_;
};

}  // namespace weir::check
