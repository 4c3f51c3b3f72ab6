// The policy that rules, and what each policy would give (see job_view.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/ids.h"

namespace weir {

// What one policy would give right now.
struct OutlookView {
  // What a queue or pool has and would get in one class, in slots. Absent: the policy has no such
  // figure.
  struct Figures {
    std::int64_t running = 0;
    std::int64_t pending = 0;
    std::optional<std::int64_t> guaranteed;
    std::optional<std::int64_t> allocated;
    std::optional<std::int64_t> share_thousandths;  // fair share, in thousandths of a slot
    std::optional<std::int64_t> min_share;
    std::optional<std::int64_t> maximum;
    std::optional<std::int64_t> copying;  // of reduces: places to copy in that are taken
    std::optional<std::int64_t> unmet;    // lacked for too long, and nobody may be killed for it
    std::optional<std::int64_t> demand;   // of a pool: running and pending, up to its maximum
    std::optional<std::int64_t> below_min_share_ms;   // of a pool: for how long; 0: it is not
    std::optional<std::int64_t> below_half_share_ms;  // below half of its fair share, likewise
    friend bool operator==(const Figures&, const Figures&) = default;
  };

  struct Amounts {
    std::string dimension;
    Figures figures;
    friend bool operator==(const Amounts&, const Amounts&) = default;
  };

  struct Share {
    std::string name;  // dotted path
    Figures maps;
    Figures reduces;
    std::optional<std::int64_t> weight_millionths;  // of a pool, as what follows
    std::optional<std::string> mode;                // drf, fair, fifo: how its jobs share
    std::optional<std::int32_t> jobs_running;       // of a leaf: that may run
    std::optional<std::int32_t> jobs_waiting;       // that are over a limit on running jobs
    std::vector<Amounts> amounts;  // where containers count, and nothing in maps and reduces
    // Where containers count, of a pool: a dimension is not short by itself. As in Figures.
    std::optional<std::int64_t> below_min_share_ms;
    std::optional<std::int64_t> below_half_share_ms;
    friend bool operator==(const Share&, const Share&) = default;
  };

  std::string policy;
  bool pools = false;  // the shares are of pools, not of queues
  std::vector<Share> shares;
  friend bool operator==(const OutlookView&, const OutlookView&) = default;
};

// Jobs that may be scheduled, as a policy sees them that deals shares to jobs.
struct JobStandingsView {
  struct Figures {
    std::int64_t running = 0;  // tasks
    std::int64_t share_thousandths = 0;
    std::int64_t weight_millionths = 0;
    std::optional<std::int64_t> deficit_ms;  // slot-milliseconds; where deficits decide
    friend bool operator==(const Figures&, const Figures&) = default;
  };
  struct Amount {
    std::string dimension;
    std::int64_t running = 0;
    std::int64_t share_thousandths = 0;
    friend bool operator==(const Amount&, const Amount&) = default;
  };
  struct Job {
    JobId id;
    std::string name;
    std::string user;
    std::string pool;
    Figures maps;
    Figures reduces;
    // Where containers count, and nothing in maps and reduces.
    std::vector<Amount> amounts = {};
    std::optional<std::int64_t> weight_millionths = {};
    // Delay scheduling: how far from its input its next map may run now (node, rack, any), and
    // after how long further out. Absent: it does not wait for places near its input.
    std::optional<std::string> may_run;
    std::optional<std::int64_t> locality_left_ms;
    friend bool operator==(const Job&, const Job&) = default;
  };
  std::vector<Job> jobs;  // by number
  bool more = false;      // there are more, which were not asked
  friend bool operator==(const JobStandingsView&, const JobStandingsView&) = default;
};

struct PolicyView {
  std::string current;
  std::vector<std::string> available;
  std::int64_t since_ms = 0;
  std::vector<std::string> notices;           // findings about the settings that stay visible
  std::vector<OutlookView> outlooks;          // of every policy there is
  std::optional<JobStandingsView> standings;  // if asked for, and the policy that rules has any
  friend bool operator==(const PolicyView&, const PolicyView&) = default;
};

}  // namespace weir
