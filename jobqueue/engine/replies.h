// What a tracker is answered: all that it should hold. A reply that should carry a commit grant
// waits for the store, though not for long: a store that stands still must not keep a tracker from
// being told what else there is, nor its own calls waiting until it is thought lost. The grant
// follows in a later reply.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

class Replies : public Part {
 public:
  using Part::Part;

  void answer(TrackerState& tracker, const Heartbeat& report, Token token);
  std::uint64_t awaited_grant(const TrackerState& tracker) const;
  void park(TrackerState& tracker, const Heartbeat& report, Token token, std::uint64_t awaited);
  void answer_parked();  // those that need not wait any more
  // Its tracker is gone.
  void give_up(const TrackerState& tracker, const Error& why);
  // When one that waits has waited for long enough.
  std::optional<TimeMs> next_due() const {
    return parked_.empty() ? std::nullopt : std::optional(parked_.front().until);
  }

 private:
  struct ParkedHeartbeat {
    std::uint64_t seq = 0;  // reply when this is durable,
    Token token = 0;
    TrackerId tracker;
    TimeMs until = 0;  // or at that time
    // Of the report that the reply is level with:
    struct Reported {
      AttemptKey attempt;
      ReportedState state = ReportedState::kRunning;
    };
    std::vector<Reported> attempts;
    std::vector<JobId> held_jobs;
  };

  template <class Report>  // a Heartbeat, or what is kept of one
  void answer_level(TrackerState& tracker, const Report& report, Token token);
  template <class Report>
  void compose(TrackerState& tracker, const Report& report, HeartbeatReply& out);
  void give_grant(const Attempt& attempt, HeartbeatReply& out) const;
  // What it is given where containers count.
  std::shared_ptr<const Grant> grant_of(const TrackerState& tracker,
                                        const AttemptKey& attempt) const;
  void compose_orders(const TrackerState& tracker, HeartbeatReply& out) const;

  std::vector<ParkedHeartbeat> parked_;
};

}  // namespace weir
