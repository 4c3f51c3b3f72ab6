// What jobs are owed under `algorithm: deficit`: at each update share times the time since the last
// one, less what has run meanwhile, counted at every step. A job over a limit neither gains nor
// loses; under another algorithm or policy what is owed stands still.
#include <fmt/format.h>

#include "jobqueue/policy/pools_facet.h"
#include "sim/checker/step.h"

namespace weir::check {
namespace {

using Account = PoolMemory::Account;

void settle(Account& account, TimeMs now) {
  account.owed += account.due * (now - account.since) - account.ran_ms;
  account.since = now;
  account.ran_ms = 0;
}

void open(Account& account, TimeMs now) {
  account.open = true;
  account.due = account.ran_ms = 0;
  account.since = now;
}

bool may_run(const Job& job) {
  return job.durable && job.state == JobState::kRunning && job.duty == Job::Duty::kNone;
}

// Who may be scheduled since this step counts from it, and who may not any more is settled.
void follow_jobs(const Step& step, PoolMemory& memory) {
  const TimeMs now = step.engine.now();
  // Who lost his place and got it back within the step begins anew: his share is that of a job
  // that waits until the next update.
  std::set<JobId> stopped;
  for (const Event& event : step.output.events) {
    const auto* change = fact_as<JobStateChanged>(event.fact);
    if (change != nullptr && change->state == JobState::kWaiting) stopped.insert(change->job);
  }
  std::set<JobId> running;
  for (const TaskKind kind : kTaskKinds) {
    for (const JobCount& count : step.census.jobs(kind)) {
      const JobId id = count.job->id;
      Account& account = memory.accounts[{id, kind}];
      const bool may = may_run(*count.job);
      if (may) running.insert(id);
      if (account.open && (!may || stopped.contains(id))) {
        settle(account, now);
        account.open = false;
        if (may) open(account, now);
      } else if (!account.open && may && memory.counting && !memory.could_run.contains(id)) {
        open(account, now);
      }
      account.running = count.running * count.width;
    }
  }
  std::erase_if(memory.accounts, [&](const auto& entry) {
    const Job* job = step.state.find_job(entry.first.first);
    return job == nullptr || is_over(job->state);
  });
  memory.could_run = std::move(running);
}

void update(const Step& step, PoolMemory& memory, Verdict& verdict) {
  const TimeMs now = step.engine.now();
  // The update comes before its kills, and a second attempt is not wanted again once it is gone.
  const Census before = step.before_kills();
  for (const TaskKind kind : kTaskKinds) {
    Pools pools(before, kind, *step.fair, step.where, now);
    pools.deal_shares();
    for (const auto& [path, line] : pools.lines) {
      for (const PoolJob& job : line.jobs) {
        const JobId id = job.count->job->id;
        const std::int64_t said =
            job_figures(step.engine.policy(), id, kind).deficit_ms.value_or(0);
        if (!job.runnable || !may_run(*job.count->job)) continue;
        Account& account = memory.accounts[{id, kind}];
        if (!account.open) open(account, now);
        settle(account, now);
        if (!memory.known) account.owed = said;
        account.due = job.share;
        const Rational off = account.owed - said;
        if (off <= 2 && off >= -2) continue;
        verdict.breach(
            "deficit",
            fmt::format("{} ({}) is owed {} slot-ms, recomputed {:.3f} (share {:.6f}, "
                        "it runs {} slots)",
                        job_name(id), name(kind), said, account.owed.convert_to<double>(),
                        job.share.convert_to<double>(), job.running));
      }
    }
  }
  memory.known = true;
}

// Whether several commands that may change the policy or its algorithm became true in the step:
// they may lead away and back.
bool changed_several_times(const Step& step, std::vector<std::uint64_t>& promised) {
  for (const Event& event : step.output.events) {
    const bool command = fact_as<SettingsChanged>(event.fact) != nullptr ||
                         fact_as<PolicyChanged>(event.fact) != nullptr;
    if (command && event.seq > 0) promised.push_back(event.seq);
  }
  if (std::holds_alternative<StoreFailed>(step.input.body)) promised.clear();
  const auto* durable = std::get_if<Durable>(&step.input.body);
  if (durable == nullptr) return false;
  return std::erase_if(promised, [&](std::uint64_t seq) { return seq <= durable->seq; }) > 1;
}

}  // namespace

void check_deficits(const Step& step, Memory& all, Verdict& verdict) {
  if (!all.every_step) return;
  PoolMemory& memory = all.pools;
  const TimeMs now = step.engine.now();
  for (auto& [key, account] : memory.accounts) {
    if (account.open) account.ran_ms += account.running * (now - memory.counted_at);
  }
  memory.counted_at = now;
  const bool counting = step.fair && step.fair->deficit;
  const bool away_and_back = changed_several_times(step, memory.rule_commands);
  // What was owed when the algorithm comes to rule is taken from what the policy says then.
  if (counting != memory.counting || away_and_back) {
    memory.known = false;
    for (auto& [key, account] : memory.accounts) account.open = false;
  }
  if (counting) follow_jobs(step, memory);
  memory.counting = counting;
  const bool tick = std::holds_alternative<Tick>(step.input.body);
  if (counting && tick) update(step, memory, verdict);
}

}  // namespace weir::check
