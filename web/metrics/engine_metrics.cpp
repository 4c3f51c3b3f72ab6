// What the engine has done, and how long it took; and its store.
#include "jobqueue/model/space.h"
#include "tracker/metrics/daemon_figures.h"
#include "web/metrics/families.h"

namespace weir {
namespace {

using OfClass = EngineCounters::OfClass;
using OfDimension = EngineCounters::OfDimension;

// Of applications all groups are one class.
constexpr TaskKind kClasses[] = {TaskKind::kMap, TaskKind::kReduce, TaskKind::kFirstGroup};

const OfClass& of_class(const EngineCounters& engine, TaskKind kind) {
  return engine.of[EngineCounters::class_of(kind)];
}

template <std::size_t N>
void by_name(Families& families, const EngineCounters& engine, const char* label,
             const char* const (&names)[N], Count (OfClass::*member)[N]) {
  for (const TaskKind kind : kClasses) {
    for (std::size_t i = 0; i < N; ++i) {
      families.add((of_class(engine, kind).*member)[i],
                   {{"class", name(kind)}, {label, names[i]}});
    }
  }
}

constexpr const char* kLocalities[kLocalityCount] = {"node", "rack", "any"};
constexpr const char* kReasons[kKillReasonCount] = {
    "reclaim",      "min_share",  "fair_share", "job_killed", "speculative",
    "tracker_lost", "job_failed", "unknown",    "no_room",    "tracker_stopped",
    "gang",         "time_limit", "own_maps"};

void add_tasks(Families& families, const EngineCounters& engine) {
  families.counter("weir_launches_total", "Attempts launched, by how near their input was.");
  by_name(families, engine, "locality", kLocalities, &OfClass::launches);
  families.counter("weir_speculative_launches_total",
                   "Attempts launched beside a slow one of the same task.");
  for (const TaskKind kind : kTaskKinds)
    families.add(of_class(engine, kind).speculative, {{"class", name(kind)}});
  families.counter("weir_attempts_ended_total", "Attempts that have ended, by how.");
  for (const TaskKind kind : kClasses) {
    const OfClass& of = of_class(engine, kind);
    families.add(of.succeeded, {{"class", name(kind)}, {"outcome", "succeeded"}});
    families.add(of.failed, {{"class", name(kind)}, {"outcome", "failed"}});
    families.add(of.killed, {{"class", name(kind)}, {"outcome", "killed"}});
  }
  families.counter("weir_kills_total",
                   "Attempts killed, by reason; reclaim, min_share and fair_share are for others.");
  by_name(families, engine, "reason", kReasons, &OfClass::kills);
}

void add_wasted(Families& families, const EngineCounters& engine, const Space& space) {
  const auto add = [&](const char* label, std::string_view of,
                       const Count (&wasted_ms)[kKillReasonCount]) {
    for (std::size_t i = 0; i < kKillReasonCount; ++i) {
      families.add(static_cast<double>(wasted_ms[i].get()) / 1'000,
                   {{label, of}, {"reason", kReasons[i]}});
    }
  };
  families.counter("weir_wasted_slot_seconds_total",
                   "Slot-seconds that killed attempts had had, by reason.");
  for (const TaskKind kind : kTaskKinds)
    add("class", name(kind), of_class(engine, kind).wasted_slot_ms);
  families.counter("weir_wasted_amount_seconds_total",
                   "Where containers count: MB-seconds, vcore-seconds and so on that killed "
                   "attempts had had, by reason.");
  if (!space.containers()) return;
  for (const Dimension d : space.dimensions())
    add("dimension", space.name(d), engine.by[d.value()].wasted_ms);
}

void add_claims(Families& families, const EngineCounters& engine, const Space& space) {
  std::vector<std::pair<std::string_view, const OfDimension*>> counted;
  for (const TaskKind kind : kTaskKinds) counted.emplace_back(name(kind), &engine.by[index(kind)]);
  if (space.containers()) {
    for (const Dimension d : space.dimensions())
      counted.emplace_back(space.name(d), &engine.by[d.value()]);
  }
  families.counter("weir_claims_opened_total",
                   "Claims of queues that lacked guaranteed slots, or amounts of containers' "
                   "dimensions.");
  for (const auto& [what, of] : counted) families.add(of->claims_opened, {{"class", what}});
  families.counter("weir_claim_slots_total",
                   "Slots, or amounts, of claims: opened, met by launches, dropped because they "
                   "were not wanted any more.");
  for (const auto& [what, of] : counted) {
    families.add(of->claim_slots_opened, {{"class", what}, {"event", "opened"}});
    families.add(of->claim_slots_met, {{"class", what}, {"event", "met"}});
    families.add(of->claim_slots_dropped, {{"class", what}, {"event", "dropped"}});
  }
}

void add_jobs(Families& families, const EngineCounters& engine) {
  families.counter("weir_jobs_submitted_total", "Jobs taken.").add(engine.jobs_submitted);
  families.counter("weir_jobs_ended_total", "Jobs that have ended, by how.")
      .add(engine.jobs_ended[static_cast<std::size_t>(JobState::kSucceeded)],
           {{"state", "succeeded"}})
      .add(engine.jobs_ended[static_cast<std::size_t>(JobState::kFailed)], {{"state", "failed"}})
      .add(engine.jobs_ended[static_cast<std::size_t>(JobState::kKilled)], {{"state", "killed"}});
  families.histogram("weir_job_wait_seconds",
                     "From a job's submission to its first launch; counted when it ends.");
  families.add(engine.job_wait_seconds);
  families.histogram("weir_job_run_seconds", "From a job's first launch to its end.");
  families.add(engine.job_run_seconds);
}

}  // namespace

void add_engine(Families& families, const DaemonFigures& daemon, const Space& space) {
  const EngineCounters& engine = *daemon.engine;
  add_tasks(families, engine);
  add_wasted(families, engine, space);
  add_claims(families, engine, space);
  add_jobs(families, engine);
  families.histogram("weir_heartbeat_wait_seconds",
                     "How long a tracker's report waited for the engine.");
  families.add(engine.wait_seconds);
  families.histogram("weir_heartbeat_decision_seconds",
                     "The engine's work on one report, with all that it decides.");
  families.add(engine.heartbeat_seconds);
  families.histogram("weir_request_seconds", "The engine's work on one command or question.");
  families.add(engine.request_seconds);
  families.histogram("weir_publish_seconds", "Making what readers see of what has changed.");
  families.add(engine.publish_seconds);
  families
      .gauge("weir_engine_queue_length", "Inputs that wait for the engine, by whose they are.")
      .add(daemon.tracker_inputs_waiting, {{"source", "trackers"}})
      .add(daemon.client_requests_waiting, {{"source", "clients"}});
  const std::int64_t recovery = engine.recovery_ms.get();
  families
      .gauge("weir_recovering",
             "1: tasks are not launched yet, because trackers are still to say what they run.")
      .add(recovery < 0 ? 1.0 : 0.0);
  families
      .gauge("weir_recovery_seconds",
             "How long that took after the last start; 0 until it is over.")
      .add(recovery < 0 ? 0.0 : static_cast<double>(recovery) / 1'000);
  families.gauge("weir_job_description_bytes", "Held by descriptions of jobs that go on.")
      .add(engine.job_bytes);
  families.counter("weir_commands_refused_total", "Commands that were not taken.")
      .add(engine.commands_refused);
  families.counter("weir_trackers_lost_total", "Trackers given up.").add(engine.trackers_lost);
  families.counter("weir_settings_changes_total", "Settings that were put in force.")
      .add(engine.settings_changes);
  families.counter("weir_policy_switches_total", "Switches of the policy.")
      .add(engine.policy_switches);
  families.gauge("weir_event_log_failing", "1: the event log is not written as it should be.")
      .add(daemon.event_log_failing ? 1.0 : 0.0);
}

void add_store(Families& families, const DaemonFigures& daemon) {
  const EngineCounters& engine = *daemon.engine;
  families.histogram("weir_store_commit_seconds",
                     "Writing one group of events, until the disk has it.");
  families.add(engine.store_commit_seconds);
  families.histogram("weir_store_group_events", "Events that were written together.");
  families.add(engine.store_group_size);
  families.counter("weir_store_failures_total", "Groups of events that could not be written.")
      .add(engine.store_failures);
  families.gauge("weir_store_failing", "1: the store refuses writes.")
      .add(daemon.store_failing ? 1.0 : 0.0);
  families.gauge("weir_store_waiting_events", "Events that wait for the disk.")
      .add(daemon.store_events_waiting);
  families.gauge("weir_store_waiting_bytes", "What they hold, roughly.")
      .add(daemon.store_bytes_waiting);
}

}  // namespace weir
