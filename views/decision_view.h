// One thing that was decided, as readers see it (see job_view.h): the fields of the event log's
// lines (docs/scenarios.md). Which of them there are, goes by the event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/ids.h"
#include "views/amount.h"

namespace weir {

struct DecisionView {
  std::int64_t number = 0;  // rises; never given twice, also over restarts
  std::int64_t at_ms = 0;
  std::string event;  // launch kill claim claim_met claim_dropped claim_resumed refused policy ...
  std::optional<JobId> job;
  std::optional<std::string> task;  // m12
  std::optional<std::int64_t> attempt;
  std::optional<std::string> tracker;
  std::optional<std::string> locality;
  bool speculative = false;
  std::optional<std::string> queue;  // or the pool, under a policy with pools
  // map, reduce; container, of a task of an application; of a claim on containers its dimension.
  std::optional<std::string> resource_class;
  std::optional<std::string> user;
  std::optional<std::string> reason;
  std::optional<std::string> for_whom;  // of a kill: who gains, if anybody
  std::optional<std::int64_t> ran_ms;
  std::optional<std::int64_t> tasks;     // of a gang: how many start
  std::optional<std::int64_t> slots;     // of a claim; of a kill: of its task
  std::vector<Amount> container;         // of a kill, where containers count: what its task had
  std::optional<std::int64_t> deadline_ms;  // of a claim; -1: never
  std::optional<std::int64_t> claim;
  std::optional<std::string> state;
  std::optional<std::int64_t> map_slots;  // of a tracker
  std::optional<std::int64_t> reduce_slots;
  std::optional<std::string> priority;
  std::optional<std::string> policy;
  std::optional<std::string> pool;
  std::optional<std::string> what;  // of a refusal: the command
  std::optional<std::string> by;    // who commanded it
  friend bool operator==(const DecisionView&, const DecisionView&) = default;
};

}  // namespace weir
