#include "lab/faults/world.h"

#include <memory>

namespace weir::faults {
namespace {

constexpr DurationMs kCallTimeoutMs = 10'000;

DurationMs travel_ms(World& world) {
  if (world.swarm.strikes(Fault::kMessageLate)) return world.dice.between(500, 20'000);
  return world.dice.between(0, 15);
}

}  // namespace

bool World::is_over(JobId job) const {
  if (!jobtracker->up()) return false;
  const Job* found = jobtracker->engine().state().find_job(job);
  return found != nullptr && weir::is_over(found->state);
}

void World::ask(VirtualJobTracker::Body body, std::function<bool()> reaches, Answer answer) {
  const auto waiting = std::make_shared<Answer>(std::move(answer));
  const auto give = [waiting](std::optional<VirtualJobTracker::ReplyBody> reply) {
    if (!*waiting) return;  // it has given up, or heard already
    const Answer once = std::move(*waiting);
    *waiting = nullptr;
    once(std::move(reply));
  };
  agenda.after(kCallTimeoutMs, [give] { give(std::nullopt); });
  const auto arrive = [this, reaches, give](VirtualJobTracker::Body request) {
    if (!reaches()) return;
    if (!jobtracker->up()) {  // refused at once
      agenda.after(1, [give] { give(std::nullopt); });
      return;
    }
    auto* report = std::get_if<Heartbeat>(&request);
    if (report != nullptr && plant.is(Planted::kStaleSequence)) report->sequence = ++arrived_;
    std::optional<Heartbeat> sent;
    if (report != nullptr && on_reported) sent = *report;
    if (report != nullptr && plant.is(Planted::kReadoptionForgotten) &&
        jobtracker->engine().recovering()) {
      std::erase_if(report->attempts, [](const AttemptReport& attempt) {
        return attempt.state == ReportedState::kRunning;
      });
    }
    jobtracker->handle(std::move(request),
                       [this, reaches, give](const VirtualJobTracker::ReplyBody& reply) {
                         if (swarm.strikes(Fault::kReplyLost)) return;
                         agenda.after(travel_ms(*this), [reaches, give, reply] {
                           if (reaches()) give(reply);
                         });
                       });
    if (sent) on_reported(*sent);
  };
  if (!reaches()) return;
  // What may be said twice. Other commands go over a connection, and are repeated by people.
  const bool again = std::holds_alternative<Heartbeat>(body) ||
                     std::holds_alternative<RegisterTracker>(body) ||
                     std::holds_alternative<SubmitJob>(body);
  if (again && swarm.strikes(Fault::kRequestDoubled)) {
    agenda.after(travel_ms(*this) + dice.between(0, 5'000), [arrive, body] { arrive(body); });
  }
  if (swarm.strikes(Fault::kRequestLost)) return;
  agenda.after(travel_ms(*this), [arrive, body = std::move(body)] { arrive(body); });
}

}  // namespace weir::faults
