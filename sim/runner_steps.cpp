// What each kind of step does. See runner.h.
#include <algorithm>

#include <fmt/format.h>

#include "jobqueue/policy/pools_facet.h"
#include "sim/runner.h"

namespace weir {

template <class Body>
void Runner::command(Body body) {
  const Reply reply = engine_->step(std::move(body));
  refusal_.reset();
  if (const auto* error = std::get_if<Error>(&reply.body)) refusal_ = *error;
}

// With pools, what changes who wants what is followed by an update; a refused step by none.
void Runner::update_pools() {
  if (refusal_ || scenario_.heartbeats.automatic) return;
  if (engine_->engine().policy().pools() != nullptr) engine_->step(Tick{});
}

void Runner::run(const Step&, const step::Submit& what) {
  submit(*what.plan);
  update_pools();
}

void Runner::run(const Step&, const step::Advance& what) {
  run_to(engine_->now() + what.by_ms);
}

void Runner::run(const Step& step, const step::RunUntil& what) {
  if (what.until && SimEngine::kStart + *what.until < engine_->now()) {
    return fail(step.at,
                difference(fmt::format("run_until {} ms", *what.until),
                           fmt::format("the clock is at {} ms already", engine_->elapsed())));
  }
  const bool beats_anyway = clockwork_.beating();
  if (!beats_anyway) clockwork_.start_beats();
  if (what.until) {
    run_to(SimEngine::kStart + *what.until);
  } else {
    finish_jobs(step.at);
  }
  if (!beats_anyway) clockwork_.stop_beats();
}

void Runner::run(const Step& step, const step::Heartbeat& what) {
  const auto id = tracker(step.at, what.tracker, true);
  std::vector<std::string> launched;
  grants_.take();
  if (id) {
    clockwork_.finish_copies(*id);
    for (const AttemptKey& key : cluster_.heartbeat(*id))
      launched.push_back(names_.spell(key.task));
  }
  std::vector<std::string> granted;
  for (const TaskKey& task : grants_.take()) granted.push_back(names_.spell(task));
  const auto expect = [&](const auto& expected, Mark at, const char* to,
                          const std::vector<std::string>& actual) {
    if (!expected) return;
    ++expectations_;
    if (actual == *expected) return;
    fail(at, difference(what.tracker + to + list_text(*expected), list_text(actual)));
  };
  expect(what.granted, what.granted_at, " to give slots to ", granted);
  expect(what.expect, what.expect_at, " to launch ", launched);
}

void Runner::run(const Step& step, const step::EndTasks& what) {
  for (const std::string& pattern : what.tasks) {
    for (const AttemptKey& attempt : attempts(step.at, pattern)) {
      const Status done =
          what.well ? cluster_.finish(attempt) : cluster_.fail(attempt, "failed by the scenario");
      if (done) continue;
      fail(step.at, difference(fmt::format("{} to {}", names_.spell(attempt.task),
                                           what.well ? "finish" : "fail"),
                               done.error().message));
    }
  }
}

void Runner::run(const Step& step, const step::Lose& what) {
  if (const auto id = tracker(step.at, what.tracker, true)) {
    if (const auto lost = cluster_.lose(*id); !lost) fail(step.at, lost.error().message);
  }
}

void Runner::run(const Step&, const step::OrderTracker& what) {
  command(OrderTrackers{caller(what.by, std::nullopt, ""), {what.tracker}, what.order});
  update_pools();
}

void Runner::run(const Step& step, const step::ExpectTracker& what) {
  ++expectations_;
  const TrackerState* tracker = engine_->state().find_tracker(what.tracker);
  if (tracker == nullptr) return fail(step.at, "there is no tracker " + what.tracker);
  const std::string state = !tracker->live() ? "lost" : tracker->in_pool() ? "live" : "out";
  if (state == what.state) return;
  fail(step.at, difference("tracker " + what.tracker + " " + what.state, state));
}

void Runner::run(const Step& step, const step::AddTracker& what) {
  if (const auto added = cluster_.add_tracker(what.spec); !added) {
    fail(step.at, difference("tracker " + what.spec.name + " to join", added.error().message));
  }
}

void Runner::run(const Step& step, const step::SetSlots& what) {
  const auto id = tracker(step.at, what.tracker, true);
  if (!id) return;
  Resources total = cluster_.spec(*id).total;
  for (const TaskKind kind : kTaskKinds) {
    if (what.slots[index(kind)]) total.slots(kind) = *what.slots[index(kind)];
  }
  if (const auto set = cluster_.set_total(*id, total); !set) fail(step.at, set.error().message);
}

void Runner::run(const Step& step, const step::SetOffer& what) {
  const auto id = tracker(step.at, what.tracker, true);
  if (!id) return;
  Resources total = cluster_.spec(*id).total;
  if (what.memory_mb) total[Dimension::kMemoryMb] = *what.memory_mb;
  if (what.vcores) total[Dimension::kVcores] = *what.vcores;
  auto named = cluster_.spec(*id).named;
  for (const auto& [name, amount] : what.named) named[name] = amount;
  if (const auto set = cluster_.set_offer(*id, total, named); !set)
    fail(step.at, set.error().message);
}

void Runner::run(const Step& step, const step::Prioritise& what) {
  if (const auto id = job(step.at, what.job)) {
    command(SetPriority{caller(what.by, id, ""), *id, what.priority});
    update_pools();
  }
}

void Runner::run(const Step& step, const step::Move& what) {
  if (const auto id = job(step.at, what.job)) {
    command(MoveJob{caller(what.by, id, ""), *id, what.queue});
    update_pools();
  }
}

void Runner::run(const Step& step, const step::Kill& what) {
  if (const auto id = job(step.at, what.job)) command(KillJob{caller(what.by, id, ""), *id});
}

void Runner::run(const Step& step, const step::Release& what) {
  if (const auto id = job(step.at, what.job)) {
    command(ReleaseJob{caller(what.by, id, ""), *id});
    update_pools();
  }
}

void Runner::run(const Step&, const step::QueueSwitch& what) {
  command(SetQueueState{caller(what.by, std::nullopt, what.queue), what.queue, what.stop});
}

void Runner::run(const Step&, const step::Apply& what) {
  Diagnostics out(what.settings.file);
  auto settings =
      std::make_shared<Settings>(settings_of(what.settings, scenario_.heartbeats, out));
  if (!out.ok()) {
    refusal_ = out.as_error();
    std::string all;
    for (const std::string& line : out.errors()) all += (all.empty() ? "" : "; ") + line;
    refusal_->message = all;
    if (events_) events_->refused(engine_->elapsed(), "settings", all);
    return;
  }
  command(ApplySettings{caller(what.by, std::nullopt, ""), std::move(settings)});
  update_pools();
}

void Runner::run(const Step&, const step::SwitchPolicy& what) {
  command(SetPolicy{caller(what.by, std::nullopt, ""), what.policy});
}

void Runner::run(const Step& step, const step::ExpectQueue& what) {
  ++expectations_;
  fail(step.at, expect_.check(what));
}

void Runner::run(const Step& step, const step::ExpectJob& what) {
  ++expectations_;
  fail(step.at, expect_.check(what));
}

void Runner::run(const Step& step, const step::ExpectKills& what) {
  ++expectations_;
  std::vector<std::string> killed;
  for (const TaskKey& task : kills_.take()) killed.push_back(names_.spell(task));
  if (killed == what.tasks) return;
  fail(step.at, difference("kills " + list_text(what.tasks), list_text(killed)));
}

void Runner::run(const Step& step, const step::ExpectRecords& what) {
  ++expectations_;
  fail(step.at, expect_.check(what));
}

void Runner::run(const Step& step, const step::ExpectReservations& what) {
  ++expectations_;
  fail(step.at, expect_.check(what));
}

void Runner::run(const Step& step, const step::ExpectGang& what) {
  ++expectations_;
  fail(step.at, expect_.check(what));
}

void Runner::run(const Step& step, const step::ExpectExplain& what) {
  ++expectations_;
  fail(step.at, expect_.check(what));
}

void Runner::run(const Step& step, const step::ExpectRefused& what) {
  ++expectations_;
  if (refusal_ && refusal_->message.find(what.text) != std::string::npos) return;
  fail(step.at,
       difference(fmt::format("the last order to be refused with \"{}\"", what.text),
                  refusal_ ? fmt::format("\"{}\"", refusal_->message) : "it was not refused"));
}

}  // namespace weir
