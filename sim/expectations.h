// What the `expect_*` steps compare: figures of queues and jobs as the engine and its policy tell
// them, kills since the last look, reasons that explain a wait. Each check gives the findings as
// `expected ..., actual ...`, empty if all is as it should be. It asks and changes nothing. One
// thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/job_names.h"
#include "sim/scenario.h"
#include "sim/sim_engine.h"

namespace weir {

// Kills that a policy ordered to move slots between queues or pools, in order.
class PreemptionKills : public Observer {
 public:
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  bool events_only() const override { return true; }
  std::vector<TaskKey> take() { return std::move(since_); }

 private:
  std::vector<TaskKey> since_;
};

// The reduces that got their slots after they had copied, since they were last asked for.
class SlotGrants : public Observer {
 public:
  void on_step(const Engine& engine, const Input& input, const Output& output) override;
  bool events_only() const override { return true; }
  std::vector<TaskKey> take() { return std::exchange(since_, {}); }

 private:
  std::vector<TaskKey> since_;
};

class Expectations {
 public:
  using Findings = std::vector<std::string>;

  Expectations(const SimEngine& engine, const JobNames& names) : engine_(engine), names_(names) {}

  Findings check(const step::ExpectQueue& expect) const;
  Findings check(const step::ExpectJob& expect) const;
  Findings check(const step::ExpectRecords& expect) const;
  Findings check(const step::ExpectReservations& expect) const;
  Findings check(const step::ExpectGang& expect) const;
  Findings check(const step::ExpectExplain& expect) const;

 private:
  void check_claims(const std::string& queue, const std::vector<step::ExpectedClaim>& expected,
                    std::initializer_list<TaskKind> kinds, Findings& findings) const;
  Findings check_pool(const step::ExpectQueue& expect, const PoolFigures& pool) const;
  const Job* find_job(const std::string& name, Findings& findings) const;

  const SimEngine& engine_;
  const JobNames& names_;
};

std::string number_text(double value);                        // 4, 2.67
std::string list_text(const std::vector<std::string>& list);  // [J1/m0, J1/m1]
std::string difference(const std::string& expected, const std::string& actual);

}  // namespace weir
