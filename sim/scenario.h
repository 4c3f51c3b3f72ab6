// A scenario file as typed data: the cluster, the settings, how heartbeats come, and the steps in
// order. Reading reports every error at once with file:line:column; what depends on the run (a
// tracker that is not there, settings that do not fit) is left to the runner. Steps keep their
// position, so that a failed expectation can name its line. docs/scenarios.md describes the format.
// Plain data; reading is one thread.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "conf/yaml_reader.h"
#include "jobqueue/model/settings.h"
#include "sim/cluster_model.h"
#include "sim/job_names.h"
#include "sim/job_plan.h"
#include "sim/virtual_cluster.h"

namespace weir {

// Settings stay YAML until they are applied: a step names only the sections it replaces.
struct SettingsSource {
  std::string file;    // for messages
  YamlNode::Ptr node;  // null: the defaults
};

namespace step {

// Who gives an order. Empty: somebody who may.
struct By {
  std::string user;
  std::vector<std::string> groups;
};

// A number that something should have, by name (`share`), within 0.01.
struct Figure {
  std::string name;
  double value = 0;
};
// A claim that a queue should have; what is not said is not compared.
struct ExpectedClaim {
  std::optional<TaskKind> kind;
  std::optional<std::int64_t> slots;
  std::optional<DurationMs> left_ms;  // to its deadline; 0 when that has passed
  std::optional<std::string> block;   // why it kills nothing although it is due; `none`
};
using Figures = std::array<std::vector<Figure>, kTaskKindCount>;
// Of containers: by the name of the dimension.
using DimensionFigures = std::map<std::string, std::vector<Figure>>;

struct Submit {
  std::shared_ptr<const JobPlan> plan;
};
struct Advance {
  DurationMs by_ms = 0;
};
struct RunUntil {
  std::optional<DurationMs> until;  // scenario time; nothing: until every job has ended
};
struct Heartbeat {
  std::string tracker;
  std::optional<std::vector<std::string>> expect;   // launches
  std::optional<std::vector<std::string>> granted;  // reduces that have copied and get their slots
  Mark expect_at, granted_at;
};
// Tasks end. `J1/m*` is every running map of J1, `J1` every running task.
struct EndTasks {
  std::vector<std::string> tasks;
  bool well = true;
};
struct Lose {
  std::string tracker;
};
struct OrderTracker {  // drain, stop, stop_now, resume
  std::string tracker;
  TrackerOrder order = TrackerOrder::kNone;
  By by;
};
struct ExpectTracker {
  std::string tracker;
  std::string state;  // live, out (of the pool) or lost
};
struct AddTracker {
  VirtualTrackerSpec spec;
};
struct SetSlots {
  std::string tracker;
  std::optional<std::int64_t> slots[kTaskKindCount];
};
struct SetOffer {  // what a tracker has for containers; what is not said stays
  std::string tracker;
  std::optional<std::int64_t> memory_mb, vcores;
  std::map<std::string, std::int64_t> named;
};
struct Prioritise {
  std::string job;
  Priority priority = Priority::kNormal;
  By by;
};
struct Move {
  std::string job;
  std::string queue;
  By by;
};
struct Kill {
  std::string job;
  By by;
};
struct Release {
  std::string job;
  By by;
};
struct QueueSwitch {
  std::string queue;
  bool stop = true;
  By by;
};
struct Apply {
  SettingsSource settings;
  By by;
};
struct SwitchPolicy {
  std::string policy;
  By by;
};
struct ExpectQueue {
  std::string queue;
  Figures figures;
  DimensionFigures of_dimension;
  std::optional<double> dominant;  // the largest part of what the cluster has
  std::vector<Figure> jobs;                          // `waiting`, `running`
  std::optional<std::vector<ExpectedClaim>> claims;  // of maps, then of reduces, in order of birth
  std::optional<std::vector<ExpectedClaim>> claims_of[kTaskKindCount];
  std::optional<bool> stopped;
};
struct ExpectJob {
  std::string job;
  Figures figures;
  DimensionFigures of_dimension;
  std::optional<double> dominant;
  std::optional<std::string> state;
  std::optional<std::string> queue;
  std::optional<std::string> pool;
  std::optional<bool> runnable;
};
struct ExpectKills {
  std::vector<std::string> tasks;
};
// The book of preemptions since the start; what is not said is not compared.
struct ExpectRecords {
  struct Record {
    std::string task;
    std::optional<std::string> outcome, claimant, victim;
  };
  std::vector<Record> records;
};
// All that there are, by tracker.
struct ExpectReservations {
  struct Reservation {
    std::string tracker, job;
  };
  std::vector<Reservation> reservations;
};
// The job's gang; what is not said is not compared.
struct ExpectGang {
  std::string job;
  std::optional<std::int64_t> held, needed;  // members with room, and all
  std::optional<bool> started, assembler;    // it is the one that collects room
};
struct ExpectExplain {
  std::string job;
  std::vector<std::string> codes;
};
struct ExpectRefused {
  std::string text;  // part of the message; empty: anything
};

}  // namespace step

struct Step {
  Mark at;
  std::optional<DurationMs> when;  // the clock first runs to this scenario time
  std::variant<step::Submit, step::Advance, step::RunUntil, step::Heartbeat, step::EndTasks,
               step::Lose, step::OrderTracker, step::ExpectTracker, step::AddTracker,
               step::SetSlots, step::SetOffer, step::Prioritise, step::Move, step::Kill,
               step::Release,
               step::QueueSwitch, step::Apply, step::SwitchPolicy, step::ExpectQueue,
               step::ExpectJob, step::ExpectKills, step::ExpectRecords,
               step::ExpectReservations, step::ExpectGang, step::ExpectExplain,
               step::ExpectRefused>
      what;
};

struct HeartbeatPlan {
  // When a tracker first reports, within one interval: spread evenly in tracker order, or by lot.
  enum class Phase : std::uint8_t { kEven, kRandom };
  bool automatic = false;
  DurationMs interval_ms = 3000;  // as Hadoop's; manual ones stand for such
  bool out_of_band = true;
  Phase phase = Phase::kEven;
};

struct Scenario {
  std::string file;
  std::vector<VirtualTrackerSpec> trackers;
  std::shared_ptr<Settings> settings;  // those of the start
  SettingsSource settings_source;
  HeartbeatPlan heartbeats;
  std::vector<Step> steps;
  bool has_trace = false;
  std::vector<JobPlan> trace;  // by submit_at
  ClusterModel model;
};

// The error's diagnostics are all findings.
Result<Scenario> load_scenario(const std::string& file);
// `file` stands for it in messages, and other files are found relative to it.
Result<Scenario> load_scenario_text(const std::string& file, std::string_view text);

// The settings that `source` says; what is wrong goes to `out`. Manual trackers report when a step
// says so, so there only an expiry that is written makes silent ones lost. Second attempts of tasks
// are started only where the settings have a word about them.
Settings settings_of(const SettingsSource& source, const HeartbeatPlan& heartbeats,
                     Diagnostics& out);

}  // namespace weir
