// Runs a scenario: each step in order on the virtual cluster, the clock moved only by `advance`,
// `run_until` and `at`; after the last step a trace runs on until its jobs have ended. A step that
// cannot be done (a task that does not run) and an expectation that does not hold are failures with
// file:line, and the run goes on; a command that the engine refuses is an event. Everything that
// watches the run is an Observer, called in the order of coming. Deterministic; one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "sim/clockwork.h"
#include "sim/event_log.h"
#include "sim/expectations.h"
#include "sim/job_names.h"
#include "sim/samples.h"
#include "sim/scenario.h"
#include "sim/sim_engine.h"
#include "sim/summary.h"
#include "sim/virtual_cluster.h"

namespace weir {

class Runner {
 public:
  // The scenario must outlive the runner.
  static Result<std::unique_ptr<Runner>> create(const Scenario& scenario, PolicyFactory factory);

  // --- Before run() ---
  void watch(Observer& observer) { engine_->watch(observer); }
  // The same, and the run halts after the first step at which `stop` holds.
  void guard(Observer& observer, std::function<bool()> stop);
  void write_events(std::ostream& out);
  void write_samples(std::ostream& out);
  void summarise();

  void run();

  const std::vector<std::string>& failures() const { return failures_; }  // in order
  std::size_t expectations() const { return expectations_; }              // that were looked at
  const SimEngine& engine() const { return *engine_; }
  const JobNames& names() const { return names_; }
  std::string notice() const;  // of what a user may have overlooked; empty if nothing
  const Summary* summary() const { return summary_.get(); }  // null without summarise()

 private:
  Runner(const Scenario& scenario, std::unique_ptr<SimEngine> engine);

  // runner.cpp
  void fail(Mark at, const std::string& what);
  void fail(Mark at, const std::vector<std::string>& findings);
  void run_to(TimeMs at, bool update = true);
  void submit(const JobPlan& plan);
  void finish_jobs(Mark at);
  std::size_t unfinished() const;
  std::optional<TrackerId> tracker(Mark at, const std::string& name, bool live);
  std::optional<JobId> job(Mark at, const std::string& name);
  Caller caller(const step::By& by, std::optional<JobId> job, const std::string& queue) const;
  Caller administrator(const std::string& queue) const;
  template <class Body>
  void command(Body body);
  void update_pools();
  std::vector<AttemptKey> attempts(Mark at, const std::string& pattern);

  // runner_steps.cpp
  void run(const Step& step, const step::Submit& what);
  void run(const Step& step, const step::Advance& what);
  void run(const Step& step, const step::RunUntil& what);
  void run(const Step& step, const step::Heartbeat& what);
  void run(const Step& step, const step::EndTasks& what);
  void run(const Step& step, const step::Lose& what);
  void run(const Step& step, const step::OrderTracker& what);
  void run(const Step& step, const step::ExpectTracker& what);
  void run(const Step& step, const step::AddTracker& what);
  void run(const Step& step, const step::SetSlots& what);
  void run(const Step& step, const step::SetOffer& what);
  void run(const Step& step, const step::Prioritise& what);
  void run(const Step& step, const step::Move& what);
  void run(const Step& step, const step::Kill& what);
  void run(const Step& step, const step::Release& what);
  void run(const Step& step, const step::QueueSwitch& what);
  void run(const Step& step, const step::Apply& what);
  void run(const Step& step, const step::SwitchPolicy& what);
  void run(const Step& step, const step::ExpectQueue& what);
  void run(const Step& step, const step::ExpectJob& what);
  void run(const Step& step, const step::ExpectKills& what);
  void run(const Step& step, const step::ExpectRecords& what);
  void run(const Step& step, const step::ExpectReservations& what);
  void run(const Step& step, const step::ExpectGang& what);
  void run(const Step& step, const step::ExpectExplain& what);
  void run(const Step& step, const step::ExpectRefused& what);

  class Guard : public Observer {
   public:
    Guard(Observer& inner, std::function<bool()> stop, SimEngine& engine)
        : inner_(inner), stop_(std::move(stop)), engine_(engine) {}
    void on_step(const Engine& engine, const Input& input, const Output& output) override {
      inner_.on_step(engine, input, output);
      if (stop_()) engine_.halt();
    }

   private:
    Observer& inner_;
    std::function<bool()> stop_;
    SimEngine& engine_;
  };

  const Scenario& scenario_;
  std::unique_ptr<SimEngine> engine_;
  VirtualCluster cluster_;
  Clockwork clockwork_;
  JobNames names_;
  PreemptionKills kills_;
  SlotGrants grants_;
  Expectations expect_;
  std::unique_ptr<EventLog> events_;    // null: nobody reads them
  std::unique_ptr<SampleLog> samples_;  // null: nobody reads them
  std::unique_ptr<Summary> summary_;    // null: nobody asked
  std::vector<std::unique_ptr<Guard>> guards_;
  std::size_t next_of_trace_ = 0;
  std::size_t trace_refusals_ = 0;
  std::string trace_refusal_;     // the first
  std::optional<Error> refusal_;  // of the last step that was a command
  std::vector<std::string> failures_;
  std::size_t expectations_ = 0;
};

}  // namespace weir
