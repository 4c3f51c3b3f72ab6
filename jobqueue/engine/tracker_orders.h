// What administrators want of trackers: drain, stop, resume, declare lost, forget. An order is
// about the machine and is durable; a stop ends when the tracker has left.
#pragma once

#include <string>
#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

class TrackerOrders : public Part {
 public:
  using Part::Part;

  void on(const OrderTrackers& input, Token token);
  void on(const DeclareLost& input, Token token);  // takes effect at once
  void on(const ForgetTrackers& input, Token token);
  ReplyBody apply(const TrackersOrdered& ordered);
  void pool_changed(TrackerState& tracker);
  bool output_needed(const TrackerState& tracker, const TaskKey& key) const;
  void review_order(TrackerState& tracker);
  bool may_leave(const TrackerState& tracker) const;
  void leave(TrackerState& tracker);
  void end_stop(TrackerState& tracker);

 private:
  Result<std::vector<TrackerId>> named(const Caller& caller,
                                       const std::vector<std::string>& names) const;
  void set_order(TrackerState& tracker, TrackerOrder order);
  void evacuate(TrackerState& tracker);
};

}  // namespace weir
