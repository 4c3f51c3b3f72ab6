// A tracker as readers see it (see job_view.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/resources.h"
#include "views/amount.h"

namespace weir {

struct TrackerView {
  // What was ordered of it, and what is left to do before it may go.
  struct Order {
    std::string what;  // drain, stop, stop now
    std::string by;
    std::optional<std::string> reason;
    std::int64_t at_ms = 0;
    std::int32_t outputs = 0;              // map outputs kept here that unfinished jobs still need
    std::vector<std::string> outputs_for;  // those jobs, the first of them
    friend bool operator==(const Order&, const Order&) = default;
  };

  std::string name;
  // LIVE SILENT (not heard of for a few intervals) DRAINING DRAINED (nothing is left) STOPPING
  // FAULTY LOW_DISK UNHEALTHY (it takes no tasks) LOST AWAITED (known to the store, not heard of
  // since the JobTracker started) RETURNING (likewise, but it reports by now, and is to register)
  std::string state;
  std::string host;
  std::string rack;
  std::int32_t shuffle_port = 0;
  Resources total;
  Resources used;
  // Where containers count, instead of slots.
  struct Offer {
    std::string dimension;
    std::int64_t total = 0;
    std::int64_t used = 0;
    friend bool operator==(const Offer&, const Offer&) = default;
  };
  std::vector<Offer> offer;
  std::optional<Offer> ports;         // likewise: of its `port_range`
  std::optional<JobId> reserved_for;  // whose task waits for room here
  std::optional<JobId> room_for;      // whose gang holds room here, for so many members
  std::int32_t rooms = 0;
  std::map<std::string, std::string> labels;
  // AWAITED, RETURNING: how long the JobTracker has known it since its start.
  std::int64_t last_heartbeat_ms_ago = 0;
  std::int32_t attempts = 0;  // that it runs
  std::optional<std::int64_t> free_disk_mb;
  std::optional<std::string> health;
  std::optional<std::int64_t> copying;  // slots of reduces that copy here without one, or wait
  std::optional<std::int32_t> copied;   // reduces that wait for one
  std::optional<Order> order;
  std::vector<std::int64_t> faults;  // when jobs succeeded that had come to avoid it, oldest first
  std::optional<std::int64_t> back_at_ms;  // FAULTY: when enough faults are forgotten
  std::optional<std::string> lost_why;
  std::vector<std::string> protections;  // of its tasks from each other

  // It was heard of since the JobTracker started, and is not to register again.
  bool back() const { return state != "AWAITED" && state != "RETURNING"; }
  friend bool operator==(const TrackerView&, const TrackerView&) = default;
};

// Whose attempts hold a tracker's slots, or what it offers.
struct TrackerSlotsView {
  struct Of {
    std::string queue;  // dotted path
    std::int64_t maps = 0;
    std::int64_t reduces = 0;
    std::vector<Amount> amounts;  // where containers count, instead
    friend bool operator==(const Of&, const Of&) = default;
  };
  std::string tracker;
  std::vector<Of> queues;  // in the order of the settings
  friend bool operator==(const TrackerSlotsView&, const TrackerSlotsView&) = default;
};

}  // namespace weir
