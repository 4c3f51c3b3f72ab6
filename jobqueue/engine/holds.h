// Preemption, and the slots that are kept: killed for a claimant and held for it, or reserved for a
// task that is wider than what is free.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "jobqueue/engine/part.h"

namespace weir {

class Holds : public Part {
 public:
  using Part::Part;

  void free_kept_slots();
  void preempt_for_claims();
  void use_hold(std::size_t place, std::int64_t slots);
  void end_holds(const std::function<bool(const Hold&)>& which, KillRecord::Outcome outcome);
  void expire_holds();
  void victim_left(const Attempt& attempt);
  // For the kill budgets; taken back: the attempt was done first.
  void note_loss(const KillRecord& record, bool taken_back);
  bool settle_choice(TrackerState& tracker, const Choice& choice);  // all but launches
  // Of either; invalid: of none.
  void release_reservations(JobId job, TrackerId tracker, std::string_view why,
                            std::optional<TaskKind> kind = {});
  void end_reserve_turn();

 private:
  const char* wrong_with(const KillOrder& order) const;
  Resources container_of(const TaskKey& task) const;
  bool preempt(const KillOrder& order);
  void end_hold(std::size_t place, KillRecord::Outcome outcome);
  bool wait_for_amount(const Choice& choice);
  bool wait_to_reserve(const Choice& choice);
  void follow_reserve_turn();
  bool ends_reserve_turn(const Job& job, TaskKind kind) const;
  void note_smaller(const Job& job, TaskKind kind);
  bool reserve(const Choice& choice);
  bool reserve_container(const Job& job, const Choice& choice);
};

}  // namespace weir
