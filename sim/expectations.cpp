#include "sim/expectations.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jobqueue/policy/pools_facet.h"
#include "sim/figures.h"

namespace weir {
namespace {

constexpr double kTolerance = 0.01 + 1e-9;

void compare(const std::string& what, const step::Figure& expected, std::optional<double> actual,
             std::string_view policy, Expectations::Findings& findings) {
  if (actual && std::abs(*actual - expected.value) <= kTolerance) return;
  findings.push_back(
      difference(fmt::format("{} {} {}", what, expected.name, number_text(expected.value)),
                 actual ? number_text(*actual) : fmt::format("none under policy {}", policy)));
}

std::string claim_text(const step::ExpectedClaim& claim) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (claim.kind) add(fmt::format("class: {}", name(*claim.kind)));
  if (claim.slots) add(fmt::format("slots: {}", *claim.slots));
  if (claim.left_ms) add(fmt::format("left: {}", format_duration(*claim.left_ms)));
  if (claim.block) add(fmt::format("block: {}", *claim.block));
  return "{" + text + "}";
}

std::string record_text(const step::ExpectRecords::Record& record) {
  std::string text = "task: " + record.task;
  if (record.outcome) text += ", outcome: " + *record.outcome;
  if (record.claimant) text += ", claimant: " + *record.claimant;
  if (record.victim) text += ", victim: " + *record.victim;
  return "{" + text + "}";
}

}  // namespace

std::string number_text(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string list_text(const std::vector<std::string>& list) {
  return fmt::format("[{}]", fmt::join(list, ", "));
}

std::string difference(const std::string& expected, const std::string& actual) {
  return fmt::format("expected {}, actual {}", expected, actual);
}

void SlotGrants::on_step(const Engine&, const Input&, const Output& output) {
  for (const Event& event : output.events) {
    const auto* granted = fact_as<ComputeGranted>(event.fact);
    if (granted != nullptr) since_.push_back(granted->attempt.task);
  }
}

void PreemptionKills::on_step(const Engine&, const Input&, const Output& output) {
  for (const Event& event : output.events) {
    const auto* kill = fact_as<KillOrdered>(event.fact);
    if (kill != nullptr && kill->reason <= KillReason::kFairShare)
      since_.push_back(kill->attempt.task);
  }
}

void Expectations::check_claims(const std::string& queue,
                                const std::vector<step::ExpectedClaim>& expected,
                                std::initializer_list<TaskKind> kinds, Findings& findings) const {
  const QueueId id = *engine_.state().tree().find(queue);
  std::vector<std::string> wanted;
  std::vector<std::string> actual;
  std::size_t same = 0;
  for (const TaskKind kind : kinds) {
    for (const Claim& claim : engine_.state().claims().claims(id, kind)) {
      const DurationMs left =
          std::max<DurationMs>(0, claim.deadline - engine_.engine().claims_now());
      const step::ExpectedClaim now{kind, claim.slots, left, std::string(name(claim.block))};
      const std::size_t i = actual.size();
      actual.push_back(claim_text(now));
      if (i >= expected.size()) continue;
      const step::ExpectedClaim& want = expected[i];
      if ((!want.kind || want.kind == now.kind) && (!want.slots || want.slots == now.slots) &&
          (!want.left_ms || want.left_ms == now.left_ms) &&
          (!want.block || want.block == now.block)) {
        ++same;
      }
    }
  }
  if (same == expected.size() && same == actual.size()) return;
  for (const step::ExpectedClaim& claim : expected) wanted.push_back(claim_text(claim));
  findings.push_back(
      difference(fmt::format("{} claims {}", queue, list_text(wanted)), list_text(actual)));
}

Expectations::Findings Expectations::check_pool(const step::ExpectQueue& expect,
                                                const PoolFigures& pool) const {
  Findings findings;
  const std::string_view policy = engine_.engine().policy().name();
  for (const TaskKind kind : kTaskKinds) {
    for (const step::Figure& figure : expect.figures[index(kind)]) {
      compare(fmt::format("{} {}", expect.queue, name(kind)), figure,
              pool_figure(pool, kind, figure.name), policy, findings);
    }
  }
  PerDimension<std::int64_t> running;
  for (const Dimension d : engine_.state().space().dimensions()) {
    if (d.place() < pool.of_dimension.size())
      running[d] = pool.of_dimension[d.place()].running;
  }
  for (const auto& [name, figures] : expect.of_dimension) {
    const auto dimension = engine_.state().space().find(name);
    for (const step::Figure& figure : figures) {
      compare(fmt::format("{} {}", expect.queue, name), figure,
              dimension ? pool_figure(pool, *dimension, figure.name) : std::nullopt, policy,
              findings);
    }
  }
  if (expect.dominant) {
    compare(expect.queue, {"dominant", *expect.dominant},
            dominant_part(engine_.engine(), running), policy, findings);
  }
  for (const step::Figure& figure : expect.jobs) {
    compare(expect.queue + " jobs", figure,
            figure.name == "waiting" ? pool.jobs_waiting : pool.jobs_running, policy, findings);
  }
  if (expect.claims || expect.claims_of[0] || expect.claims_of[1] || expect.stopped) {
    findings.push_back(
        difference("claims or a state of " + expect.queue, "it is a pool: only queues have these"));
  }
  return findings;
}

Expectations::Findings Expectations::check(const step::ExpectQueue& expect) const {
  if (const auto pool = find_pool(engine_.engine(), expect.queue)) return check_pool(expect, *pool);
  Findings findings;
  const ClusterState& state = engine_.state();
  const auto queue = state.tree().find(expect.queue);
  if (!queue) return {difference("queue " + expect.queue, "none: " + queue.error().message)};
  const std::string_view policy = engine_.engine().policy().name();
  for (const TaskKind kind : kTaskKinds) {
    for (const step::Figure& figure : expect.figures[index(kind)]) {
      compare(fmt::format("{} {}", expect.queue, name(kind)), figure,
              queue_figure(engine_.engine(), *queue, kind, figure.name), policy, findings);
    }
  }
  for (const auto& [name, figures] : expect.of_dimension) {
    const auto dimension = state.space().find(name);
    for (const step::Figure& figure : figures) {
      compare(fmt::format("{} {}", expect.queue, name), figure,
              dimension ? queue_figure(engine_.engine(), *queue, *dimension, figure.name)
                        : std::nullopt,
              policy, findings);
    }
  }
  if (expect.dominant) {
    compare(expect.queue, {"dominant", *expect.dominant},
            dominant_part(engine_.engine(), state.queue(*queue).running), policy, findings);
  }
  if (expect.claims) {
    check_claims(expect.queue, *expect.claims, {TaskKind::kMap, TaskKind::kReduce}, findings);
  }
  for (const TaskKind kind : kTaskKinds) {
    const auto& claims = expect.claims_of[index(kind)];
    if (claims) check_claims(expect.queue, *claims, {kind}, findings);
  }
  const QueueState& now = state.queue(*queue);
  for (const step::Figure& figure : expect.jobs) {
    compare(expect.queue + " jobs", figure,
            figure.name == "waiting" ? now.jobs_waiting : now.jobs_running, policy, findings);
  }
  if (expect.stopped && *expect.stopped != now.stopped) {
    findings.push_back(difference(
        fmt::format("{} to be {}", expect.queue, *expect.stopped ? "stopped" : "running"),
        now.stopped ? "stopped" : "running"));
  }
  return findings;
}

const Job* Expectations::find_job(const std::string& name, Findings& findings) const {
  const auto id = names_.find(name);
  const Job* job = id ? engine_.state().find_job(*id) : nullptr;
  if (job == nullptr) {
    findings.push_back(
        difference("job " + name, id ? "it ended long ago and is forgotten" : "no such job"));
  }
  return job;
}

Expectations::Findings Expectations::check(const step::ExpectJob& expect) const {
  Findings findings;
  const Job* job = find_job(expect.job, findings);
  if (job == nullptr) return findings;
  const std::string_view policy = engine_.engine().policy().name();
  for (const TaskKind kind : kTaskKinds) {
    for (const step::Figure& figure : expect.figures[index(kind)]) {
      compare(fmt::format("{} {}", expect.job, name(kind)), figure,
              job_figure(engine_.engine(), *job, kind, figure.name), policy, findings);
    }
  }
  for (const auto& [name, figures] : expect.of_dimension) {
    const auto dimension = engine_.state().space().find(name);
    for (const step::Figure& figure : figures) {
      compare(fmt::format("{} {}", expect.job, name), figure,
              dimension ? job_figure(engine_.engine(), *job, *dimension, figure.name)
                        : std::nullopt,
              policy, findings);
    }
  }
  if (expect.dominant) {
    compare(expect.job, {"dominant", *expect.dominant},
            dominant_part(engine_.engine(), running_of(engine_.engine(), *job)), policy, findings);
  }
  const JobState state = engine_.engine().visible_state(*job);
  if (expect.state && *expect.state != name(state)) {
    findings.push_back(difference(fmt::format("{} {}", expect.job, *expect.state), name(state)));
  }
  if (expect.runnable && *expect.runnable != (state == JobState::kRunning)) {
    findings.push_back(
        difference(fmt::format("{} runnable: {}", expect.job, *expect.runnable), name(state)));
  }
  const std::string& path = engine_.state().tree().node(job->queue).path;
  const std::string pool(pool_of(engine_.engine().policy(), job->id));
  if (expect.pool && *expect.pool != pool) {
    findings.push_back(difference(fmt::format("{} in pool {}", expect.job, *expect.pool), pool));
  }
  if (expect.queue) {
    const auto queue = engine_.state().tree().find(*expect.queue);
    if (!queue || *queue != job->queue) {
      findings.push_back(
          difference(fmt::format("{} in queue {}", expect.job, *expect.queue), path));
    }
  }
  return findings;
}

Expectations::Findings Expectations::check(const step::ExpectRecords& expect) const {
  const QueueTree& tree = engine_.state().tree();
  std::vector<std::string> wanted;
  std::vector<std::string> actual;
  std::size_t same = 0;
  const auto path = [&](const std::string& pool, QueueId id) {
    if (!pool.empty()) return pool;
    return id.valid() ? tree.node(id).path : "(gone)";
  };
  const auto is = [&](const std::optional<std::string>& said, const std::string& pool, QueueId id) {
    if (said && !pool.empty()) return *said == pool;
    const auto found = said ? tree.find(*said) : Result<QueueId>(id);
    return found && *found == id;
  };
  for (const KillRecord& record : engine_.state().claims().records()) {
    const std::string task = names_.spell(record.attempt.task);
    const std::size_t i = actual.size();
    actual.push_back(
        record_text({task, outcome_of(record), path(record.for_pool, record.claimant),
                     path(record.from_pool, record.victim)}));
    if (i >= expect.records.size()) continue;
    const step::ExpectRecords::Record& want = expect.records[i];
    if (want.task == task && (!want.outcome || *want.outcome == outcome_of(record)) &&
        is(want.claimant, record.for_pool, record.claimant) &&
        is(want.victim, record.from_pool, record.victim)) {
      ++same;
    }
  }
  if (same == expect.records.size() && same == actual.size()) return {};
  for (const auto& record : expect.records) wanted.push_back(record_text(record));
  return {difference("kill records " + list_text(wanted), list_text(actual))};
}

Expectations::Findings Expectations::check(const step::ExpectReservations& expect) const {
  std::vector<std::string> wanted, actual;
  for (const auto& one : expect.reservations) wanted.push_back(one.tracker + " for " + one.job);
  for (const Reservation& kept : engine_.state().claims().reservations()) {
    actual.push_back(engine_.state().tracker(kept.tracker).name + " for " + names_.name(kept.job));
  }
  std::sort(wanted.begin(), wanted.end());
  std::sort(actual.begin(), actual.end());
  if (wanted == actual) return {};
  return {difference("reservations " + list_text(wanted), list_text(actual))};
}

Expectations::Findings Expectations::check(const step::ExpectGang& expect) const {
  Findings findings;
  const Job* job = find_job(expect.job, findings);
  if (job == nullptr) return findings;
  if (job->gang == nullptr) return {difference(expect.job + " to have a gang", "it has none")};
  const Assembly* assembly = engine_.state().assembly_of(job->id);
  const auto needed = static_cast<std::int64_t>(gang_members(*job).size());
  const auto held =
      static_cast<std::int64_t>(assembly == nullptr ? 0 : assembly->rooms.size());
  const auto compare = [&](const char* what, const auto& wanted, const auto& actual) {
    if (!wanted || *wanted == actual) return;
    findings.push_back(difference(fmt::format("{} of the gang of {} to be {}", what, expect.job,
                                              *wanted),
                                  fmt::format("{}", actual)));
  };
  compare("held", expect.held, held);
  compare("needed", expect.needed, needed);
  compare("started", expect.started, job->gang->started);
  compare("assembler", expect.assembler, assembly != nullptr);
  return findings;
}

Expectations::Findings Expectations::check(const step::ExpectExplain& expect) const {
  Findings findings;
  const Job* job = find_job(expect.job, findings);
  if (job == nullptr) return findings;
  std::vector<std::string> codes;
  std::vector<std::string> messages;
  for (const Reason& reason : engine_.engine().explain(job->id)) {
    codes.push_back(reason.code);
    messages.push_back(reason.message);
  }
  if (codes != expect.codes) {
    findings.push_back(difference(
        fmt::format("{} to wait for {}", expect.job, list_text(expect.codes)),
        messages.empty() ? list_text(codes)
                         : fmt::format("{} ({})", list_text(codes), fmt::join(messages, "; "))));
  }
  return findings;
}

}  // namespace weir
