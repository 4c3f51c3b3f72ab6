// The life of attempts and of their tasks: how an attempt ends, and what becomes of the task.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

class AttemptLife : public Part {
 public:
  using Part::Part;

  void take_fetch_failures(const AttemptReport& report);
  void order_kill(AttemptSlot slot, KillReason reason, QueueId for_queue, ClaimId claim = 0,
                  const std::string& for_pool = {});
  // All of them; members of a gang among them take the others with them only then.
  void order_kills(const std::vector<AttemptSlot>& slots, KillReason reason, QueueId for_queue,
                   ClaimId claim, const std::string& for_pool);
  // A member of a gang that its tracker has not heard of: nobody sees that it was there.
  void withdraw(AttemptSlot slot);
  void release_commit(Job& job, TaskKind kind, std::uint32_t index, std::uint32_t attempt);
  std::uint32_t first_number() const;  // of this start
  std::uint32_t next_number(Job& job, const TaskKey& task) const;
  void attempt_succeeded(AttemptSlot slot, const AttemptReport& report);
  void attempt_failed(AttemptSlot slot, const std::string& diagnostics);
  void attempt_killed(AttemptSlot slot);
  void add_counters(Job& job, Task& task, const Counters* counters);
  void reopen(Job& job, TaskKind kind, std::uint32_t index, const std::string& why);

 private:
  void order_one_kill(AttemptSlot slot, KillReason reason, QueueId for_queue, ClaimId claim,
                      const std::string& for_pool);
  template <class F>
  void each_amount(const Attempt& attempt, F f) const;
  void settle_preempted(const Attempt& attempt, AttemptEnded::How how);
  void finish_attempt(AttemptSlot slot, AttemptEnded::How how);
  void note_freed(const Attempt& attempt, std::int64_t slots);
  void reopen_if_left(Job& job, const TaskKey& key);
  void note_failure(Job& job, TaskKind kind, std::uint32_t index, TrackerId where);
};

}  // namespace weir
