// What `weir top` knows of the cluster, taken from answers and events of the HTTP API. Texts are as
// they came: whoever draws them makes them printable. Plain values and functions over them; one
// thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/ids.h"
#include "live/api_json.h"
#include "views/amount.h"

namespace weir::live {

struct TopQueue {
  struct Slots {
    std::int64_t guaranteed = 0, allocated = 0, running = 0, pending = 0;
    std::optional<std::int64_t> maximum, share_thousandths;
    std::int64_t reserved = 0;  // of containers: for tasks and gangs that wait for room
    bool guarantees = false;    // the ruling policy has them
  };
  std::string name;  // dotted path
  bool leaf = true;
  bool stopped = false;
  std::vector<Slots> of = std::vector<Slots>(kTaskKindCount);  // of each of TopModel::kinds
  std::optional<std::int64_t> dominant_thousandths;            // where containers count
  std::int64_t jobs_waiting = 0, jobs_pending = 0, jobs_running = 0;
};

struct TopJob {
  struct Tasks {
    std::int64_t total = 0, running = 0, succeeded = 0;
    std::int64_t progress_millionths = 0;
  };
  std::int64_t number = 0;
  std::string name, user, queue, priority, state, reason;
  std::array<Tasks, kTaskKindCount> of{};  // of an application all in the first
  std::int64_t submitted_at_ms = 0;
  bool over() const { return state == "SUCCEEDED" || state == "FAILED" || state == "KILLED"; }
};

struct TopClaim {
  std::string queue, kind, state;
  std::int64_t slots = 0;
  std::int64_t left_ms = 0;  // when it came; -1: never
  std::string owed() const;  // "2 map slots", "2048 MB"
};

struct TopModel {
  struct Slots {
    std::int64_t total = 0, used = 0, free = 0, lost = 0;
    std::int64_t withheld = 0;  // by trackers that take no tasks or are silent
    std::int64_t awaited = 0;   // their trackers are still to report after a restart
  };
  std::string address;
  std::string policy;
  std::vector<std::string> kinds = {"map", "reduce"};  // or the dimensions of containers
  std::vector<Slots> slots = std::vector<Slots>(kTaskKindCount);  // of each of them
  std::int64_t waiting = 0, pending = 0, running = 0;
  std::int64_t trackers = 0;  // that are live
  std::string away;           // the others, by their state: "1 lost, 2 silent"
  std::int64_t kills = 0, waste_slot_ms = 0;  // in the last hour
  std::vector<Amount> waste_ms;               // where containers count: by dimension
  std::vector<TopQueue> queues;               // as the server has them: parents first
  std::vector<TopClaim> claims;
  std::int64_t claims_came_ms = 0;  // by the clock that `now` is drawn with
  std::vector<TopJob> jobs;         // unfinished ones, by number
  std::int64_t version = 0;
  bool complete = false;         // everything was read at least once
  std::string trouble;           // why there is no answer; empty: there is
  std::int64_t trouble_since_ms = 0;
};

// Whole answers.
void take_cluster(TopModel& model, const Json& cluster, std::int64_t now_ms);
void take_queues(TopModel& model, const Json& queues);
void take_jobs(TopModel& model, const Json& jobs);
// An event of the stream; false: what it is about must be read anew (`topic` of the event).
bool take_event(TopModel& model, const std::string& topic, const Json& delta,
                std::int64_t now_ms);

}  // namespace weir::live
